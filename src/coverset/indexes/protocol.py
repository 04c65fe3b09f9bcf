"""What an index is: the two questions a decoder asks of the place where vectors live."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from numpy.typing import ArrayLike

from coverset.arrays import Array, Floats, Keys
from coverset.vectors import Vectors


@runtime_checkable
class Index(Protocol):
    """Where vectors live. Anything with these members goes wherever a corpus array goes.

    Attributes
    ----------
    dim
        Width of the vectors.
    exact
        Whether `search` always finds the true best: only then can an answer be certified.

    What else an index may be able to do is below, an ability each; it has those whose methods it has.
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


@runtime_checkable
class SearchesExhaustively(Protocol):
    """An approximate index that can also look at every document: `NNN(certify=True)` confirms answers with it."""

    def exactly(self) -> Index | None:
        """Return the index with exhaustive searches; None where it has none after all."""
        ...


@runtime_checkable
class SearchesQuickly(Protocol):
    """An index that can try less hard: so are made the searches that lead up to the last ones."""

    def quicker(self) -> Index | None:
        """Return the index with less search effort; None where that would save nothing."""
        ...


@runtime_checkable
class SendsVectors(Protocol):
    """An index that can send along the vectors of what it finds, which saves a round trip."""

    def search_with_vectors(
        self, queries: Floats, k: int, floors: Array, known: Keys
    ) -> tuple[Floats, Keys, Keys, Floats]:
        """Search; return (scores, ids) as `search` does, and the ids and vectors of what is above the floors.

        Documents whose ids are `known` are not sent again.
        """
        ...


@runtime_checkable
class AsksFor(Protocol):
    """An index that says how many documents a search had best ask for at a time; 256 of any other."""

    ask: int


# What is decoded over: an index, or an (N, d) array of anything that numpy can read.
Corpus: TypeAlias = Index | ArrayLike | Vectors
