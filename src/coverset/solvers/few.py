"""Over a few documents the optimum is solved for at once, for many queries: from their Gram matrix, or by rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coverset.arrays import Array, Floats, Ids, Keys, Mask
from coverset.compilation import compiled
from coverset.solvers.batch import Batch, Outcome, solve_batch
from coverset.solvers.measure import measure
from coverset.solvers.newton import ENOUGH, newton
from coverset.solvers.parallel import each, gathered, workers
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
    out = Outcome(np.zeros((count, n)), np.empty((count, n)), np.empty(count), np.empty(count))
    without = np.empty((count, 0), bool) if barred is None else barred
    batch = Batch(targets, l1, l2, vectors.longest, vectors.shortest, without)
    step = max(workers(count), count // AT_ONCE)
    each(lambda first: solve_batch(gram, vectors.rows, batch, out, first, step), range(step))
    return Solution(ids, targets, *out, vectors.longest, l1, l2, passes=1)


def solve_among(
    ids: Keys, vectors: Vectors, members: Sequence[Ids], targets: Vectors, l1: Array, l2: Array
) -> list[Solution]:
    """Solve each query over some documents of its own, out of those that were fetched for all of them."""

    def solve(q: int) -> Solution:
        rows, some = vectors, members[q]
        if vectors.width:
            rows, some = vectors.take(some), np.arange(len(some))
        rows, target = rows.narrowed(targets.one(q))
        return _solve(ids[members[q]], rows, some, target, float(l1[q]), float(l2[q]))

    return gathered(solve, len(targets))


def solve_together(
    ids: Keys, vectors: Vectors, places: Ids, targets: Vectors, l1: Array, l2: Array
) -> list[Solution]:
    """Solve each query over the same documents, in some places of those that were fetched."""
    rows, asked = vectors.narrowed(targets)

    def solve(q: int) -> Solution:
        target = asked.one(q)
        return _solve(ids[places], rows, places, target, float(l1[q]), float(l2[q]))

    return gathered(solve, len(targets))


def _solve(ids: Keys, vectors: Vectors, members: Ids, target: Vectors, l1: float, l2: float) -> Solution:
    """Solve a single query over some rows, whose ids are given."""
    query = target.flat()
    weights, scores, gap, violation, longest = optimum(vectors.rows, vectors.norms, members, query[0], l1, l2)
    told, strengths = (np.array([gap]), np.array([violation])), (np.array([l1]), np.array([l2]))
    return Solution(ids, query, weights[None], scores[None], *told, longest, *strengths, passes=1)


@compiled
def optimum(
    rows: Rows, norms: Floats, members: Ids, query: Array, l1: float, l2: float
) -> tuple[Array, Array, float, float, float]:
    """Solve one query over some rows; return (weights, scores, gap, violation, longest length)."""
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
    return weights, found, gap, violation, longest
