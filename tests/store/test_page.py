"""docs/store.md tells the truth: its code runs, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from coverset import NNN
from coverset.store import table

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/store.md").read_text(encoding="utf-8")


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 7
    for block in blocks:
        exec(block, names)
    assert names["tools"].ids() == ["np.deg2rad", "np.round", "np.sin"]
    assert names["tools"].decoder == NNN(l1=0.05, l2=0.1)
    assert {hit.id for hit in names["answer"].hits} == set(names["tools"].ids())
    assert names["vectors_only"].ids() == names["mine"].ids() == ["a"]


def test_its_figures_are_those_in_the_code_and_the_measured_ones() -> None:
    figures = f"every {table.TIDY} writes, but not before they are {table.KEPT.seconds} seconds old"
    assert figures in " ".join(PAGE.split())
    assert (ROOT / "benchmarks/results/store.md").read_text(encoding="utf-8").strip() in PAGE


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", PAGE)
    assert links
    for target in links:
        assert (ROOT / "docs" / target).exists(), target
