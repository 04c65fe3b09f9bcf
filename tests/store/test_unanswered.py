"""What nothing in a store answers gets the nearest document, and not the look of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from coverset import Dense, Retriever
from coverset.commands import app
from coverset.demo.catalogue import REQUESTS, catalogue
from coverset.plain import Fields

PIZZA = "order a pizza for lunch"


@pytest.fixture(scope="module")
def numpy(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    store = Retriever.open(tmp_path_factory.mktemp("stores") / "numpy.cover")
    store.add([{"id": name, "text": text} for name, text in catalogue().items()])
    return store


@pytest.mark.parametrize("request_", [PIZZA, "who won the election in France?", "zxqv blorp"])
def test_what_is_far_off_gets_one_hit_and_is_told(numpy: Retriever, request_: str) -> None:
    answer = numpy.answer(request_)
    assert not answer.answered
    assert len(answer.hits) == len(numpy.search(request_)) == 1
    assert len(numpy.search(request_, decoder=Dense())) == 1


def test_what_is_meant_for_the_store_is_answered_in_full(numpy: Retriever) -> None:
    for request in REQUESTS:
        answer = numpy.answer(request)
        assert answer.answered
        assert len(answer.hits) == 5


def test_what_passes_a_filter_is_wanted(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover")
    store.add([{"id": str(n), "text": f"Sort rows {n}.", "meta": {"n": n % 2}} for n in range(6)])
    answer = store.answer(PIZZA, decoder=Dense(distinct=False), where={"n": 1})
    assert len(answer.hits) == 3
    assert not answer.answered


@pytest.mark.parametrize("where", [None, {"n": 9}])
def test_without_documents_nothing_is_answered_and_no_part_served(tmp_path: Path, where: Fields | None) -> None:
    store = Retriever.open(tmp_path / "s.cover")
    if where:
        store.add([{"id": "0", "text": "Sort rows.", "meta": {"n": 0}}])
    answer = store.answer("sort rows", parts=["sort", "walk the dog"], where=where)
    assert (answer.hits, answer.answered) == ([], False)
    assert [(part.text, part.served_by) for part in answer.parts] == [("sort", ()), ("walk the dog", ())]
    # What words there are goes by the whole store, whatever the filter.
    assert answer.uncovered_words == (["sort", "rows"] if where else [])
    assert answer.unknown_words == (["walk", "dog"] if where else ["sort", "rows", "walk", "dog"])
    assert not store.answer(store.query_vectors(["sort"])[0], where=where).answered


def test_nothing_is_said_of_vectors(numpy: Retriever) -> None:
    vector = numpy.query_vectors([PIZZA])[0]
    assert len(numpy.search(vector)) == 5


def test_stated_parts_that_are_served_answer_a_request(numpy: Retriever) -> None:
    assert len(numpy.search(PIZZA, parts=["sort an array", "round it"])) == 5
    assert len(numpy.search(PIZZA, parts=["walk the dog"])) == 1


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_verdict_does_not_depend_on_the_share_of_words(numpy: Retriever, share: float) -> None:
    assert not numpy.answer(PIZZA, share=share).answered
    assert all(numpy.answer(request, share=share).answered for request in REQUESTS)


def test_the_command_line_says_so(numpy: Retriever) -> None:
    done = CliRunner().invoke(app, ["search", str(Path(numpy.folder)), PIZZA])
    assert done.exit_code == 0
    assert "Nothing here seems to answer this" in " ".join(done.stdout.split())
