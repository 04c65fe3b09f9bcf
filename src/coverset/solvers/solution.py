"""What a solver hands back: weights and scores over some documents, for a batch of queries."""

from __future__ import annotations

from dataclasses import dataclass

from coverset.arrays import Array, Keys


@dataclass(slots=True)
class Solution:
    """Weights w, residuals r = v - Uw and scores u.r of B queries over n documents, ids ascending.

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
    residuals
        (B, d) r.
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
    residuals: Array
    gaps: Array
    violations: Array
    longest: float
    l1: Array
    l2: Array
    passes: int
    settled: bool = True
