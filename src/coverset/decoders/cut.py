"""From a solved problem to a selection: which documents to return, and what is proved about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Array
from coverset.selection import Selection
from coverset.solvers.solution import Solution


@dataclass(frozen=True)
class Cut:
    """Where to cut the ranking off, and whether the solution speaks for the whole corpus.

    `k` None is the whole support; `fill` goes on below the support when it has fewer than k documents;
    `whole` says that the solution is meant to account for every document of the corpus.
    """

    k: int | None
    fill: bool
    whole: bool

    def select(self, solution: Solution) -> Iterator[Selection]:
        """Yield a Selection for each query of the solution."""
        # Imported here: numba, which compiles them, is only needed once something is solved.
        from coverset.solvers.best import best
        from coverset.solvers.certificate import certified, proved

        k, gaps, violations = -1 if self.k is None else self.k, solution.gaps, solution.violations
        order, counts, last, following = best(solution.weights, solution.scores, solution.l2, k, self.fill)
        sure = proved(counts, last, following, self.error(solution), solution.l1, k, self.fill)
        if self._accounts(solution):
            optimal = certified(solution.queries, gaps, violations, solution.longest)
        else:
            gaps = violations = np.full(len(sure), np.inf)
            optimal = np.zeros(len(sure), bool)
        found = zip(
            solution.ids[order],
            solution.weights[np.arange(len(order))[:, None], order].astype(np.float32),
            counts.tolist(),
            gaps.tolist(),
            violations.tolist(),
            optimal.tolist(),
            sure.tolist(),
            zip(solution.l1.tolist(), solution.l2.tolist(), strict=True),
            strict=True,
        )
        for ids, chosen, count, gap, violation, certain, proof, strengths in found:
            yield Selection(
                ids[:count], chosen[:count], gap, violation, certain, proof, solution.passes, strengths
            )

    def error(self, solution: Solution) -> Array:
        """Return a bound on how far each query's scores can be from those of the exact optimum."""
        from coverset.solvers.certificate import score_errors

        if not self._accounts(solution):
            return np.full(len(solution.queries), np.inf)
        return score_errors(solution.queries, solution.weights, solution.gaps, solution.longest)

    def _accounts(self, solution: Solution) -> bool:
        """Whether the solution does account for every document of the corpus."""
        return self.whole and solution.settled
