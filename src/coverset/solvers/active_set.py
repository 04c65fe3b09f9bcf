"""The small problem, compiled: min_{w >= 0}  1/2 w'(G + l2 I)w - c'w  for a Gram matrix G and c = Uv - l1.

An active-set method in the manner of Lawson and Hanson (1974), with blocks: many documents enter at once,
the weights on the active set are solved for directly, and those that come out negative leave at once. Such
a step is kept only if the objective falls; otherwise one classical step is taken, which always makes it
fall. So the method is finite, and the answer is exact up to rounding, also for l2 = 0 and dependent rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.compilation import compiled, vectorised

Array = NDArray[np.float64]

# A pivot below this share of its diagonal means: this row is a combination of the rows before it.
DEPENDENT = 1e-13
# Gradients closer than this, relatively, are equal but for rounding: the lowest document goes first.
TIE = 1e-12
# A block takes in the documents whose gradient is at least this share of the largest.
ENTRY = 0.5
SMALLEST_BLOCK = 16


# Matrices are passed with row numbers, not as rows: a view costs as much as a short inner product.
@vectorised
def _dot(a: Any, i: int, b: Any, j: int, n: int) -> float:
    """a[i, :n] . b[j, :n] in double precision."""
    total = 0.0
    for t in range(n):
        total += np.float64(a[i, t]) * np.float64(b[j, t])
    return total


@vectorised
def dot_vector(a: Any, i: int, vector: Array, n: int) -> float:
    """a[i, :n] . vector[:n]."""
    total = 0.0
    for t in range(n):
        total += np.float64(a[i, t]) * vector[t]
    return total


@vectorised
def rebuild(rows: Any, place: Any, weights: Array, out: Array) -> None:
    """Add Uw to `out`."""
    for i in range(len(weights)):
        if weights[i] != 0.0:
            row, weight = place[i], weights[i]
            for t in range(len(out)):
                out[t] += weight * rows[row, t]


@vectorised
def _gradient(gram: Array, rows: Any, place: Any, linear: Array, l2: float, weights: Array, out: Array) -> None:
    """Set out = c - (G + l2 I)w: what the residual still has to give, document by document."""
    n, d = len(weights), rows.shape[1]
    for j in range(n):
        out[j] = linear[j] - l2 * weights[j]
    if d == 0:
        support = np.flatnonzero(weights)
        whole = len(support) // 4 * 4
        for s in range(0, whole, 4):  # four rows at a time, for a quarter of the traffic
            a, b, c, e = support[s], support[s + 1], support[s + 2], support[s + 3]
            wa, wb, wc, we = weights[a], weights[b], weights[c], weights[e]
            for j in range(n):
                out[j] -= wa * gram[a, j] + wb * gram[b, j] + wc * gram[c, j] + we * gram[e, j]
        for s in range(whole, len(support)):
            a, wa = support[s], weights[support[s]]
            for j in range(n):
                out[j] -= wa * gram[a, j]
    else:
        rebuilt = np.zeros(d)
        rebuild(rows, place, weights, rebuilt)
        for j in range(n):
            out[j] -= dot_vector(rows, place[j], rebuilt, d)


@compiled
def _multiply(gram: Array, rows: Any, place: Any, active: Any, start: int, size: int) -> None:
    """Fill in the inner products that rows start..size of the factor need and that are still NaN."""
    for a in range(start, size):
        for b in range(a + 1):
            i, j = active[a], active[b]
            if np.isnan(gram[i, j]):
                value = _dot(rows, place[i], rows, place[j], rows.shape[1])
                gram[i, j] = value
                gram[j, i] = value


@compiled
def _factor(gram: Array, l2: float, active: Any, start: int, size: int, factor: Array, drop: bool) -> int:
    """Cholesky rows start..size of G + l2 I on the active set; returns the size without dependent rows.

    A dependent row is dropped, or (`drop` false) kept with the smallest pivot, so that the solution runs
    far along the null direction and the walk to it stops at the first weight that reaches zero.
    """
    column = 0
    while column < size:
        i = active[column]
        if column >= start:
            diagonal = gram[i, i] + l2
            pivot = diagonal - _dot(factor, column, factor, column, column)
            if pivot <= DEPENDENT * diagonal:
                if drop:
                    size -= 1
                    _remove(active, factor, column, size)
                    continue
                pivot = DEPENDENT * diagonal
            factor[column, column] = np.sqrt(pivot)
        # Down the column, not along the row: these divisions do not wait for each other.
        for row in range(max(column + 1, start), size):
            inner = gram[active[row], i] - _dot(factor, row, factor, column, column)
            factor[row, column] = inner / factor[column, column]
        column += 1
    return size


@compiled
def _remove(active: Any, factor: Array, column: int, size: int) -> None:
    """Close the gap that a dependent row leaves; `size` rows remain."""
    for row in range(column, size):
        active[row] = active[row + 1]
        for t in range(column):
            factor[row, t] = factor[row + 1, t]


@compiled
def _solve(factor: Array, size: int, active: Any, linear: Array, out: Array) -> None:
    """Solve (G + l2 I) out = c on the active set from its Cholesky factor."""
    for t in range(size):
        out[t] = (linear[active[t]] - dot_vector(factor, t, out, t)) / factor[t, t]
    for t in range(size - 1, -1, -1):
        out[t] /= factor[t, t]
        for s in range(t):
            out[s] -= factor[t, s] * out[t]


@compiled
def _improves(old: Array, new: Array, old_gradient: Array, new_gradient: Array) -> bool:
    """Whether the objective falls: its change is -(new - old)'(both gradients)/2, free of cancellation."""
    change = 0.0
    for j in range(len(old)):
        change += (new[j] - old[j]) * (old_gradient[j] + new_gradient[j])
    return change > 0.0


@compiled
def enter(weights: Array, gradient: Array, threshold: float, most: int, active: Any, size: int) -> int:
    """Append up to `most` documents without weight whose gradient is above the threshold, largest first."""
    first = size
    for i in range(len(gradient)):
        if gradient[i] <= threshold or weights[i] > 0.0:
            continue
        least = gradient[i] * (1.0 - TIE)
        if size - first == most and least <= gradient[active[size - 1]]:
            continue
        spot = size if size - first < most else size - 1
        size = spot + 1
        while spot > first and gradient[active[spot - 1]] < least:
            active[spot] = active[spot - 1]
            spot -= 1
        active[spot] = i
    return size


@compiled
def _jump(
    gram: Array,
    rows: Any,
    place: Any,
    linear: Array,
    l2: float,
    weights: Array,
    gradient: Array,
    active: Any,
    size: int,
    factor: Array,
    target: Array,
    trial: Array,
    trial_gradient: Array,
) -> bool:
    """Try the solution on the active set with what is negative in it cut off; returns whether it improves."""
    _solve(factor, size, active, linear, target)
    trial[:] = 0.0
    for t in range(size):
        trial[active[t]] = max(target[t], 0.0)
    _gradient(gram, rows, place, linear, l2, trial, trial_gradient)
    return _improves(weights, trial, gradient, trial_gradient)


@compiled
def _compact(active: Any, start: int, size: int, weights: Array) -> int:
    """Close the gaps that weights of zero leave in active[start:size]; returns the new size."""
    kept = start
    for t in range(start, size):
        if weights[active[t]] > 0.0:
            active[kept] = active[t]
            kept += 1
    return kept


@compiled
def _walk(
    gram: Array,
    rows: Any,
    place: Any,
    linear: Array,
    l2: float,
    weights: Array,
    active: Any,
    size: int,
    factor: Array,
    target: Array,
) -> int:
    """Walk to the solution on the active set, leaving each weight behind that hits zero: the classical step.

    Returns the size of the active set it ends on.
    """
    start = 0
    while True:
        if rows.shape[1] > 0:
            _multiply(gram, rows, place, active, start, size)
        size = _factor(gram, l2, active, start, size, factor, False)
        _solve(factor, size, active, linear, target)
        step = 1.0
        for t in range(size):
            if target[t] <= 0.0:
                weight = weights[active[t]]
                step = min(step, weight / (weight - target[t])) if weight > 0.0 else 0.0
        start = size
        for t in range(size - 1, -1, -1):
            i = active[t]
            moved = weights[i] + step * (target[t] - weights[i])
            leaves = target[t] <= 0.0 and moved <= 1e-15 * (weights[i] - target[t])
            weights[i] = 0.0 if leaves else moved
            if leaves:
                start = t
        if start == size:
            return size
        size = _compact(active, start, size, weights)


@compiled
def _worst(weights: Array, gradient: Array) -> tuple[float, float]:
    """Largest |gradient| on the support, and largest gradient off it."""
    on, off = 0.0, 0.0
    for i in range(len(weights)):
        if weights[i] > 0.0:
            on = max(on, abs(gradient[i]))
        else:
            off = max(off, gradient[i])
    return on, off


@compiled
def active_set(
    gram: Array,
    rows: Any,
    place: Any,
    linear: Array,
    l2: float,
    tolerance: float,
    largest: int,
    weights: Array,
    gradient: Array,
    active: Any,
    support: int,
    factor: Array,
    factored: int,
) -> tuple[bool, int, Array, int]:
    """Solve in place from the weights given (a warm start) and leave c - (G + l2 I)w in `gradient`.

    `active[:support]` lists the documents with weight, and `factor` holds the Cholesky rows of the first
    `factored` of them; what becomes of the two is returned, so that a larger problem can go on from there.

    Returns (solved, support, factor, factored). Not solved: the support outgrew `largest`, and the weights
    are feasible but not optimal.
    """
    n = len(weights)
    trial, trial_gradient, target = np.empty(n), np.empty(n), np.empty(n)
    entered = np.empty(n, np.int64)
    _gradient(gram, rows, place, linear, l2, weights, gradient)
    for _ in range(200 + 20 * n):
        on, off = _worst(weights, gradient)
        if on <= tolerance and off <= tolerance:
            break
        size = support
        if off > tolerance:
            most = max(SMALLEST_BLOCK, support)
            size = enter(weights, gradient, max(ENTRY * off, tolerance), most, active, support)
        if size > largest:
            return False, support, factor, factored
        if size > len(factor):
            larger = np.empty((2 * size, 2 * size))
            larger[:factored, :factored] = factor[:factored, :factored]
            factor = larger
        entered[:size] = active[:size]
        if rows.shape[1] > 0:
            _multiply(gram, rows, place, active, factored, size)
        size = _factor(gram, l2, active, factored, size, factor, True)
        improved = False
        while not improved and size > support:
            improved = _jump(
                gram,
                rows,
                place,
                linear,
                l2,
                weights,
                gradient,
                active,
                size,
                factor,
                target,
                trial,
                trial_gradient,
            )
            size = size if improved else support + (size - support) // 2
        if improved:
            factored = 0
            while factored < size and target[factored] > 0.0:
                factored += 1
            support = _compact(active, factored, size, trial)
        else:
            active[:support] = entered[:support]
            if off > tolerance:
                active[support] = entered[support]
                support += 1
            trial[:] = weights
            support = _walk(gram, rows, place, linear, l2, trial, active, support, factor, target)
            factored = support
            _gradient(gram, rows, place, linear, l2, trial, trial_gradient)
            if not _improves(weights, trial, gradient, trial_gradient):
                break  # rounding is all that is left to gain
        weights[:] = trial
        gradient[:] = trial_gradient
    return True, support, factor, factored


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
    """Solve every `step`-th query from `first` on over a complete Gram matrix, all results in place.

    `solved` is False where the support outgrew `largest`.
    """
    no_rows, no_place = np.empty((0, 0), np.float32), np.empty(0, np.int64)
    n = len(gram)
    linear, everything, active, factor = np.empty(n), np.arange(n), np.empty(n, np.int64), np.empty((64, 64))
    for q in range(first, len(queries), step):
        w, score, residual = weights[q], scores[q], residuals[q]
        _times(rows, queries[q], linear)
        linear -= l1
        solved[q], _, factor, _ = active_set(
            gram, no_rows, no_place, linear, l2, tolerances[q], largest, w, score, active, 0, factor, 0
        )
        for i in range(len(w)):
            score[i] += l1 + l2 * w[i]
        residual[:] = 0.0
        rebuild(rows, everything, w, residual)
        residual[:] = queries[q] - residual
