"""From a solved problem to a selection: which documents to return, and what is proved about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Array, Ids, Mask
from coverset.selection import Selection
from coverset.solvers import certificate
from coverset.solvers.solution import Solution

TINY = float(np.finfo(np.float32).tiny)


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
        from coverset.solvers.best import best

        k = -1 if self.k is None else self.k
        order, counts, last, following = best(solution.weights, solution.scores, solution.l2, k, self.fill)
        lengths = np.linalg.norm(solution.queries, axis=1)
        gaps, violations, certified = self._certificates(solution, lengths)
        proved = self._proved(counts, last, following, self.error(solution), solution.l1)
        found = zip(
            solution.ids[order],
            solution.weights[np.arange(len(order))[:, None], order].astype(np.float32),
            counts.tolist(),
            gaps.tolist(),
            violations.tolist(),
            certified.tolist(),
            proved.tolist(),
            strict=True,
        )
        for ids, chosen, count, gap, violation, sure, proof in found:
            yield Selection(ids[:count], chosen[:count], gap, violation, sure, proof, solution.passes)

    def error(self, solution: Solution) -> Array:
        """Return a bound on how far each query's scores can be from those of the exact optimum."""
        lengths = np.linalg.norm(solution.queries, axis=1)
        gaps, _, _ = self._certificates(solution, lengths)
        sizes = lengths + solution.longest * solution.weights.sum(axis=1)
        terms = solution.queries.shape[1] + solution.weights.shape[1]
        rounding = terms * np.finfo(np.float64).eps * sizes
        longest = max(solution.longest, TINY)  # an answer without documents has no length, and no end to its error
        error: Array = longest * (certificate.residual_error(gaps, sizes, terms) + rounding)
        return error

    def _certificates(self, solution: Solution, lengths: Array) -> tuple[Array, Array, Mask]:
        if not (self.whole and solution.settled):
            unknown = np.full(len(solution.queries), np.inf)
            return unknown, unknown, np.zeros(len(unknown), bool)
        gaps, violations = solution.gaps, solution.violations
        return gaps, violations, certificate.certified(gaps, violations, lengths, solution.longest)

    def _proved(self, counts: Ids, last: Array, following: Array, error: Array, l1: Array) -> Mask:
        """Whether the returned ids are, as a set, those of the exact optimum.

        No score is off by more than `error`. So a document chosen for being among the best is proved to
        be if it leads the best one left out by two errors, and one chosen for having weight if it clears
        l1, which the best one left out misses, by one error each.
        """
        by_lead = last - following > 2 * error
        by_weight = (last - l1 > error) & (l1 - following > error)
        full = counts == self.k
        proved: Mask = np.where(full | self.fill, by_lead, by_weight) & np.isfinite(error)
        return proved
