"""The small problem solved, compiled, by an active-set method in the manner of Lawson and Hanson (1974).

With blocks: many documents enter at once, the weights on the active set are solved for directly, and those
that come out negative leave at once. Such a jump is kept only if the objective falls; otherwise the block is
halved, and in the end one classical step is taken, which always makes it fall. So the method is finite, and
the answer is exact up to rounding, also for l2 = 0 and dependent documents.
"""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Ids
from coverset.compilation import compiled, vectorised
from coverset.products import copy
from coverset.solvers.face import Problem, factorise, gradient, solve

# Gradients closer than this, relatively, are equal but for rounding: the lowest document goes first.
TIE = 1e-12
# A block takes in the documents whose gradient is at least a share of the largest: this one at first, half of it
# after a jump that none of them had to leave, half as much again after one that some did; within these bounds.
ENTRY, LEAST_ENTRY, MOST_ENTRY = 0.5, 0.05, 0.6
SMALLEST_BLOCK = 16


@compiled
def active_set(
    problem: Problem,
    tolerance: float,
    largest: int,
    weights: Array,
    slope: Array,
    active: Ids,
    support: int,
    factor: Array,
    factored: int,
) -> tuple[bool, int, Array, int]:
    """Solve in place from the weights given (a warm start) and leave c - (G + l2 I)w in `slope`.

    `active[:support]` lists the documents with weight, and `factor` holds the Cholesky rows of the first
    `factored` of them; what becomes of the two is returned, so that a larger problem can go on from there.

    Returns (solved, support, factor, factored). Not solved: the support outgrew `largest`, and the weights
    are feasible but not optimal.
    """
    n = len(weights)
    target, trial, trial_slope = np.empty(n), np.empty(n), np.empty(n)
    entered = np.empty(n, np.int64)
    gradient(problem, weights, active, support, slope)
    share = ENTRY
    for _ in range(200 + 20 * n):
        on, off = _inside(slope, active, support), _outside(weights, slope)
        if on <= tolerance and off <= tolerance:
            break
        size = support
        if off > tolerance:
            most = max(SMALLEST_BLOCK, support)
            size = enter(weights, slope, max(share * off, tolerance), most, active, support)
        if size > largest:
            return False, support, factor, factored
        factor = _room(factor, factored, size)
        count = size
        copy(active, entered, count)
        size = factorise(problem, active, factored, size, factor, size > 0)
        _jump(problem, active, size, factor, target, trial, trial_slope)
        improved = _improves(weights, trial, slope, trial_slope, entered, count)
        while not improved and size > support:
            size = support + (size - support) // 2
            _jump(problem, active, size, factor, target, trial, trial_slope)
            improved = _improves(weights, trial, slope, trial_slope, entered, count)
        if improved:
            factored = 0
            while factored < size and target[factored] > 0.0:
                factored += 1
            support = compact(active, factored, size, trial)
            share = max(LEAST_ENTRY, 0.5 * share) if support == size else min(MOST_ENTRY, 1.5 * share)
        else:
            copy(entered, active, support)
            if off > tolerance:
                active[support] = entered[support]
                support += 1
            copy(weights, trial, n)
            support = factored = _walk(problem, trial, active, support, factor, target)
            gradient(problem, trial, active, support, trial_slope)
            if not _improves(weights, trial, slope, trial_slope, entered, count):
                break  # rounding is all that is left to gain
        copy(trial, weights, n)
        copy(trial_slope, slope, n)
    return True, support, factor, factored


@compiled
def _room(factor: Array, factored: int, size: int) -> Array:
    """Return the factor with room for `size` rows, its first `factored` ones kept."""
    if size <= len(factor):
        return factor
    larger = np.empty((2 * size, 2 * size))
    for t in range(factored):
        copy(factor[t], larger[t], factored)
    return larger


@compiled
def _inside(slope: Array, active: Ids, support: int) -> float:
    """Largest |gradient| on the support."""
    on = 0.0
    for t in range(support):
        on = max(on, abs(slope[active[t]]))
    return on


@vectorised
def _outside(weights: Array, slope: Array) -> float:
    """Largest gradient off the support: four at a time, which do not wait for each other."""
    whole, a, b, c, e = len(slope) // 4 * 4, 0.0, 0.0, 0.0, 0.0
    for i in range(0, whole, 4):
        a = max(a, 0.0 if weights[i] > 0.0 else slope[i])
        b = max(b, 0.0 if weights[i + 1] > 0.0 else slope[i + 1])
        c = max(c, 0.0 if weights[i + 2] > 0.0 else slope[i + 2])
        e = max(e, 0.0 if weights[i + 3] > 0.0 else slope[i + 3])
    for i in range(whole, len(slope)):
        a = max(a, 0.0 if weights[i] > 0.0 else slope[i])
    return max(max(a, b), max(c, e))


@compiled
def enter(weights: Array, slope: Array, threshold: float, most: int, active: Ids, size: int) -> int:
    """Append up to `most` documents without weight whose gradient is above the threshold, largest first."""
    first = size
    for i in range(len(slope)):
        if slope[i] <= threshold or weights[i] > 0.0:
            continue
        least = slope[i] * (1.0 - TIE)
        if size - first == most and least <= slope[active[size - 1]]:
            continue
        spot = size if size - first < most else size - 1
        size = spot + 1
        while spot > first and slope[active[spot - 1]] < least:
            active[spot] = active[spot - 1]
            spot -= 1
        active[spot] = i
    return size


@compiled
def compact(active: Ids, start: int, size: int, weights: Array) -> int:
    """Close the gaps that weights of zero leave in active[start:size]; returns the new size."""
    kept = start
    for t in range(start, size):
        if weights[active[t]] > 0.0:
            active[kept] = active[t]
            kept += 1
    return kept


@compiled
def _jump(
    problem: Problem, active: Ids, size: int, factor: Array, target: Array, trial: Array, trial_slope: Array
) -> None:
    """Try the solution on the active set with what is negative in it cut off."""
    solve(factor, size, active, problem.linear, target)
    trial[:] = 0.0
    for t in range(size):
        trial[active[t]] = max(target[t], 0.0)
    gradient(problem, trial, active, size, trial_slope)


@vectorised
def _improves(old: Array, new: Array, old_slope: Array, new_slope: Array, among: Ids, count: int) -> bool:
    """Whether the objective falls: its change is -(new - old)'(both gradients)/2, free of cancellation.

    No documents but those in among[:count] have weight before or after.
    """
    change = 0.0
    for t in range(count):
        j = among[t]
        change += (new[j] - old[j]) * (old_slope[j] + new_slope[j])
    return change > 0.0


@compiled
def _walk(problem: Problem, weights: Array, active: Ids, size: int, factor: Array, target: Array) -> int:
    """Walk to the solution on the active set, leaving each weight behind that hits zero: the classical step.

    Returns the size of the active set it ends on.
    """
    start, drop = min(size, 0), size < 0  # 0 and False, which as literals would be compiled for once more
    while True:
        size = factorise(problem, active, start, size, factor, drop)
        solve(factor, size, active, problem.linear, target)
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
        size = compact(active, start, size, weights)
