"""Over a few documents the optimum is solved for at once, for many queries: from their Gram matrix, or by rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coverset.arrays import Array, Floats, Ids, Keys, Mask
from coverset.compilation import compiled
from coverset.solvers.batch import Batch, Outcome, solve_batch
from coverset.solvers.measure import measure
from coverset.solvers.newton import ENOUGH, newton
from coverset.solvers.parallel import each, workers
from coverset.solvers.sides import LARGE, largest, tolerance
from coverset.solvers.solution import Solution
from coverset.solvers.working_set import solve_pool
from coverset.vectors import Rows, Vectors

# Queries that a core takes at a time: as many as their inner products are computed for together.
AT_ONCE = 4


def solve_gram(
    ids: Keys, vectors: Vectors, gram: Array, targets: Array, l1: Array, l2: Array, barred: Mask | None = None
) -> Solution:
    """Solve over a few documents, a whole small corpus say, from their Gram matrix; strengths (B,) per query.

    The vectors are needed for the queries' own inner products, and where a support is large. `barred` (B, n)
    says which documents a query must do without.
    """
    count, n = len(targets), len(gram)
    room = np.empty((count, n)), np.empty_like(targets), np.empty(count), np.empty(count)
    out = Outcome(np.zeros((count, n)), *room)
    without = np.empty((count, 0), bool) if barred is None else barred
    batch = Batch(targets, l1, l2, vectors.longest, vectors.shortest, without)
    step = max(workers(count), count // AT_ONCE)
    each(lambda first: solve_batch(gram, vectors.rows, batch, out, first, step), range(step))
    return Solution(ids, targets, *out, vectors.longest, l1, l2, passes=1)


def solve_among(
    ids: Keys, vectors: Vectors, members: Sequence[Ids], targets: Array, l1: Array, l2: Array
) -> list[Solution]:
    """Solve each query over some documents of its own, out of those that were fetched for all of them."""
    rows, norms, solutions = vectors.rows, vectors.norms, dict[int, Solution]()

    def solve(q: int) -> None:
        weights, residual, scores, gap, violation, longest = optimum(
            rows, norms, members[q], targets[q], float(l1[q]), float(l2[q])
        )
        one = slice(q, q + 1)
        solutions[q] = Solution(
            ids[members[q]],
            targets[one],
            weights[None],
            scores[None],
            residual[None],
            np.array([gap]),
            np.array([violation]),
            longest,
            l1[one],
            l2[one],
            passes=1,
        )

    each(solve, range(len(targets)))
    return [solutions[q] for q in range(len(targets))]


@compiled
def optimum(
    rows: Rows, norms: Floats, members: Ids, query: Array, l1: float, l2: float
) -> tuple[Array, Array, Array, float, float, float]:
    """Solve one query over some rows; return (weights, residual, scores, gap, violation, longest length)."""
    longest, shortest = 0.0, np.inf
    for i in members:
        longest = max(longest, np.float64(norms[i]))
        if norms[i] > 0:
            shortest = min(shortest, np.float64(norms[i]))
    weights, nothing, no_gram = np.zeros(len(members)), np.empty(0, np.int64), np.empty((0, 0))
    exactly, most = tolerance(query, longest, min(shortest, longest)), largest(l2, longest, LARGE)
    solved, residual, found, _, _ = solve_pool(
        rows, members, query, l1, l2, exactly, most, weights, nothing, no_gram
    )
    if not solved:
        weights, residual, found = newton(rows, members, query, l1, l2, query, ENOUGH)
    gap, violation = measure(query, residual, found, weights, l1, l2)
    for n in range(len(members)):
        if norms[members[n]] == 0:
            found[n] = -np.inf
    return weights, residual, found, gap, violation, longest
