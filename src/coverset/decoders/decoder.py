"""What a decoder is: queries and a corpus in, selections out."""

from __future__ import annotations

from abc import ABC, abstractmethod

from numpy.typing import ArrayLike

from coverset.arrays import Floats
from coverset.indexes import Corpus, Index, as_index
from coverset.inputs import as_batch, as_query
from coverset.selection import Selection


class Decoder(ABC):
    """A rule that picks, for each query, a set of documents out of a corpus."""

    def decode(self, query: ArrayLike, corpus: Corpus, k: int | None = 5) -> Selection:
        """Pick the documents for one query.

        Parameters
        ----------
        query
            A query embedding (d,).
        corpus
            Document embeddings: an (N, d) array, or an Index (a MemoryIndex when the same corpus is
            decoded repeatedly).
        k
            How many documents to return, fewer only if the corpus has no more. NNN also takes None: the
            whole support.
        """
        index = as_index(corpus)
        return self._decode(as_query(query, index.dim), index, k, prepared=index is corpus)[0]

    def decode_batch(self, queries: ArrayLike, corpus: Corpus, k: int | None = 5) -> list[Selection]:
        """Pick the documents for each of several queries, (B, d): the same answers as one by one, sooner."""
        index = as_index(corpus)
        return self._decode(as_batch(queries, index.dim), index, k, prepared=index is corpus)

    @abstractmethod
    def _decode(self, queries: Floats, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        """Decode a checked batch; `k` is checked here, as not every rule can do without one.

        `prepared`: the caller keeps the index, so what it caches will be used again.
        """
