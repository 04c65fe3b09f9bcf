"""What a solver hands back: weights and scores over some documents, for a batch of queries."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from coverset.arrays import Array, Keys
from coverset.vectors import Vectors


@dataclass(slots=True)
class Solution:
    """Weights w and scores u.r, r = v - Uw, of B queries over n documents, ids ascending.

    The documents are all those with weight and all that could be among the best the caller asked for;
    a document that can never be chosen has score -infinity.

    Attributes
    ----------
    ids
        (n,) the documents.
    queries
        (B, d) v.
    weights
        (B, n) w.
    scores
        (B, n) u.r.
    gaps
        (B,) duality gap, over these documents.
    violations
        (B,) largest violation of the optimality conditions, over these documents.
    longest
        Length of the longest document.
    l1, l2
        (B,) the strengths it was solved with.
    passes
        Searches of the whole corpus that it took.
    settled
        Whether these documents are known to be all that matter: the last search was exact and found no more.
    """

    ids: Keys
    queries: Array
    weights: Array
    scores: Array
    gaps: Array
    violations: Array
    longest: float
    l1: Array
    l2: Array
    passes: int
    settled: bool = True

    @classmethod
    def empty(cls, ids: Keys, queries: Array, l1: Array, l2: Array) -> Solution:
        """Return the solution over no documents."""
        nothing = np.empty((len(queries), 0))
        half = 0.5 * np.einsum("qd,qd->q", queries, queries)
        return cls(ids, queries, nothing, nothing, 0.0 * half, 0.0 * half, 0.0, l1, l2, passes=1)

    def each(self) -> list[Solution]:
        """Return a solution for each query."""
        return [self._take(slice(q, q + 1)) for q in range(len(self.queries))]

    def _take(self, which: slice) -> Solution:
        return replace(
            self,
            queries=self.queries[which],
            weights=self.weights[which],
            scores=self.scores[which],
            gaps=self.gaps[which],
            violations=self.violations[which],
            l1=self.l1[which],
            l2=self.l2[which],
        )

    def over(self, ids: Keys, vectors: Vectors, target: Vectors) -> Solution:
        """Return the same, for one query, over more documents, of which the others have no weight."""
        weights = np.zeros(len(ids))
        place = {identifier: n for n, identifier in enumerate(ids.tolist())}
        weights[[place[identifier] for identifier in self.ids.tolist()]] = self.weights[0]
        rows, asked = vectors.narrowed(target)
        scores = rows.times(asked.flat()[0] - rows.combine(weights))
        return replace(self, ids=ids, weights=weights[None], scores=scores[None])
