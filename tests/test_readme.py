"""The README tells the truth: its code runs, its links lead somewhere; and so does the page on the default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coverset import Dense, Retriever
from coverset.demo.catalogue import catalogue

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


def test_its_first_answers_are_those_of_a_search(tmp_path: Path) -> None:
    (request,) = re.findall(r'request:  "(.*)"', README)
    store = Retriever.open(tmp_path / "numpy.cover")
    store.add([{"id": name, "text": text} for name, text in catalogue().items()])
    answer = store.answer(request)
    assert answer.certified
    assert f"all {len(store)} functions" in README
    near = store.search(request, decoder=Dense(distinct=False), share=0.0, parts=None)
    for name, hits in (("nearest", near), ("Coverset", answer.hits)):
        assert re.search(rf"^{name} {{4,}}(.*)$", README, re.MULTILINE)[1].split() == [h.id for h in hits]  # type: ignore[index]
    served = {part.text: set(part.served_by) for part in answer.parts}
    assert len(served) == 3
    assert all(found & {hit.id for hit in answer.hits[:3]} for found in served.values())


def test_it_is_short() -> None:
    assert len(README.split()) < 700


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize(
    ("result", "rules"),
    [
        ("test", ["with parts, NNN(): the default", "Dense, meaning only", "RRF of words and meaning"]),
        ("test.4-versions", ["with parts, NNN(): the default", "Dense, meaning only"]),
    ],
)
def test_its_figures_are_those_measured(result: str, rules: list[str]) -> None:
    path = ROOT / f"benchmarks/results/answers.all-MiniLM-L6-v2.{result}.md"
    comp = path.read_text(encoding="utf-8").split("## comp@5")[1].split("##")[0]
    for rule in rules:
        (mean,) = re.findall(rf"^\| {re.escape(rule)} \|.*\| ([\d.]+) \|$", comp, re.MULTILINE)
        assert f"{mean} %" in README, rule


def test_the_page_on_the_default_quotes_the_measured_figures() -> None:
    page = (ROOT / "docs/default.md").read_text(encoding="utf-8")
    tried = (ROOT / "benchmarks/results/default.md").read_text(encoding="utf-8").strip().splitlines()[-1]
    few = (ROOT / "benchmarks/results/few.md").read_text(encoding="utf-8").split("\n\n")[-1].strip()
    answers = (ROOT / "benchmarks/results/answers.all-MiniLM-L6-v2.test.md").read_text(encoding="utf-8")
    assert tried in page
    assert few in page
    assert answers.split("## comp@5\n\n")[1].split("\n\n")[0] in page
