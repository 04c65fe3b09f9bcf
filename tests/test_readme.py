"""The README tells the truth: its code runs, and its figures are those in the result files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_python_runs_and_finds_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    selection, texts = names["selection"], names["texts"]
    chosen = {texts[i] for i in selection.ids}  # type: ignore[attr-defined,index]
    assert {"Sine of an angle.", "Round a number."} <= chosen
    assert selection.certified  # type: ignore[attr-defined]
    assert {"np.sin", "np.round"} <= {hit.id for hit in names["hits"]}  # type: ignore[attr-defined]


def test_its_speed_figures_are_the_measured_ones() -> None:
    assert (ROOT / "benchmarks/results/speed.md").read_text(encoding="utf-8").strip() in README


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_the_page_on_the_default_quotes_the_measured_figures() -> None:
    page = (ROOT / "docs/default.md").read_text(encoding="utf-8")
    tried = (ROOT / "benchmarks/results/default.md").read_text(encoding="utf-8").strip().splitlines()[-1]
    few = (ROOT / "benchmarks/results/few.md").read_text(encoding="utf-8").split("\n", 2)[2].strip()
    assert tried in page
    assert few in page
