"""The other small side, for large supports: semi-smooth Newton on the residual r, compiled.

For l2 > 0 the residual of the optimum minimises the strongly convex, once differentiable

    phi(r) = 1/2 ||r - v||^2 + 1/(2 l2) sum_i [u_i.r - l1]_+^2,     and then w_i = [u_i.r - l1]_+ / l2.

A few steps suffice, however many documents are active. A step solves (I + U_A'U_A / l2) s = -grad phi, for the
active rows U_A, by conjugate gradients: products with rows are all it takes, so it is as good for words as for
meaning, and where rows are alike, a dozen products solve it.
"""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Ids
from coverset.compilation import compiled
from coverset.products import add_curvature, inner, rebuild, scores
from coverset.vectors import Rows

# Newton's steps at most, and the gradient, relative to the query, at which no more are made.
STEPS, ENOUGH = 100, 1e-10
# A step is solved for to this share of its gradient: roughly at first, nearer to the optimum as exactly as single
# precision can. The gradient itself is exact, and so is what the steps converge to.
ROUGHLY, CLOSELY = 0.1, 1e-5


@compiled
def newton(
    rows: Rows, members: Ids, query: Array, l1: float, l2: float, start: Array, enough: float
) -> tuple[Array, Array, Array]:
    """Return (weights, residual, scores) of the optimum over some rows, from a first guess of r. Needs l2 > 0.

    No more steps are made once the gradient is below `enough`, relative to the query. The residual is v - Uw of
    these very weights, so that what is measured on them is true of them.
    """
    residual, length = start.copy(), np.sqrt(inner(query, query))
    found = scores(rows, members, residual)
    value, before, flat = _value(residual - query, found, l1, l2), np.inf, False
    for _ in range(STEPS):
        active = np.flatnonzero(found > l1)
        some = members[active]
        gradient = residual - query
        rebuild(rows, some, (found[active] - l1) / l2, gradient)
        size = np.sqrt(inner(gradient, gradient))
        if size <= enough * length or (flat and size > 0.5 * before):
            break
        before = size
        step = _direction(rows, some, gradient, l2, max(min(ROUGHLY, size / length), CLOSELY))
        slope, change, share = inner(gradient, step), scores(rows, members, step), 1.0
        while True:
            lower = _value(residual + share * step - query, found + share * change, l1, l2)
            # At the end the value no longer tells: what it can change by is lost in rounding.
            flat = abs(lower - value) <= 1e-14 * value
            if flat or lower <= value + 1e-4 * share * slope or share < 1e-6:
                break
            share /= 2
        residual = residual + share * step
        value, found = lower, found + share * change
    weights = np.maximum(found - l1, 0.0) / l2
    rebuilt = np.zeros(len(query))
    rebuild(rows, members, weights, rebuilt)
    residual = query - rebuilt
    return weights, residual, scores(rows, members, residual)


@compiled
def _value(moved: Array, found: Array, l1: float, l2: float) -> float:
    """phi(r), given r - v and the scores."""
    over = 0.0
    for i in range(len(found)):
        excess = found[i] - l1
        if excess > 0.0:
            over += excess * excess
    return 0.5 * inner(moved, moved) + 0.5 * over / l2


@compiled
def _direction(rows: Rows, active: Ids, gradient: Array, l2: float, exactness: float) -> Array:
    """Solve (I + U_A'U_A / l2) s = -g by conjugate gradients, in single precision, down to a share of ||g||."""
    size = np.sqrt(inner(gradient, gradient))
    rest = (gradient / -size).astype(np.float32)
    step, along, square = np.zeros_like(rest), rest.copy(), inner(rest, rest)
    enough = exactness * exactness * square
    for _ in range(10 * len(active) + 10):
        if square <= enough:
            break
        image = along.copy()
        add_curvature(rows, active, along, np.float32(1.0 / l2), image)
        share = np.float32(square / inner(along, image))
        step += share * along
        rest -= share * image
        following = inner(rest, rest)
        along = rest + np.float32(following / square) * along
        square = following
    direction: Array = step.astype(np.float64) * size
    return direction
