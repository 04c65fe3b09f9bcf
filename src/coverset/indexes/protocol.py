"""What an index is: the two questions a decoder asks of the place where vectors live."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from numpy.typing import ArrayLike

from coverset.arrays import Floats, Keys
from coverset.vectors import Vectors


@runtime_checkable
class Index(Protocol):
    """Where vectors live. Anything with these members goes wherever a corpus array goes.

    Attributes
    ----------
    dim
        Width of the vectors.
    exact
        Whether `search` always finds the true best: only then can an answer be certified. An approximate
        index may have a method `exactly()` that returns itself with exhaustive searches, or None: this is
        what `NNN(certify=True)` confirms an answer with.
    """

    dim: int
    exact: bool

    def __len__(self) -> int:
        """Return the number of documents."""
        ...

    def search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        """Return (scores, ids), each (B, k): the largest inner products, descending, padded with id -1.

        Ids that are not whole numbers come as objects, padded with None.
        """
        ...

    def vectors(self, ids: Keys) -> Floats | Vectors:
        """Return the vectors of these documents: a (len(ids), dim) array, or Vectors."""
        ...


# What is decoded over: an index, or an (N, d) array of anything that numpy can read.
Corpus: TypeAlias = Index | ArrayLike | Vectors
