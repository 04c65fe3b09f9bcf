"""Maximal Marginal Relevance (Carbonell and Goldstein, 1998), as Algorithm 1 of the NNN paper states it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from coverset.arrays import Floats
from coverset.decoders.decoder import Decoder
from coverset.decoders.field import Field
from coverset.decoders.kinds import Distinct, Kinds, as_distinct
from coverset.decoders.parameter import Parameter
from coverset.decoders.requests import Requests, serves, together
from coverset.indexes import Index
from coverset.inputs import as_count, as_number
from coverset.selection import Selection


@dataclass(frozen=True)
class MMR(Decoder):
    """Pick greedily: relevant to the query, unlike what has been picked.

    The first pick is the most relevant document; each further one maximises

        relevance * u_i.v - (1 - relevance) * max_{j picked} u_i.u_j

    Parameters
    ----------
    relevance
        The trade-off in [0, 1]: 1 asks only for relevance (this is Dense), 0 only for diversity.
    candidates
        Pick among this many documents nearest to the query; None: among the whole corpus.
    distinct
        The cosine above which two documents count as one kind, of which one is returned; False, or "auto": all.
    """

    relevance: float = field(
        default=0.7,
        metadata=Parameter(
            "1 asks only for relevance, 0 only for variety.",
            low=0.0,
            high=1.0,
            tried=tuple(step / 10 for step in range(10, -1, -1)),
        ).offered,
    )
    candidates: int | None = None
    distinct: Distinct = "auto"

    timed: ClassVar = {"MMR, nearest 100": {"candidates": 100}}

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "relevance", as_number("relevance", self.relevance, 0.0, 1.0))
        object.__setattr__(self, "candidates", as_count("candidates", self.candidates, optional=True))
        object.__setattr__(self, "distinct", as_distinct(self.distinct))

    def _decode(self, requests: Requests, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        count, kinds = as_count("k", k), Kinds.of(self.distinct, index, auto=False)
        depth = len(index) if self.candidates is None else max(self.candidates, count)
        selections = []
        for q in range(len(requests)):
            targets = requests.targets(q)
            field = Field.around(index, targets, depth)
            if self.candidates is not None and len(field.ids) > depth:
                field = field.nearest(targets, index, depth)
            selections.append(self._pick(field, field.scores(targets, index), count, kinds))
        return selections

    def _pick(self, field: Field, scores: Floats, k: int, kinds: Kinds | None) -> Selection:
        """Algorithm 1 for one request; ids ascend, so ties go to the lowest."""
        similar = together(scores)
        worth = np.float32(self.relevance) * similar
        picks: list[int] = []
        values, alike = [], []
        open_ = np.ones(len(similar), bool)
        nearest = np.full(len(similar), -np.inf, np.float32)
        while len(picks) < k and open_.any():
            marginal = similar if not picks else worth - np.float32(1.0 - self.relevance) * nearest
            pick = int(np.argmax(np.where(open_, marginal, -np.inf)))
            values.append(marginal[pick] if picks else worth[pick])
            picks.append(pick)
            open_[pick] = False
            if len(picks) == k and not kinds:
                break
            cosines = field.vectors.take(np.array([pick])).scored(field.vectors)[0]
            np.maximum(nearest, cosines, out=nearest)
            gone = kinds.like(cosines, field.vectors.norms, pick) & open_ if kinds else np.zeros(0, bool)
            alike.append(field.ids[np.flatnonzero(gone)].tolist())
            if kinds:
                open_ &= ~gone
        return Selection(
            field.ids[picks], np.array(values, np.float32), alike=alike, serves=serves(scores[:, picks])
        )
