"""What a decoder is: requests and a corpus in, selections out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from coverset.decoders.requests import Requests
from coverset.indexes import Corpus, Index, as_index, kind
from coverset.inputs import as_batch, as_one
from coverset.plain import Fields
from coverset.selection import Selection
from coverset.vectors import Vectors


class Decoder(ABC):
    """A rule that picks, for each query, a set of documents out of a corpus.

    Every decoder is a frozen dataclass. Fields with a `Parameter` in their metadata can be set from outside.

    Attributes
    ----------
    variants
        Further names under which `eval` and `tune` know it, each with parameters that are then fixed.
    timed
        The ways in which `bench` times it, by label; none: as it comes.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    variants: ClassVar[Mapping[str, Mapping[str, float]]] = {}
    timed: ClassVar[Mapping[str, Fields]] = {}

    def decode(
        self,
        query: ArrayLike | Vectors,
        corpus: Corpus,
        k: int | None = 5,
        parts: ArrayLike | Vectors | None = None,
        *,
        guessed: bool = False,
    ) -> Selection:
        """Pick the documents for one query.

        Parameters
        ----------
        query
            A query embedding (d,), or Vectors of one row.
        corpus
            The documents: an (N, d) array, Vectors, or an Index (a MemoryIndex when the same corpus is
            decoded repeatedly).
        k
            How many documents to return, fewer only if the corpus has no more, or with `NNN(fill=False)` if no
            more have weight. NNN also takes None: the whole support.
        parts
            What the query is made of, as further targets: an (m, d) array, or Vectors.
        guessed
            The parts are a guess, told from the query's text. NNN gives each part that is stated the document
            that is best for it, and a part that is guessed the one that is best for it and the whole.
        """
        index = as_index(corpus)
        requests = Requests.checked(
            as_one(query, kind(index)), None if parts is None else [parts], guessed=guessed
        )
        return self._decode(requests, index, k, prepared=index is corpus)[0]

    def decode_batch(
        self,
        queries: ArrayLike | Vectors,
        corpus: Corpus,
        k: int | None = 5,
        parts: Sequence[ArrayLike | Vectors | None] | None = None,
        *,
        guessed: bool = False,
    ) -> list[Selection]:
        """Pick the documents for each of several queries: the same answers as one by one, sooner.

        `parts` has one entry a query: its parts, or None.
        """
        index = as_index(corpus)
        requests = Requests.checked(as_batch(queries, kind(index)), parts, guessed=guessed)
        return self._decode(requests, index, k, prepared=index is corpus)

    def as_run(self, selection: Selection, index: Index) -> Decoder:
        """Return the decoder as it came to this selection: with what was left to it to choose."""
        return self

    @abstractmethod
    def _decode(self, requests: Requests, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        """Decode checked requests; `k` is checked here, as not every rule can do without one.

        `prepared`: the caller keeps the index, so what it caches will be used again.
        """
