"""What a duality gap and a violation prove, compiled: that an answer is optimal, and that a top k is the top k."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Ids, Mask
from coverset.compilation import compiled
from coverset.products import inner

# Relative to the query's (and the documents') length; float32 vectors carry no more than this.
TOLERANCE = 1e-6
TINY, EPS = float(np.finfo(np.float32).tiny), float(np.finfo(np.float64).eps)


@compiled
def certified(queries: Array, gaps: Array, violations: Array, longest: float) -> Mask:
    """Return whether gap and violation are within the tolerance, relative to the lengths involved."""
    within = np.empty(len(queries), np.bool_)
    for q in range(len(queries)):
        square = inner(queries[q], queries[q])
        optimal = gaps[q] <= TOLERANCE * square
        within[q] = optimal and violations[q] <= TOLERANCE * np.sqrt(square) * longest
    return within


@compiled
def residual_error(gap: float, size: float, terms: int) -> float:
    """Return a bound on ||r - r*||: the dual objective is 1-strongly concave, so 1/2||r - r*||^2 <= gap.

    The gap is a difference of sums, of so many `terms`, of products of numbers up to `size`, which is
    ||v|| + ||u|| sum(w): rounding may hide that much of it.
    """
    return float(np.sqrt(2.0 * (gap + terms * EPS * size * size)))


@compiled
def score_errors(queries: Array, weights: Array, gaps: Array, longest: float) -> Array:
    """Return a bound on how far each query's scores can be from those of the exact optimum."""
    errors, terms = np.empty(len(queries)), queries.shape[1] + weights.shape[1]
    for q in range(len(queries)):
        size = np.sqrt(inner(queries[q], queries[q])) + longest * weights[q].sum()
        # An answer without documents has no length, and no end to its error.
        errors[q] = max(longest, TINY) * (residual_error(gaps[q], size, terms) + terms * EPS * size)
    return errors


@compiled
def proved(counts: Ids, last: Array, following: Array, errors: Array, l1: Array, k: int, fill: bool) -> Mask:
    """Return whether the documents returned are, as a set, those of the exact optimum.

    `last` is the lowest score of a query's `counts` documents, `following` the highest of any other, and no score
    is off by more than its error. So a document chosen for being among the best is proved to be if it leads the
    best one left out by two errors, and one chosen for having weight if it clears l1, which the best one left out
    misses, by one error each.
    """
    sure = np.empty(len(counts), np.bool_)
    for q in range(len(counts)):
        error = errors[q]
        if fill or counts[q] == k:
            sure[q] = np.isfinite(error) and last[q] - following[q] > 2.0 * error
        else:
            sure[q] = np.isfinite(error) and last[q] - l1[q] > error and l1[q] - following[q] > error
    return sure
