"""One query over a pool: some rows of a large array, most of which will stay at weight zero, compiled."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Ids
from coverset.compilation import compiled
from coverset.products import copy, rebuild, score, scores
from coverset.solvers.active_set import SMALLEST_BLOCK, active_set, enter
from coverset.solvers.face import Problem
from coverset.vectors import Rows


@compiled
def solve_pool(
    rows: Rows,
    members: Ids,
    query: Array,
    l1: float,
    l2: float,
    tolerance: float,
    largest: int,
    weights: Array,
    working: Ids,
    gram: Array,
) -> tuple[bool, Array, Array, Ids, Array]:
    """Solve one query over a pool: some rows of a large array. Weights are changed in place.

    A pool is mostly documents that stay at zero, so only a working set is solved over, which takes in more
    of the pool until none is missing from it; only its inner products are ever computed. `working` and
    `gram` are empty at first, and what is returned when the pool has grown since.

    Returns (solved, residual, scores, working, gram); not solved: the support outgrew `largest`.
    """
    n = len(members)
    working, gram, size = _kept(weights, working, gram)
    place, linear, part = np.empty(n, np.int64), np.empty(n), np.zeros(n)
    outside, slope, spread = np.empty(n), np.empty(n), np.zeros((2, rows.width))
    active, support = np.arange(n), size
    factor: Array = np.empty((2 * size + 64, 2 * size + 64))
    factored = ready = min(size, 0)  # 0, which as a literal would be compiled for once more
    while True:
        residual = np.zeros(len(query))
        rebuild(rows, members, weights, residual)
        residual = query - residual
        found = scores(rows, members, residual)
        for i in range(n):
            outside[i] = found[i] - l1
        for t in range(size):
            outside[working[t]] = -np.inf
        before = size
        size = enter(weights, outside, tolerance, max(4 * SMALLEST_BLOCK, size), working, size)
        if size == before and ready == size:
            return True, residual, found, working[:size], gram
        if size > len(gram):
            larger = np.full((size + 64, size + 64), np.nan)
            for t in range(before):
                copy(gram[t], larger[t], before)
            gram = larger
        for t in range(ready, size):
            place[t] = members[working[t]]
            linear[t] = score(rows, place[t], query) - l1
            part[t] = weights[working[t]]
        ready = size
        problem = Problem(gram, rows, place[:size], linear[:size], l2, spread)
        solved, support, factor, factored = active_set(
            problem, tolerance, largest, part[:size], slope[:size], active, support, factor, factored
        )
        for t in range(size):
            weights[working[t]] = part[t]
        if not solved:
            return False, residual, found, working[:size], gram


@compiled
def _kept(weights: Array, working: Ids, gram: Array) -> tuple[Ids, Array, int]:
    """Return what of the working set still has weight, with its inner products, room for more, and its size."""
    kept = np.flatnonzero(weights[working] > 0.0)
    size = len(kept)
    left, products = np.empty(len(weights), np.int64), np.full((size + 128, size + 128), np.nan)
    for a in range(size):
        left[a] = working[kept[a]]
        for b in range(size):
            products[a, b] = gram[kept[a], kept[b]]
    return left, products, size
