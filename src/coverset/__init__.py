"""Coverset: retrieve the set of documents that together cover a query."""

from typing import TYPE_CHECKING

from coverset.decoders import MMR, NNN, RRF, Dense
from coverset.indexes import Index, MemoryIndex
from coverset.selection import Selection
from coverset.vectors import Vectors

if TYPE_CHECKING:
    from coverset.client import AsyncClient, Client
    from coverset.retriever import Answer, Hit, Retriever

__all__ = [
    "MMR",
    "NNN",
    "RRF",
    "Answer",
    "AsyncClient",
    "Client",
    "Dense",
    "Hit",
    "Index",
    "MemoryIndex",
    "Retriever",
    "Selection",
    "Vectors",
]
__version__ = "0.1.0"


def __dir__() -> list[str]:
    """Name what is imported when asked for, too."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    """Import what is heavier when it is first asked for."""
    if name in ("Answer", "Hit", "Retriever"):
        from coverset import retriever

        return getattr(retriever, name)
    if name in ("AsyncClient", "Client"):
        from coverset import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
