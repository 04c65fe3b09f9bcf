"""Over a few documents the optimum is solved for at once, for many queries: from their Gram matrix, or by rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coverset.arrays import Array, Ids, Keys, Mask
from coverset.solvers.batch import Batch, Outcome, solve_batch
from coverset.solvers.measure import measure
from coverset.solvers.newton import ENOUGH, newton
from coverset.solvers.parallel import cores, each
from coverset.solvers.solution import Solution
from coverset.solvers.working_set import solve_pool
from coverset.vectors import Vectors

# A support beyond LARGE is solved for on the residual's side, unless the problem is stiff: its curvatures, of
# which l2 is the smallest and no more than n ||u||^2 the largest, are too far apart; then one beyond LARGEST
# (l2 = 0 has no such side, and needs at most d).
LARGE, LARGEST, STIFF = 128, 1024, 1000.0


def solve_gram(
    ids: Keys, vectors: Vectors, gram: Array, targets: Array, l1: Array, l2: Array, barred: Mask | None = None
) -> Solution:
    """Solve over a few documents, a whole small corpus say, from their Gram matrix; strengths (B,) per query.

    The vectors are needed for the queries' own inner products, and where a support is large. `barred` (B, n)
    says which documents a query must do without.
    """
    count, n = len(targets), len(gram)
    out = Outcome(
        weights=np.zeros((count, n)),
        scores=np.empty((count, n)),
        residuals=np.empty_like(targets),
        gaps=np.empty(count),
        violations=np.empty(count),
        solved=np.empty(count, bool),
    )
    lengths = np.sqrt(gram.diagonal())
    longest = float(lengths.max())
    tolerances = tolerance(targets, longest, float(lengths[lengths > 0].min(initial=longest)))
    none = np.empty((count, 0), bool)
    # With the inner products at hand, the support's own side is worth its while for longer.
    most = largest(l2, longest, 2 * LARGE)
    batch = Batch(targets, l1, l2, tolerances, most, none if barred is None else barred)
    workers = min(cores(), count)
    each(lambda first: solve_batch(gram, vectors.rows, batch, out, first, workers), range(workers))

    def solve(q: int) -> None:
        allowed = np.flatnonzero(np.isfinite(out.scores[q]))
        weights, out.residuals[q], found = newton(
            vectors.rows, allowed, targets[q], l1[q], l2[q], out.residuals[q], ENOUGH
        )
        out.scores[q, allowed], out.weights[q, allowed] = found, weights
        out.gaps[q], out.violations[q] = measure(targets[q], out.residuals[q], found, weights, l1[q], l2[q])

    each(solve, np.flatnonzero(~out.solved).tolist())
    return Solution(
        ids, targets, out.weights, out.scores, out.residuals, out.gaps, out.violations, longest, l1, l2, passes=1
    )


def solve_among(
    ids: Keys, vectors: Vectors, members: Sequence[Ids], targets: Array, l1: Array, l2: Array
) -> list[Solution]:
    """Solve each query over some documents of its own, out of those that were fetched for all of them."""
    rows, norms, solutions = vectors.rows, vectors.norms, dict[int, Solution]()
    nothing, no_gram = np.empty(0, np.int64), np.empty((0, 0))

    def solve(q: int) -> None:
        some, query, sparse, ridge = members[q], targets[q], float(l1[q]), float(l2[q])
        lengths, weights = norms[some], np.zeros(len(some))
        longest = float(lengths.max())
        shortest = float(lengths[lengths > 0].min(initial=longest))
        exactly, most = float(tolerance(query, longest, shortest)), int(largest(ridge, longest))
        solved, residual, found, _, _ = solve_pool(
            rows, some, query, sparse, ridge, exactly, most, weights, nothing, no_gram
        )
        if not solved:
            weights, residual, found = newton(rows, some, query, sparse, ridge, query, ENOUGH)
        gap, violation = measure(query, residual, found, weights, sparse, ridge)
        found[lengths == 0] = -np.inf
        one = slice(q, q + 1)
        solutions[q] = Solution(
            ids[some],
            targets[one],
            weights[None],
            found[None],
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


def tolerance(targets: Array, longest: float, shortest: float) -> Array:
    """How exactly the small problem is solved: far below what a certificate asks for, but not below rounding.

    Short documents among long ones count as well, so it is the shortest that sets the measure.
    """
    exactly: Array = max(1e-9 * shortest, 1e-15 * longest) * np.sqrt(np.einsum("...d,...d", targets, targets))
    return exactly


def largest(l2: Array | float, longest: float, large: int = LARGE) -> Ids:
    """How many documents may have weight before the solve goes over to the residual's side."""
    most = np.where(stiff(large, l2, longest), LARGEST, large)
    return np.where(np.asarray(l2) > 0, most, np.iinfo(np.int64).max)


def stiff(support: int, l2: Array | float, longest: float) -> Mask:
    """Whether steps on the residual's side would be hard to solve for."""
    return np.asarray(support * longest**2 >= STIFF * np.asarray(l2))
