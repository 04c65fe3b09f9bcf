"""Coverset: retrieve the set of documents that together cover a query."""

from coverset.decoders import MMR, NNN, Dense
from coverset.indexes import Index, MemoryIndex
from coverset.selection import Selection

__all__ = ["MMR", "NNN", "Dense", "Index", "MemoryIndex", "Selection"]
__version__ = "0.1.0"
