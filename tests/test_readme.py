"""The README tells the truth: its code runs, its links lead somewhere; and so does the page on the default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_names_what_sets_everything_up_and_runs_it() -> None:
    for command in ("make demo", "make test"):
        assert command in README, command


def test_its_first_screen_is_what_a_search_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(block, names)
    assert {"np.sin", "np.round"} <= {hit.id for hit in names["hits"]}  # type: ignore[attr-defined]


def test_it_is_short() -> None:
    assert len(README.split()) < 700


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_the_page_on_the_default_quotes_the_measured_figures() -> None:
    page = (ROOT / "docs/default.md").read_text(encoding="utf-8")
    tried = (ROOT / "benchmarks/results/default.md").read_text(encoding="utf-8").strip().splitlines()[-1]
    few = (ROOT / "benchmarks/results/few.md").read_text(encoding="utf-8").split("\n", 2)[2].strip()
    assert tried in page
    assert few in page
