"""Why an answer is what it is: what each document adds, what was left out and why, what came in and from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Array, Ids
from coverset.decoders import NNN
from coverset.indexes import Index, MemoryIndex, ask, at_hand, fetch, kind, suiting
from coverset.inputs import as_one
from coverset.vectors import Vectors

# Non-negative least squares, with just enough l2 to tell equal documents apart.
LEAST_SQUARES = NNN(l1=0.0, l2=1e-6)
# From this cosine on a document says much of what another one says; below it, no more than something.
MUCH = 0.6
# How far down among the nearest documents a place is looked for.
DEEPEST = 1000


@dataclass(frozen=True)
class LeftOut:
    """A document among the nearest that an answer left out, and the one in the answer that it is most alike."""

    id: str
    like: str
    cosine: float

    @property
    def says_much(self) -> bool:
        """Whether it says much of what that one says: if not, nobody knows but that it ranks lower."""
        return self.cosine >= MUCH


@dataclass(frozen=True)
class Target:
    """A query, and the documents under the inner product that suits it: what lacks a half has all in the other."""

    query: Vectors
    index: Index

    @classmethod
    def of(cls, query: ArrayLike | Vectors, index: Index) -> Target:
        """Return a query of an index's kind."""
        one = as_one(query, kind(index))
        ((_, view),) = suiting(index, one)
        return cls(as_one(one, kind(view)), view)

    @property
    def share(self) -> float:
        """The share of words in its scores: 0 where it has none, or the documents do not."""
        here = at_hand(self.index)
        return 0.0 if here is None else here.share

    def rows(self, ids: Ids) -> Vectors:
        """Return the vectors of these documents."""
        return fetch(self.index, ids)

    def nearest(self, count: int) -> Ids:
        """Return the documents nearest to the query, as many as there are up to `count`."""
        rows = np.asarray(ask(self.index, self.query, count)[1][0], np.int64)
        return rows[rows >= 0]


def alone(query: Vectors, rows: Vectors) -> Array:
    """Return what each document explains of the query by itself, [u.v]_+^2 / ||v||^2, from 0 to 1."""
    rows, query = rows.narrowed(query)
    length = float(query.norms[0]) ** 2
    shares: Array = np.maximum(rows.times(query.flat()[0]), 0.0) ** 2 / (length or 1.0)
    return np.minimum(shares, 1.0)  # rows of length 1 may be longer in their last digit


def together(query: Vectors, rows: Vectors) -> float:
    """Return how much of the query documents explain together, from 0 to 1.

    The share of ||v||^2 that the best non-negative combination rebuilds: 1 - min_{w >= 0} ||v - U w||^2 / ||v||^2.
    """
    length = float(query.norms[0]) ** 2
    if not length or not len(rows):
        return 0.0
    rows, query = rows.narrowed(query)
    residual = LEAST_SQUARES.rewrite(query, MemoryIndex(rows, rows.share))
    return min(max(1.0 - float(residual.norms[0]) ** 2 / length, 0.0), 1.0)


def covered(query: Vectors, rows: Vectors) -> Array:
    """Return how much of the query the first 1, 2, ... of these documents explain together."""
    shares = [together(query, rows.take(slice(0, n + 1))) for n in range(len(rows))]
    # One document more never explains less; what rounding says to the contrary is not shown.
    return np.maximum.accumulate(np.array(shares, np.float64))


def left_out(index: Index, nearest: Ids, answer: Ids, names: Sequence[str]) -> list[LeftOut]:
    """Return the documents among the nearest that are not in the answer, in their order."""
    gone = nearest[~np.isin(nearest, answer)]
    if not len(gone) or not len(answer):
        return []
    cosines = fetch(index, gone).inner(fetch(index, answer))
    likest = cosines.argmax(axis=1)
    return [
        LeftOut(names[row], names[answer[best]], float(cosines[n, best]))
        for n, (row, best) in enumerate(zip(gone, likest, strict=True))
    ]


def places(target: Target, ids: Ids) -> list[int | None]:
    """Return each document's place among the nearest to the query, counted from 1; None: beyond `DEEPEST`."""
    place = {row: n for n, row in enumerate(target.nearest(min(DEEPEST, len(target.index))).tolist(), start=1)}
    return [place.get(int(row)) for row in ids]
