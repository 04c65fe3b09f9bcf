"""Where vectors live."""

from __future__ import annotations

from typing import Any

from coverset.indexes.memory import MemoryIndex
from coverset.indexes.protocol import Index

__all__ = ["Index", "MemoryIndex", "as_index"]


def as_index(corpus: Any) -> Index:
    """Return the corpus as an index: itself if it is one, else a MemoryIndex over the array."""
    return corpus if isinstance(corpus, (MemoryIndex, Index)) else MemoryIndex(corpus)
