"""From a solved problem to a selection: which documents to return, and what is proved about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coverset.ranking import ranked
from coverset.selection import Selection
from coverset.solvers import certificate
from coverset.solvers.solution import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """Where to cut the ranking off, and whether the solution speaks for the whole corpus.

    `k` None is the whole support; `fill` goes on below the support when it has fewer than k documents;
    `whole` says that no document of the corpus is unaccounted for.
    """

    k: int | None
    fill: bool
    whole: bool

    def select(self, solution: Solution) -> Iterator[Selection]:
        """Yield a Selection for each query of the solution."""
        weights, scores = solution.weights, solution.scores
        support = np.count_nonzero(weights, axis=1)
        choosable = np.isfinite(scores).sum(axis=1)
        wanted = support if self.k is None else np.minimum(self.k, choosable)
        counts = wanted if self.fill else np.minimum(wanted, support)
        order = ranked(_keys(solution), min(int(counts.max()) + 1, scores.shape[1]))
        gaps, violations, certified = self._certificates(solution)
        error = certificate.residual_error(gaps) * solution.longest
        proved = self._proved(np.take_along_axis(scores, order, axis=1), counts, error, solution.l1)
        found = zip(
            solution.ids[order],
            np.take_along_axis(weights, order, axis=1).astype(np.float32),
            counts.tolist(),
            gaps.tolist(),
            violations.tolist(),
            certified.tolist(),
            proved.tolist(),
            strict=True,
        )
        for ids, chosen, count, gap, violation, sure, proof in found:
            yield Selection(ids[:count], chosen[:count], gap, violation, sure, proof, solution.passes)

    def _certificates(self, solution: Solution) -> tuple[Array, Array, NDArray[np.bool_]]:
        if not self.whole:
            unknown = np.full(len(solution.queries), np.inf)
            return unknown, unknown, np.zeros(len(unknown), bool)
        gaps, violations = solution.gaps, solution.violations
        lengths = np.linalg.norm(solution.queries, axis=1)
        return gaps, violations, certificate.certified(gaps, violations, lengths, solution.longest)

    def _proved(self, scores: Array, counts: NDArray[np.int64], error: Array, l1: Array) -> NDArray[np.bool_]:
        """Whether the returned ids are, as a set, those of the exact optimum, given the ranked scores.

        No score is off by more than `error`. So a document chosen for being among the best is proved to
        be if it leads the best one left out by two errors, and one chosen for having weight if it clears
        l1, which the best one left out misses, by one error each.
        """
        column = np.arange(scores.shape[1])
        last = np.where(column < counts[:, None], scores, np.inf).min(axis=1, initial=np.inf)
        best = np.where(column >= counts[:, None], scores, -np.inf).max(axis=1, initial=-np.inf)
        by_lead = last - best > 2 * error
        by_weight = (last - l1 > error) & (l1 - best > error)
        full = counts == self.k
        proved: NDArray[np.bool_] = np.where(full | self.fill, by_lead, by_weight) & np.isfinite(error)
        return proved


def _keys(solution: Solution) -> NDArray[np.float32]:
    """Return what to rank by: first the support by weight, then the rest by score.

    In single precision, so that documents that only rounding tells apart rank by their id.
    """
    weights, scores = solution.weights, solution.scores
    best = scores.max(axis=1, keepdims=True, initial=-np.inf)
    above = best + np.maximum(solution.l2, 1.0)[:, None] * weights
    return np.where(weights > 0, above, scores).astype(np.float32)
