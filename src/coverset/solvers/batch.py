"""Many queries over one small corpus, whose Gram matrix is complete, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coverset.arrays import Array, Mask
from coverset.compilation import compiled
from coverset.products import rebuild, times
from coverset.solvers.active_set import active_set
from coverset.solvers.face import Problem
from coverset.solvers.measure import measure
from coverset.solvers.newton import ENOUGH, newton
from coverset.solvers.sides import LARGE, largest, tolerance
from coverset.vectors import Rows

# In place of the score of a document that must not be chosen: it never enters, and 0 times it is 0.
BARRED = -1e300


class Batch(NamedTuple):
    """The queries (B, d), and for each its strengths; the lengths of the longest and the shortest document.

    `barred` (B, n) says which documents a query must do without; (B, 0): none.
    """

    queries: Array
    l1: Array
    l2: Array
    longest: float
    shortest: float
    barred: Mask


class Outcome(NamedTuple):
    """Room for the results, as `Solution` has them."""

    weights: Array
    scores: Array
    gaps: Array
    violations: Array


@compiled
def solve_batch(gram: Array, rows: Rows, batch: Batch, out: Outcome, first: int, step: int) -> None:
    """Solve every `step`-th query from `first` on, all results in place."""
    n = len(gram)
    no_place, active, linear = np.empty(0, np.int64), np.empty(n, np.int64), np.empty(n)
    factor: Array = np.empty((64, 64))
    no_words: Array = np.empty((2, 0))
    residual = np.empty(batch.queries.shape[1])
    nothing = len(no_place)  # and not 0: numba compiles what it is handed to once more for each literal
    times(rows, batch.queries, first, step, out.scores)
    for q in range(first, len(batch.queries), step):
        query, l1, l2 = batch.queries[q], batch.l1[q], batch.l2[q]
        w, score = out.weights[q], out.scores[q]
        for i in range(n):
            linear[i] = score[i] - l1
        for i in range(batch.barred.shape[1]):
            if batch.barred[q, i]:
                linear[i] = BARRED
        problem = Problem(gram, rows, no_place, linear, l2, no_words)
        exactly = tolerance(query, batch.longest, batch.shortest)
        # With the inner products at hand, the support's own side is worth its while for longer.
        most = largest(l2, batch.longest, 2 * LARGE)
        solved, support, factor, _ = active_set(problem, exactly, most, w, score, active, nothing, factor, nothing)
        for i in range(n):
            score[i] = score[i] + l1 + l2 * w[i] if score[i] > 0.1 * BARRED else -np.inf
        residual[:] = 0.0
        rebuild(rows, active[:support], w[active[:support]], residual)
        for t in range(len(residual)):
            residual[t] = query[t] - residual[t]
        if not solved:
            allowed = np.flatnonzero(np.isfinite(score))
            w[allowed], residual, score[allowed] = newton(rows, allowed, query, l1, l2, residual, ENOUGH)
        out.gaps[q], out.violations[q] = measure(query, residual, score, w, l1, l2)
