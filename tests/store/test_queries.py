"""Reading queries: an encoder is asked once for a request and its parts, and not again for what it just said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from coverset import Retriever
from coverset.arrays import Floats
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
