"""What a search returns: documents with their weights and, if asked for, why they are the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coverset.arrays import Floats
from coverset.explanation import covered, reasons
from coverset.selection import Selection
from coverset.store.snapshot import Snapshot


@dataclass(frozen=True)
class Hit:
    """A document of an answer, and its weight in it."""

    id: str
    text: str
    weight: float
    meta: dict[str, Any]


@dataclass(frozen=True)
class Displaced:
    """A document among the nearest that was left out, and how much it is like the one it was left out for."""

    id: str
    cosine: float


@dataclass(frozen=True)
class ExplainedHit(Hit):
    """A hit, and why it is in the answer.

    Attributes
    ----------
    adds
        The share of the query that it explains beyond those before it, from 0 to 1.
    place
        Its place among the nearest documents, counted from 1; None: further down than was looked.
    displaced
        The documents among the nearest that were left out and are most like this one.
    """

    adds: float
    place: int | None
    displaced: list[Displaced]


@dataclass(frozen=True)
class Explanation:
    """An answer with its reasons.

    Attributes
    ----------
    hits
        The documents, best first.
    covered
        The share of the query that they explain together, from 0 to 1.
    covered_by_nearest
        The share that as many nearest neighbours explain.
    certified
        Whether the answer is proved optimal; None for decoders other than NNN.
    """

    hits: list[ExplainedHit]
    covered: float
    covered_by_nearest: float
    certified: bool | None


def hits(snapshot: Snapshot, selection: Selection) -> list[Hit]:
    """Return the documents of a selection."""
    found = zip(selection.ids.tolist(), selection.weights.tolist(), strict=True)
    return [Hit(d.id, d.text, weight, d.meta) for d, weight in ((snapshot.document(row), w) for row, w in found)]


def explained(snapshot: Snapshot, query: Floats, selection: Selection) -> Explanation:
    """Return the documents of a selection, each with its reason."""
    index = snapshot.index
    if index is None or not len(selection):
        return Explanation([], 0.0, 0.0, selection.certified)
    why = reasons(query, index, selection.ids)
    nearest = np.asarray(index.search(query[None], len(selection))[1][0])
    return Explanation(
        hits=[
            ExplainedHit(
                **vars(hit),
                adds=reason.adds,
                place=reason.place,
                displaced=[Displaced(snapshot.ids[d.id], d.cosine) for d in reason.displaced],
            )
            for hit, reason in zip(hits(snapshot, selection), why, strict=True)
        ],
        covered=sum(reason.adds for reason in why),
        covered_by_nearest=float(covered(query, index.vectors(nearest[nearest >= 0]))[-1]),
        certified=selection.certified,
    )
