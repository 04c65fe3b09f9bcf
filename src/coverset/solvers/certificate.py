"""What a duality gap and a violation prove: that an answer is optimal, and that a top k is the top k."""

from __future__ import annotations

from typing import Any

import numpy as np

# Relative to the query's (and the documents') length; float32 vectors carry no more than this.
TOLERANCE = 1e-6


def certified(gap: Any, violation: Any, query_norm: Any, document_norm: float) -> Any:
    """Return whether gap and violation are within the tolerance, relative to the lengths involved."""
    unit = np.maximum(query_norm, np.finfo(np.float32).tiny)
    return (gap <= TOLERANCE * unit**2) & (violation <= TOLERANCE * unit * max(document_norm, 1.0))


def residual_error(gap: Any) -> Any:
    """Return a bound on ||r - r*||: the dual objective is 1-strongly concave, so 1/2||r - r*||^2 <= gap.

    The gap is a difference of numbers near 1, so it is known to some 1e-15 and no better.
    """
    return np.sqrt(2.0 * (gap + 1e-15))
