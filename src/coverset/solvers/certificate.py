"""What a duality gap and a violation prove: that an answer is optimal, and that a top k is the top k."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Mask

# Relative to the query's (and the documents') length; float32 vectors carry no more than this.
TOLERANCE = 1e-6


def certified(gap: Array, violation: Array, query_norm: Array, document_norm: float) -> Mask:
    """Return whether gap and violation are within the tolerance, relative to the lengths involved."""
    within: Mask = (gap <= TOLERANCE * query_norm**2) & (violation <= TOLERANCE * query_norm * document_norm)
    return within


def residual_error(gap: Array, size: Array, terms: int) -> Array:
    """Return a bound on ||r - r*||: the dual objective is 1-strongly concave, so 1/2||r - r*||^2 <= gap.

    The gap is a difference of sums, of so many `terms`, of products of numbers up to `size`, which is
    ||v|| + ||u|| sum(w): rounding may hide that much of it.
    """
    bound: Array = np.sqrt(2.0 * (gap + terms * np.finfo(np.float64).eps * np.square(size)))
    return bound
