"""Where vectors live."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import numpy as np

from coverset.arrays import Floats, Ids, Keys
from coverset.indexes.memory.index import MemoryIndex
from coverset.indexes.protocol import Corpus, Index
from coverset.vectors import Vectors

if TYPE_CHECKING:
    from coverset.indexes.engines.faiss import FaissIndex
    from coverset.indexes.engines.lance import LanceIndex
    from coverset.indexes.engines.milvus import MilvusIndex
    from coverset.indexes.engines.pgvector import PgvectorIndex
    from coverset.indexes.engines.qdrant import QdrantIndex
    from coverset.indexes.engines.ray import RayIndex
    from coverset.indexes.engines.usearch import UsearchIndex

__all__ = [
    "Corpus",
    "FaissIndex",
    "Index",
    "LanceIndex",
    "MemoryIndex",
    "MilvusIndex",
    "PgvectorIndex",
    "QdrantIndex",
    "RayIndex",
    "UsearchIndex",
    "as_index",
    "within",
]

# One engine per file, imported when it is first named.
ENGINES = {
    "FaissIndex": "faiss",
    "LanceIndex": "lance",
    "MilvusIndex": "milvus",
    "PgvectorIndex": "pgvector",
    "QdrantIndex": "qdrant",
    "RayIndex": "ray",
    "UsearchIndex": "usearch",
}


def __getattr__(name: str) -> object:
    if name in ENGINES:
        return getattr(importlib.import_module(f"coverset.indexes.engines.{ENGINES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def as_index(corpus: Corpus) -> Index:
    """Return the corpus as an index: itself if it is one, else a MemoryIndex over the array."""
    return corpus if isinstance(corpus, (MemoryIndex, Index)) else MemoryIndex(corpus)


def at_hand(index: Index) -> MemoryIndex | None:
    """Return the index if all its vectors are in memory: it can then tell more than an `Index` must."""
    return index if isinstance(index, MemoryIndex) else None


def within(index: Index, k: int) -> int:
    """Return k, but no more than there are documents, where counting them takes no round trip."""
    return k if at_hand(index) is None else min(k, len(index))


def kind(index: Index) -> Vectors:
    """Return what vectors of this index look like: all of them if they are at hand, or none of that width."""
    here = at_hand(index)
    return Vectors.of(np.empty((0, index.dim), np.float32)) if here is None else here.corpus


def ask(index: Index, targets: Vectors, k: int) -> tuple[Floats, Keys]:
    """Search an index, of any kind, with targets of its kind."""
    scores, ids = index.search(targets if targets.width else targets.meaning, within(index, k))  # type: ignore[arg-type]
    return np.asarray(scores, np.float32), np.asarray(ids)


def fetch(index: Index, ids: Keys) -> Vectors:
    """Return the vectors of these documents, from an index of any kind."""
    return Vectors.of(index.vectors(ids))


def suiting(index: Index, targets: Vectors) -> list[tuple[Ids, Index]]:
    """Return which targets to put to which view of an index: what lacks a half gives its share to the other."""
    here = at_hand(index)
    return [(np.arange(len(targets)), index)] if here is None else [*here.suiting(targets)]
