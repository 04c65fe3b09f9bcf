"""Many queries over one small corpus, whose Gram matrix is complete, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from coverset.compilation import compiled, vectorised
from coverset.solvers.active_set import active_set
from coverset.solvers.face import Array, Problem, dot_vector, rebuild


@compiled
def solve_batch(
    gram: Array,
    rows: Any,
    queries: Array,
    l1: float,
    l2: float,
    tolerances: Array,
    largest: int,
    weights: Array,
    scores: Array,
    residuals: Array,
    solved: Any,
    first: int,
    step: int,
) -> None:
    """Solve every `step`-th query from `first` on, all results in place.

    `solved` is False where the support outgrew `largest`.
    """
    n = len(gram)
    no_rows, no_place = np.empty((0, 0), np.float32), np.empty(0, np.int64)
    linear, everything, active = np.empty(n), np.arange(n), np.empty(n, np.int64)
    factor: Array = np.empty((64, 64))
    for q in range(first, len(queries), step):
        w, score, residual = weights[q], scores[q], residuals[q]
        _times(rows, queries[q], linear)
        linear -= l1
        problem = Problem(gram, no_rows, no_place, linear, l2)
        solved[q], _, factor, _ = active_set(problem, tolerances[q], largest, w, score, active, 0, factor, 0)
        for i in range(n):
            score[i] += l1 + l2 * w[i]
        residual[:] = 0.0
        rebuild(rows, everything, w, residual)
        residual[:] = queries[q] - residual


@vectorised
def _times(rows: Any, vector: Array, out: Array) -> None:
    """Set out = rows @ vector, four rows at a time.

    Not by BLAS, whose threads would go on spinning on the cores that the queries are solved on.
    """
    n, d = rows.shape
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, e = 0.0, 0.0, 0.0, 0.0
        for t in range(d):
            x = vector[t]
            a += np.float64(rows[i, t]) * x
            b += np.float64(rows[i + 1, t]) * x
            c += np.float64(rows[i + 2, t]) * x
            e += np.float64(rows[i + 3, t]) * x
        out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, e
    for i in range(whole, n):
        out[i] = dot_vector(rows, i, vector, d)
