"""Why an answer is what it is: what each document adds, what was left out and why, what came in and from where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.arrays import Array, Ids
from coverset.decoders import NNN
from coverset.indexes import Index, MemoryIndex, ask, fetch
from coverset.vectors import Vectors

# Non-negative least squares, with just enough l2 to tell equal documents apart.
LEAST_SQUARES = NNN(l1=0.0, l2=1e-6)
# How far down among the nearest documents a place is looked for.
DEEPEST = 1000


@dataclass(frozen=True)
class LeftOut:
    """A document among the nearest that an answer left out, and the one in the answer that it is most alike."""

    id: int
    like: int
    cosine: float


@dataclass(frozen=True)
class Reason:
    """Why a document is in an answer.

    Attributes
    ----------
    adds
        The share of the query that it explains beyond those before it, from 0 to 1.
    place
        Its place among the nearest documents, counted from 1; None: beyond `DEEPEST`.
    displaced
        The documents among the nearest that were left out and are most like this one.
    """

    adds: float
    place: int | None
    displaced: list[LeftOut]


def reasons(query: Vectors, index: Index, answer: Ids) -> list[Reason]:
    """Return, for each document of an answer, why it is there."""
    if not len(answer):
        return []
    nearest = np.asarray(ask(index, query, len(answer))[1][0], np.int64)
    out = left_out(index, nearest[nearest >= 0], answer)
    adds = np.diff(covered(query, fetch(index, answer)), prepend=0.0)
    return [
        Reason(float(share), place, [document for document in out if document.like == row])
        for share, place, row in zip(adds, places(query, index, answer), answer.tolist(), strict=True)
    ]


def covered(query: Vectors, rows: Vectors) -> Array:
    """Return how much of the query the first 1, 2, ... of these documents explain together, from 0 to 1.

    Document by document, the share of ||v||^2 that the best non-negative combination rebuilds:
    1 - min_{w >= 0} ||v - U w||^2 / ||v||^2.
    """
    length = float(query.norms[0]) ** 2
    shares = np.zeros(len(rows))
    for n in range(len(rows)):
        index = MemoryIndex(rows.take(slice(0, n + 1)), rows.share)
        residual = LEAST_SQUARES.rewrite(query, index).sharing(rows.share)
        shares[n] = 1.0 - float(residual.norms[0]) ** 2 / length if length else 0.0
    # One document more never explains less; what rounding says to the contrary is not shown.
    cumulative: Array = np.maximum.accumulate(np.clip(shares, 0.0, 1.0))
    return cumulative


def left_out(index: Index, nearest: Ids, answer: Ids) -> list[LeftOut]:
    """Return the documents among the nearest that are not in the answer, in their order."""
    gone = nearest[~np.isin(nearest, answer)]
    if not len(gone) or not len(answer):
        return []
    cosines = fetch(index, gone).inner(fetch(index, answer))
    likest = cosines.argmax(axis=1)
    return [
        LeftOut(int(row), int(answer[best]), float(cosines[n, best]))
        for n, (row, best) in enumerate(zip(gone, likest, strict=True))
    ]


def places(query: Vectors, index: Index, ids: Ids) -> list[int | None]:
    """Return each document's place among the nearest to the query, counted from 1; None: beyond `DEEPEST`."""
    found = ask(index, query, min(DEEPEST, len(index)))[1][0]
    place = {int(row): n for n, row in enumerate(found, start=1)}
    return [place.get(int(row)) for row in ids]
