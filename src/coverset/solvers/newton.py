"""The other small side, for large supports: semi-smooth Newton on the residual r.

For l2 > 0 the residual of the optimum minimises the strongly convex, once differentiable

    phi(r) = 1/2 ||r - v||^2 + 1/(2 l2) sum_i [u_i.r - l1]_+^2,     and then w_i = [u_i.r - l1]_+ / l2.

A few steps suffice, however many documents are active. Where r is as wide as an embedding, a step solves one
d x d system; where it is as wide as a vocabulary, by conjugate gradients, which need products with rows only.
"""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array
from coverset.vectors import BLOCK, Vectors


def newton(documents: Vectors, query: Array, l1: float, l2: float, start: Array) -> tuple[Array, Array]:
    """Return r* and the scores u_i.r* of the documents, from a first guess of r. Needs l2 > 0."""
    residual, scores = start, documents.times(start)
    value = _value(residual - query, scores, l1, l2)
    solve = _by_conjugate_gradients if documents.width else _directly
    for _ in range(100):
        active = np.flatnonzero(scores > l1)
        some = documents.take(active)
        gradient = residual - query + some.combine(scores[active] - l1) / l2
        step = -solve(some, gradient, l2)
        slope, change, length = gradient @ step, documents.times(step), 1.0
        while True:
            moved = residual + length * step
            lower = _value(moved - query, scores + length * change, l1, l2)
            if lower <= value + 1e-4 * length * slope or length < 1e-6:
                break
            length /= 2
        if lower >= value:
            break
        residual, value, scores = moved, lower, documents.times(moved)
        if length * np.linalg.norm(step) <= 1e-13 * np.linalg.norm(query):
            break
    return residual, scores


def _value(moved: Array, scores: Array, l1: float, l2: float) -> float:
    """phi(r), given r - v and the scores."""
    excess = np.maximum(scores - l1, 0.0)
    return float(0.5 * (moved @ moved) + 0.5 * (excess @ excess) / l2)


def _directly(active: Vectors, gradient: Array, l2: float) -> Array:
    """Solve (I + U_A U_A'/l2) s = g by elimination, for vectors without words."""
    hessian = np.eye(len(gradient))
    for start in range(0, len(active), BLOCK):
        wide = active.meaning[start : start + BLOCK].astype(np.float64)
        hessian += wide.T @ wide * (active.roots[0] ** 2 / l2)
    step: Array = np.linalg.solve(hessian, gradient).astype(np.float64, copy=False)
    return step


def _by_conjugate_gradients(active: Vectors, gradient: Array, l2: float) -> Array:
    """Solve (I + U_A U_A'/l2) s = g without ever forming the matrix."""
    step, rest = np.zeros_like(gradient), gradient.copy()
    along, square = rest.copy(), rest @ rest
    enough = 1e-24 * square
    for _ in range(10 * len(active) + 10):
        if square <= enough:
            break
        image = along + active.combine(active.times(along)) / l2
        length = square / (along @ image)
        step += length * along
        rest -= length * image
        square, before = rest @ rest, square
        along = rest + (square / before) * along
    return step
