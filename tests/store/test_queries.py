"""Reading queries: an encoder is asked once for a request and its parts, and not again for what it just said."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from coverset import Retriever
from coverset.answer import Hit
from coverset.arrays import Floats
from coverset.encoders.function import FunctionEncoder
from coverset.encoders.precomputed import Precomputed
from coverset.indexes.memory.index import SHARE
from coverset.store import queries
from tests.store.words import Words


class Counting(Words):
    """Says what it was asked to encode."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        self.asked.append(list(texts))
        return super().encode_queries(texts)


@pytest.fixture
def store(tmp_path: Path) -> Retriever:
    made = Retriever.open(tmp_path / "s.cover", encoder=Counting())
    made.add({"id": f"{n}", "text": f"word{n} fox and frog number {n}"} for n in range(9))
    return made


def asked(store: Retriever) -> list[list[str]]:
    encoder = store.encoder
    assert isinstance(encoder, Counting)
    said, encoder.asked = encoder.asked, []
    return said


def test_a_request_and_its_parts_are_encoded_together(store: Retriever) -> None:
    store.search("word1 then word2", parts=["word1", "word2"])
    assert asked(store) == [["word1 then word2", "word1", "word2"]]


def test_what_was_asked_of_late_is_not_encoded_again(store: Retriever) -> None:
    first = store.search("word1 then word2", parts=["word1", "word2"])
    asked(store)
    again = store.search_batch(["word1 then word2", "word3"], parts=[["word2", "word4"], None])
    assert asked(store) == [["word3", "word4"]]
    assert store.search("word1 then word2", parts=["word1", "word2"]) == first
    assert asked(store) == []
    assert len(again) == 2


def test_only_so_much_is_remembered_and_the_latest_of_it(
    store: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "REMEMBERED", 3)
    for text in ("word1", "word2", "word3", "word1", "word4"):
        store.search(text, parts=None)
    assert asked(store) == [["word1"], ["word2"], ["word3"], ["word4"]]
    store.search_batch(["word1", "word2", "word3", "word4"], parts=None)
    assert asked(store) == [["word2"]]


MEANINGS = {
    "rotate an image": [1.0, 0.2, 0.1],
    "send an email": [0.1, 1.0, 0.2],
    "read a file": [0.2, 0.1, 1.0],
    "rotate it, then send it by email": [0.7, 0.7, 0.0],
    "send it": [0.0, 1.0, 0.1],
    "rotate it": [1.0, 0.0, 0.1],
}


def with_vector(text: str) -> dict[str, object]:
    """A text and the vector that somebody else made of it."""
    return {"text": text, "vector": MEANINGS[text]}


def essence(hits: list[Hit]) -> list[tuple[object, ...]]:
    near = partial(pytest.approx, abs=1e-6)
    return [(hit.id, near(hit.score), near(hit.weight), hit.part, hit.words) for hit in hits]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Retriever:
    made = Retriever.open(tmp_path / "elsewhere.cover", encoder=Precomputed(3, "theirs"))
    made.add({"id": text, **with_vector(text)} for text in list(MEANINGS)[:3])
    return made


@pytest.fixture
def here(tmp_path: Path) -> Retriever:
    """The same documents, whose vectors are made here."""
    encoder = FunctionEncoder(lambda texts: [MEANINGS[text] for text in texts], name="ours", dim=3)
    made = Retriever.open(tmp_path / "here.cover", encoder=encoder)
    made.add({"id": text, "text": text} for text in list(MEANINGS)[:3])
    return made


def test_text_with_its_vector_is_searched_for_as_text_is_that_is_encoded_here(
    elsewhere: Retriever, here: Retriever
) -> None:
    text, steps = "rotate it, then send it by email", ["rotate it", "send it"]
    bare = elsewhere.answer(MEANINGS[text], k=3)
    assert (bare.share, {hit.words for hit in bare.hits}) == (0.0, {()})
    whole = elsewhere.answer(with_vector(text), k=3)
    assert whole.share == SHARE
    assert essence(whole.hits) == essence(here.search(text, k=3, parts=None)) != essence(bare.hits)
    assert essence(whole.hits) == essence(here.search(with_vector(text), k=3))
    stated = elsewhere.answer(with_vector(text), k=3, parts=[*map(with_vector, steps)])
    expected = here.answer(text, k=3, parts=steps)
    assert (essence(stated.hits), stated.parts) == (essence(expected.hits), expected.parts)
    assert [part.text for part in stated.parts] == steps
    batch = elsewhere.search_batch(
        [with_vector(text), MEANINGS[text]], k=3, parts=[[*map(with_vector, steps)], None]
    )
    assert batch == [stated.hits, bare.hits]


def test_what_brings_no_vector_where_it_must_is_told_how(elsewhere: Retriever) -> None:
    text = "send an email"
    for query, parts in ((text, None), (with_vector(text), [text])):
        with pytest.raises(ValueError, match="from Python with text and its vector"):
            elsewhere.search(query, parts=parts)
    for wrong in (
        {"text": text},
        {"vector": [1, 0, 0]},
        {**with_vector(text), "id": "a"},
        {"text": 3, "vector": []},
    ):
        with pytest.raises(ValueError, match="text with its vector, got"):
            elsewhere.search(wrong)
        with pytest.raises(ValueError, match="text with its vector, got"):
            elsewhere.search(with_vector(text), parts=[wrong])
    with pytest.raises(ValueError, match=r"query must have shape \(3,\)"):
        elsewhere.search({"text": text, "vector": [1.0, 0.0]})
    with pytest.raises(ValueError, match="query must not be empty"):
        elsewhere.search({"text": " ", "vector": [1.0, 0.0, 0.0]})
    with pytest.raises(ValueError, match="parts must be different from each other"):
        elsewhere.search(with_vector(text), parts=[with_vector(text), with_vector(text)])
