"""A version that was replaced leaves memory at once, whatever was asked of it, and waits for no collection."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coverset import MMR, NNN, RRF, Dense, Retriever
from tests.store.words import Words

DECODERS = (NNN(), NNN(l1=0.1, l2=0.1), NNN(center=True), MMR(), Dense(), RRF())
ASKED: dict[str, Callable[[Retriever], object]] = {
    "plain": lambda store: store.search("red fox, and a whale that swims", k=2),
    "explained": lambda store: store.answer("red fox", k=2, explain=True),
    "every decoder": lambda store: [store.search("red fox", k=2, decoder=decoder) for decoder in DECODERS],
    "a share": lambda store: store.search("red fox", k=2, share=0.3),
    "a share, filtered": lambda store: store.search("red fox", k=2, share=0.3, where={"n": 1}),
    "words unknown": lambda store: store.search("zebra", k=2),
    "words unknown, a share": lambda store: store.search("zebra", k=2, share=0.3),
    "documents": lambda store: (store.get(["1"]), list(store)),
}


@pytest.fixture
def collected_by_hand() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collected_by_hand")
@pytest.mark.parametrize("asked", ASKED)
def test_vectors_are_freed_when_a_write_replaces_them(asked: str, tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", encoder=Words())
    texts = ["red fox runs", "green frog", "blue whale swims", "red whale jumps", "fox sleeps"]
    store.add({"id": str(n), "text": text, "meta": {"n": n % 2}} for n, text in enumerate(texts))
    ASKED[asked](store)
    index = store.snapshot().index
    assert index is not None
    vectors = weakref.ref(index.corpus.meaning)
    del index
    store.add([{"id": "new", "text": "yellow bird sings"}])
    store.search("bird")
    assert vectors() is None
