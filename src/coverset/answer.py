"""Answer: all that is known about what a search found. Whatever shows answers to people maps from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Ids
from coverset.decoders import Decoder
from coverset.decoders.registry import as_setting
from coverset.explaining.reasons import LeftOut, Target, alone, covered, left_out, places, together
from coverset.indexes import MemoryIndex
from coverset.selection import Selection
from coverset.store.documents import Document
from coverset.vectors import Vectors


class Documents(Protocol):
    """Documents that can be searched: a version of a store, or a list in memory."""

    @property
    def version(self) -> int:
        """Which version of them it is."""

    @property
    def ids(self) -> Sequence[str]:
        """Their ids, row by row."""

    @property
    def index(self) -> MemoryIndex | None:
        """Their vectors, row by row; None when there are no documents."""

    def document(self, row: int) -> Document:
        """Return the document in a row."""


@dataclass(frozen=True)
class Hit:
    """A document of an answer.

    Attributes
    ----------
    score
        What it explains of the query by itself, from 0 to 1; the same for every decoder.
    weight
        What the decoder ranks by: NNN's weight, Dense's inner product, MMR's marginal score.
    alike
        The ids of documents that it stands for: so alike that they are left out.
    adds
        When reasons are asked for: the share of the query that it explains beyond those before it.
    place
        When reasons are asked for: its place among the nearest documents, counted from 1; None: further down
        than was looked.
    displaced
        When reasons are asked for: the documents among the nearest that were left out and are most like this one.
    """

    id: str
    text: str
    meta: dict[str, Any]
    score: float
    weight: float
    alike: tuple[str, ...] = ()
    adds: float | None = None
    place: int | None = None
    displaced: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What was found for a query, and what stands behind it.

    Attributes
    ----------
    hits
        The documents, best first.
    covered
        The share of the query that they explain together, from 0 to 1.
    certified, gap, proved
        As `Selection` has them; None for decoders other than NNN.
    passes
        How many searches of the whole corpus it took.
    decoder
        The decoder as it was run: with the strengths that NNN chose for this query.
    version
        The version of the store that was searched.
    seconds
        How long decoding took; of a batch, this query's share.
    covered_by_nearest
        When reasons are asked for: the share of the query that as many nearest documents explain.
    """

    hits: list[Hit]
    covered: float
    certified: bool | None
    gap: float | None
    proved: bool | None
    passes: int
    decoder: Decoder
    version: int
    seconds: float = 0.0
    covered_by_nearest: float | None = None

    @property
    def explained(self) -> bool:
        """Whether reasons were asked for."""
        return self.covered_by_nearest is not None

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data that JSON can hold; reasons only if there are any."""
        kept = {name: value for name, value in vars(self).items() if name not in ("hits", "decoder")}
        if not self.explained:
            del kept["covered_by_nearest"]
        finite = self.gap is not None and math.isfinite(self.gap)
        hits = [hit_as_json(hit, explained=self.explained) for hit in self.hits]
        return {"hits": hits, **kept, "gap": self.gap if finite else None, "decoder": as_setting(self.decoder)}


def hit_as_json(hit: Hit, *, explained: bool) -> dict[str, Any]:
    """Return a hit as plain data."""
    reasons = () if explained else ("adds", "place", "displaced")
    return {name: value for name, value in asdict(hit).items() if name not in reasons}


def make_hits(documents: Documents, query: Target, selection: Selection) -> list[Hit]:
    """Return the documents of a selection."""
    scores = alone(query.query, query.rows(selection.ids)).tolist()
    found = zip(selection.ids.tolist(), scores, selection.weights.tolist(), selection.alike, strict=True)
    hits = []
    for row, score, weight, others in found:
        document = documents.document(row)
        alike = tuple(documents.ids[int(str(other))] for other in others)
        hits.append(Hit(document.id, document.text, document.meta, score, weight, alike))
    return hits


def make_answer(
    documents: Documents,
    query: ArrayLike | Vectors,
    selection: Selection,
    decoder: Decoder,
    *,
    explain: bool = False,
    seconds: float = 0.0,
) -> Answer:
    """Return what is known about a selection, with reasons if asked for."""
    if documents.index is None:
        return Answer(
            [], 0.0, None, None, None, 0, decoder, documents.version, covered_by_nearest=0.0 if explain else None
        )
    target = Target.of(query, documents.index)
    made = Answer(
        hits=make_hits(documents, target, selection),
        covered=together(target.query, target.rows(selection.ids)),
        certified=selection.certified,
        gap=selection.gap,
        proved=selection.proved,
        passes=selection.passes,
        decoder=decoder.as_run(selection, documents.index),
        version=documents.version,
        seconds=seconds,
    )
    return _with_reasons(made, documents, target, selection.ids) if explain else made


def _with_reasons(answer: Answer, documents: Documents, target: Target, ids: Ids) -> Answer:
    if not len(ids):
        return replace(answer, covered_by_nearest=0.0)
    nearest = target.nearest(len(ids))
    out = left_out(target.index, nearest, ids, documents.ids)
    shares = covered(target.query, target.rows(ids))
    why = zip(answer.hits, np.diff(shares, prepend=0.0), places(target, ids), strict=True)
    return replace(
        answer,
        hits=[
            replace(hit, adds=float(adds), place=place, displaced=tuple(d for d in out if d.like == hit.id))
            for hit, adds, place in why
        ],
        covered=float(shares[-1]),
        covered_by_nearest=together(target.query, target.rows(nearest)),
    )
