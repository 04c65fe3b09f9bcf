"""Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): words and meaning each ranked, fused by rank."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from coverset.arrays import Floats
from coverset.decoders.decoder import Decoder
from coverset.decoders.field import Field, decide
from coverset.decoders.kinds import Distinct, Kinds, as_distinct
from coverset.decoders.parameter import Parameter
from coverset.decoders.requests import Requests, together
from coverset.indexes import Index
from coverset.inputs import as_count
from coverset.ranking import ranked
from coverset.selection import Selection
from coverset.vectors import Vectors


@dataclass(frozen=True)
class RRF(Decoder):
    """Fuse two rankings, by words and by meaning, as hybrid searches commonly do.

        s_i = sum over both halves of 1 / (constant + rank of i)

    A document beyond the depth of a ranking, or that no word of the query is in, gets nothing from it.

    Parameters
    ----------
    constant
        How little the first places count over those after them.
    depth
        How deep each ranking goes.
    distinct
        The cosine above which two documents count as one kind, of which one is returned; False, or "auto": all.
    """

    constant: int = field(
        default=60,
        metadata=Parameter("how little the first places count over later ones.", low=1, kind=int).offered,
    )
    depth: int = 1000
    distinct: Distinct = "auto"

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "constant", as_count("constant", self.constant))
        object.__setattr__(self, "depth", as_count("depth", self.depth))
        object.__setattr__(self, "distinct", as_distinct(self.distinct))

    def _decode(self, requests: Requests, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        count, kinds = as_count("k", k), Kinds.of(self.distinct, index, auto=False)
        deep = max(self.depth, count)
        return [decide(index, requests.targets(q), count, kinds, self._worth, deep) for q in range(len(requests))]

    def _worth(self, field: Field, targets: Vectors) -> tuple[Floats, Floats]:
        fused = np.zeros(len(field.ids), np.float32)
        scores = field.shared(targets, 0.0)
        for half in (scores, field.shared(targets, 1.0)) if targets.width else (scores,):
            values = together(half)
            order = ranked(values[None], min(self.depth, len(values)))[0]
            order = order[values[order] > 0] if half is not scores else order
            fused[order] += 1.0 / (self.constant + 1 + np.arange(len(order), dtype=np.float32))
        return fused, scores
