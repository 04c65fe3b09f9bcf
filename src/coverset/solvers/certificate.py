"""What a duality gap and a violation prove, compiled: that an answer is optimal, and that a top k is the top k."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Floats, Ids, Mask
from coverset.compilation import compiled
from coverset.products import inner, total
from coverset.solvers.best import best

# Relative to the query's (and the documents') length; float32 vectors carry no more than this.
TOLERANCE = 1e-6
TINY, EPS = float(np.finfo(np.float32).tiny), float(np.finfo(np.float64).eps)


@compiled
def residual_error(gap: float, size: float, terms: int) -> float:
    """Return a bound on ||r - r*||: the dual objective is 1-strongly concave, so 1/2||r - r*||^2 <= gap.

    The gap is a difference of sums, of so many `terms`, of products of numbers up to `size`, which is
    ||v|| + ||u|| sum(w): rounding may hide that much of it.
    """
    return float(np.sqrt(2.0 * (gap + terms * EPS * size * size)))


@compiled
def score_error(query: Array, weights: Array, gap: float, longest: float) -> float:
    """Return a bound on how far a query's scores can be from those of the exact optimum."""
    terms, size = len(query) + len(weights), np.sqrt(inner(query, query)) + longest * total(weights)
    # An answer without documents has no length, and no end to its error.
    return float(max(longest, TINY) * (residual_error(gap, size, terms) + terms * EPS * size))


@compiled
def picked(
    queries: Array,
    weights: Array,
    scores: Array,
    gaps: Array,
    violations: Array,
    longest: float,
    l1: Array,
    l2: Array,
    k: int,
    fill: bool,
) -> tuple[Ids, Floats, Ids, Mask, Mask]:
    """Return (columns, their weights, counts, certified, proved): each query's best, as `best` has them.

    Certified: gap and violation are within the tolerance, relative to the lengths involved.

    Proved: the documents returned are, as a set, those of the exact optimum. Where no score is off by more
    than the error, a document chosen for being among the best is one of them if it leads the best one left out by
    two errors, and one chosen for having weight if it clears l1, which that one misses, by one error each.
    """
    columns, chosen, counts, last, following = best(weights, scores, l2, k, fill)
    certified, proved = np.empty(len(queries), np.bool_), np.empty(len(queries), np.bool_)
    for q in range(len(queries)):
        square = inner(queries[q], queries[q])
        optimal = gaps[q] <= TOLERANCE * square
        certified[q] = optimal and violations[q] <= TOLERANCE * np.sqrt(square) * longest
        error = score_error(queries[q], weights[q], gaps[q], longest)
        if fill or counts[q] == k:
            proved[q] = np.isfinite(error) and last[q] - following[q] > 2.0 * error
        else:
            proved[q] = np.isfinite(error) and last[q] - l1[q] > error and l1[q] - following[q] > error
    return columns, chosen, counts, certified, proved
