"""Many queries over one small corpus, whose Gram matrix is complete, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from coverset.arrays import Array
from coverset.compilation import compiled, vectorised
from coverset.solvers.active_set import active_set
from coverset.solvers.face import Problem, dot_vector, rebuild
from coverset.solvers.measure import measure


@compiled
def solve_batch(
    gram: Array,
    rows: Any,
    queries: Array,
    l1s: Array,
    l2s: Array,
    tolerances: Array,
    largest: Any,
    weights: Array,
    scores: Array,
    residuals: Array,
    gaps: Array,
    violations: Array,
    solved: Any,
    first: int,
    step: int,
) -> None:
    """Solve every `step`-th query from `first` on, all results in place.

    `solved` is False where the support outgrew `largest`.
    """
    n = len(gram)
    no_rows, no_place = np.empty((0, 0), np.float32), np.empty(0, np.int64)
    everything, active = np.arange(n), np.empty(n, np.int64)
    factor: Array = np.empty((64, 64))
    linears = np.empty((len(queries), n))
    _times(rows, queries, first, step, linears)
    for q in range(first, len(queries), step):
        w, score, residual, linear = weights[q], scores[q], residuals[q], linears[q]
        l1, l2 = l1s[q], l2s[q]
        linear -= l1
        problem = Problem(gram, no_rows, no_place, linear, l2)
        solved[q], _, factor, _ = active_set(problem, tolerances[q], largest[q], w, score, active, 0, factor, 0)
        for i in range(n):
            score[i] += l1 + l2 * w[i]
        residual[:] = 0.0
        rebuild(rows, everything, w, residual)
        residual[:] = queries[q] - residual
        gaps[q], violations[q] = measure(queries[q], residual, score, w, l1, l2)


@vectorised
def _times(rows: Any, queries: Array, first: int, step: int, out: Array) -> None:
    """Set out[q] = rows @ queries[q] for every `step`-th query, two rows by four queries at a time.

    Not by BLAS, whose threads would go on spinning on the cores that the queries are solved on.
    """
    n, d = rows.shape
    fours = first + (len(queries) - first + step - 1) // step // 4 * 4 * step
    for i in range(0, n - 1, 2):
        for q in range(first, fours, 4 * step):
            a, b, c, e = q, q + step, q + 2 * step, q + 3 * step
            ia, ib, ic, ie, ja, jb, jc, je = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for t in range(d):
                x, y = np.float64(rows[i, t]), np.float64(rows[i + 1, t])
                ia += x * queries[a, t]
                ib += x * queries[b, t]
                ic += x * queries[c, t]
                ie += x * queries[e, t]
                ja += y * queries[a, t]
                jb += y * queries[b, t]
                jc += y * queries[c, t]
                je += y * queries[e, t]
            out[a, i], out[b, i], out[c, i], out[e, i] = ia, ib, ic, ie
            out[a, i + 1], out[b, i + 1], out[c, i + 1], out[e, i + 1] = ja, jb, jc, je
    for q in range(first, len(queries), step):
        for i in range(0 if q >= fours else n // 2 * 2, n):
            out[q, i] = dot_vector(rows, i, queries[q], d)
