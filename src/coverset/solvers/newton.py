"""The other small side, for large supports: semi-smooth Newton on the residual r in R^d.

For l2 > 0 the residual of the optimum minimises the strongly convex, once differentiable

    phi(r) = 1/2 ||r - v||^2 + 1/(2 l2) sum_i [u_i.r - l1]_+^2,     and then w_i = [u_i.r - l1]_+ / l2.

A Newton step costs one d x d system however many documents are active, and a few steps suffice.
"""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Floats

BLOCK = 8192


def newton(documents: Floats, query: Array, l1: float, l2: float, start: Array) -> tuple[Array, Array]:
    """Return r* and the scores u_i.r* for the (n, d) documents, from a first guess of r. Needs l2 > 0."""
    residual, scores = start, _scores(documents, start)
    value = _value(residual - query, scores, l1, l2)
    for _ in range(100):
        gradient, hessian = _derivatives(documents, scores, residual - query, l1, l2)
        step = -np.linalg.solve(hessian, gradient).astype(np.float64, copy=False)
        slope, change, length = gradient @ step, _scores(documents, step), 1.0
        while True:
            moved = residual + length * step
            lower = _value(moved - query, scores + length * change, l1, l2)
            if lower <= value + 1e-4 * length * slope or length < 1e-6:
                break
            length /= 2
        if lower >= value:
            break
        residual, value, scores = moved, lower, _scores(documents, moved)
        if length * np.linalg.norm(step) <= 1e-13 * np.linalg.norm(query):
            break
    return residual, scores


def _value(moved: Array, scores: Array, l1: float, l2: float) -> float:
    """phi(r), given r - v and the scores."""
    excess = np.maximum(scores - l1, 0.0)
    return float(0.5 * (moved @ moved) + 0.5 * (excess @ excess) / l2)


def _scores(documents: Floats, residual: Array) -> Array:
    """u_i.r in double precision, a block of documents at a time."""
    out = np.empty(len(documents))
    for start in range(0, len(documents), BLOCK):
        out[start : start + BLOCK] = documents[start : start + BLOCK].astype(np.float64) @ residual
    return out


def _derivatives(documents: Floats, scores: Array, moved: Array, l1: float, l2: float) -> tuple[Array, Array]:
    """Gradient r - v + 1/l2 sum_A (u_i.r - l1) u_i and Hessian I + U_A U_A'/l2, A the documents above l1."""
    active = np.flatnonzero(scores > l1)
    gradient, hessian = moved.copy(), np.eye(len(moved))
    for start in range(0, len(active), BLOCK):
        some = active[start : start + BLOCK]
        wide = documents[some].astype(np.float64)
        gradient += (scores[some] - l1) @ wide / l2
        hessian += wide.T @ wide / l2
    return gradient, hessian
