"""What a decoder is: queries and a corpus in, selections out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from coverset.arrays import Floats
from coverset.indexes import Index, as_index
from coverset.inputs import as_count, as_queries
from coverset.selection import Selection


class Decoder(ABC):
    """A rule that picks, for each query, a set of documents out of a corpus."""

    def decode(self, queries: Any, corpus: Any, k: int | None = 5) -> Any:
        """Pick the documents for one query or for a batch.

        Parameters
        ----------
        queries
            One query embedding (d,) or a batch (B, d).
        corpus
            Document embeddings: an (N, d) array, or an Index (a MemoryIndex when the same corpus is
            decoded repeatedly).
        k
            How many documents to return, fewer only if the corpus has no more. NNN also takes None: the
            whole support.

        Returns
        -------
        Selection or list of Selection
            A Selection for a (d,) query, a list of B Selections for a batch.
        """
        index = as_index(corpus)
        batch, single = as_queries(queries, index.dim)
        selections = self._decode(batch, index, self._count(k), prepared=index is corpus)
        return selections[0] if single else selections

    def _count(self, k: Any) -> Any:
        return as_count("k", k)

    @abstractmethod
    def _decode(self, queries: Floats, index: Index, k: Any, *, prepared: bool) -> list[Selection]:
        """Decode a checked batch. `prepared`: the caller keeps the index, so what it caches will be used again."""
