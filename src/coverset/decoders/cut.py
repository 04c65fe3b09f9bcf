"""From a solved problem to a selection: which documents to return, and what is proved about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from coverset.selection import WHOLE, Selection
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
        # Imported here: numba, which compiles it, is only needed once something is solved.
        from coverset.solvers.certificate import picked

        gaps, violations, l1, l2 = solution.gaps, solution.violations, solution.l1, solution.l2
        if not self._accounts(solution):
            gaps = violations = np.full(len(gaps), np.inf)
        order, chosen, counts, certified, proved = picked(
            solution.queries,
            solution.weights,
            solution.scores,
            gaps,
            violations,
            solution.longest,
            l1,
            l2,
            -1 if self.k is None else self.k,
            self.fill,
        )
        found = zip(
            solution.ids[order],
            chosen,
            counts.tolist(),
            gaps.tolist(),
            violations.tolist(),
            certified.tolist(),
            proved.tolist(),
            zip(l1.tolist(), l2.tolist(), strict=True),
            np.full(order.shape, WHOLE),
            strict=True,
        )
        for ids, weights, count, gap, violation, certain, proof, strengths, serves in found:
            yield Selection(
                ids[:count],
                weights[:count],
                gap,
                violation,
                certain,
                proof,
                solution.passes,
                strengths,
                [[] for _ in range(count)],
                serves[:count],
            )

    def error(self, solution: Solution) -> float:
        """Return a bound on how far a query's scores can be from those of the exact optimum."""
        from coverset.solvers.certificate import score_error

        if not self._accounts(solution):
            return np.inf
        return score_error(solution.queries[0], solution.weights[0], float(solution.gaps[0]), solution.longest)

    def _accounts(self, solution: Solution) -> bool:
        """Whether the solution does account for every document of the corpus."""
        return self.whole and solution.settled
