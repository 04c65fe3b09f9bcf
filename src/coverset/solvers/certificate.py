"""How good an answer is, whoever computed it: duality gap, optimality conditions, and the proof of a top k.

With r = v - Uw, the primal and dual objectives of  min_{w >= 0} 1/2||Uw - v||^2 + l1 sum(w) + l2/2||w||^2  are

    P(w) = 1/2||r||^2 + l1 sum(w) + l2/2 ||w||^2
    D(r) = v.r - 1/2||r||^2 - 1/(2 l2) sum_i [u_i.r - l1]_+^2          for l2 > 0, any r
    D(s r) = s v.r - s^2/2 ||r||^2,   s = min(1, l1 / max_i u_i.r)     for l2 = 0, which needs u_i.(s r) <= l1

and P(w) - D bounds how far w is from the minimum. All functions take one query or a batch: the last axis
runs over documents (or, for vectors, over coordinates).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Relative to the query's (and the documents') length; float32 vectors carry no more than this.
TOLERANCE = 1e-6


def objective(residual: Array, weights: Array, l1: float, l2: float) -> Any:
    """Return P(w), given r = v - Uw."""
    return (
        0.5 * np.einsum("...i,...i->...", residual, residual)
        + l1 * weights.sum(axis=-1)
        + 0.5 * l2 * np.einsum("...i,...i->...", weights, weights)
    )


def duality_gap(query: Array, residual: Array, scores: Array, weights: Array, l1: float, l2: float) -> Any:
    """Return P(w) - D >= 0, from the scores u_i.r of every document with u_i.r > l1 or w_i > 0.

    Documents that satisfy neither add nothing to either objective, so they may be left out.
    """
    along = np.einsum("...i,...i->...", query, residual)
    square = np.einsum("...i,...i->...", residual, residual)
    if l2 > 0:
        excess = np.maximum(scores - l1, 0.0)
        dual = along - 0.5 * square - np.einsum("...i,...i->...", excess, excess) / (2.0 * l2)
    else:
        scale = l1 / np.maximum(scores.max(axis=-1, initial=l1), l1)
        dual = scale * along - 0.5 * scale**2 * square
    return np.maximum(objective(residual, weights, l1, l2) - dual, 0.0)


def violation(scores: Array, weights: Array, l1: float, l2: float) -> Any:
    """Return the largest violation of the conditions (A), (B) of the paper's Section 2.2.

    (A) w_i > 0 implies u_i.r = l1 + l2 w_i;   (B) w_i = 0 implies u_i.r <= l1.
    """
    slack = scores - l1 - l2 * weights
    return np.where(weights > 0, np.abs(slack), slack).max(axis=-1, initial=0.0)


def certified(gap: Any, violation: Any, query_norm: Any, document_norm: float) -> Any:
    """Return whether gap and violation are within the tolerance, relative to the lengths involved."""
    unit = np.maximum(query_norm, np.finfo(np.float32).tiny)
    return (gap <= TOLERANCE * unit**2) & (violation <= TOLERANCE * unit * max(document_norm, 1.0))


def residual_error(gap: Any) -> Any:
    """Return a bound on ||r - r*||: the dual objective is 1-strongly concave, so 1/2||r - r*||^2 <= gap.

    The gap is a difference of numbers near 1, so it is known to some 1e-15 and no better.
    """
    return np.sqrt(2.0 * (gap + 1e-15))
