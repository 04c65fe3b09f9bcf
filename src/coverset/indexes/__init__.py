"""Where vectors live."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from coverset.indexes.memory.index import MemoryIndex
from coverset.indexes.protocol import Corpus, Index

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


def __getattr__(name: str) -> Any:
    if name in ENGINES:
        return getattr(importlib.import_module(f"coverset.indexes.engines.{ENGINES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def as_index(corpus: Corpus) -> Index:
    """Return the corpus as an index: itself if it is one, else a MemoryIndex over the array."""
    return corpus if isinstance(corpus, (MemoryIndex, Index)) else MemoryIndex(corpus)


def within(index: Index, k: int) -> int:
    """Return k, but no more than there are documents, where counting them takes no round trip."""
    return min(k, len(index)) if isinstance(index, MemoryIndex) else k
