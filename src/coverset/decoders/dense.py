"""Dense retrieval: each document scored on its own, by its inner product with the query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from coverset.arrays import Floats
from coverset.decoders.decoder import Decoder
from coverset.decoders.field import Field, decide
from coverset.decoders.kinds import Distinct, Kinds, as_distinct
from coverset.decoders.requests import Requests, together
from coverset.indexes import Index, ask
from coverset.indexes.ids import present
from coverset.inputs import as_count
from coverset.selection import Selection
from coverset.vectors import Vectors

# How many documents of each target a request with parts is first decided among, for each one that is wanted.
DEPTH = 16


@dataclass(frozen=True)
class Dense(Decoder):
    """Return the k documents with the largest inner product: the baseline every vector database offers.

    Parameters
    ----------
    distinct
        The cosine above which two documents count as one kind, of which one is returned; False, or "auto": all.
    """

    distinct: Distinct = "auto"

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "distinct", as_distinct(self.distinct))

    def _decode(self, requests: Requests, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        count, kinds = as_count("k", k), Kinds.of(self.distinct, index, auto=False)
        if requests.parts is not None or kinds is not None:
            return [
                decide(index, requests.targets(q), count, kinds, partial(self._worth, index=index), DEPTH * count)
                for q in range(len(requests))
            ]
        scores, ids = ask(index, requests.wholes, count)
        found = present(ids).sum(axis=1)
        return [
            Selection(ids=row[:n], weights=score[:n]) for row, score, n in zip(ids, scores, found, strict=True)
        ]

    @staticmethod
    def _worth(field: Field, targets: Vectors, index: Index) -> tuple[Floats, Floats]:
        scores = field.scores(targets, index)
        return together(scores), scores
