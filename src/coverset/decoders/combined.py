"""One selection out of the solutions for the targets of a request: the whole, and its parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from coverset.arrays import Array, Ids
from coverset.decoders.cut import Cut
from coverset.decoders.requests import serves, together
from coverset.selection import Selection
from coverset.solvers.solution import Solution


@dataclass(frozen=True, eq=False)
class Combined:
    """The solutions for a request, a target each, over the same documents: the whole comes first.

    A document counts by its u.r* for the whole plus that for the part it serves best. The best one for a part
    has the largest u.r* for it alone, and where parts are `guessed` for it plus the whole.
    """

    solutions: list[Solution]
    guessed: bool

    def order(self, cut: Cut) -> Ids:
        """Return the places of the documents, best first: the best one for each part, then by what they count.

        Documents that are equal but for rounding go by their place.
        """
        # Imported here: numba, which compiles it, is only needed once something is solved.
        from coverset.solvers.best import best

        if len(self.solutions) == 1:
            whole = self.solutions[0]
            count = -1 if cut.k is None else cut.k
            order, _, counts, _, _ = best(whole.weights, whole.scores, whole.l2, count, cut.fill)
            places: Ids = order[0, : counts[0]]
            return places
        places = self._by_worth
        if not cut.fill:
            places = places[self._weights[places] > 0]
        leader = np.zeros(self._worth.size, bool)
        leader[self._leaders] = True
        leads = leader[places]
        return np.concatenate([places[leads], places[~leads]])[: cut.k]

    def select(self, cut: Cut, *, complete: bool) -> Selection:
        """Return the documents for the request.

        The gap is the largest over the targets, and certified means that all of them are. The weight of a document
        is that for the whole plus that for its part; k=None is the union of the supports. `complete`: they list
        every document of the corpus, so that one left out can be told from one not looked at.
        """
        if len(self.solutions) == 1:
            return next(cut.select(self.solutions[0]))
        alone = [next(replace(cut, k=1).select(solution)) for solution in self.solutions]  # what is known of each
        kept, first = self.order(cut), len(self._leaders)
        certified = all(bool(selection.certified) for selection in alone)
        settled = certified and complete and cut.fill and first <= len(kept)
        return replace(
            alone[0],
            ids=self.solutions[0].ids[kept],
            weights=self._weights[kept].astype(np.float32),
            gap=max(float(selection.gap or 0.0) for selection in alone),
            violation=max(float(selection.violation or 0.0) for selection in alone),
            certified=certified,
            proved=settled and self._clear(cut, kept),
            passes=max(selection.passes for selection in alone),
            alike=[],
            serves=serves(self._scores[:, kept]),
        )

    def _clear(self, cut: Cut, kept: Ids) -> bool:
        """Whether those kept lead all others by more than the scores can be off."""
        error = 2 * float(together(np.array([cut.error(solution) for solution in self.solutions])))
        first, worth = len(self._leaders), self._worth
        if (abs(self._scores[1:, kept[:first]] - self.solutions[0].l1[0]) <= error).any():
            return False
        if worth.size > 1:
            two = np.partition(self._by_part, -2, axis=1)[:, -2:]
            if (two[:, 0] >= two[:, 1] - error).any():
                return False
        # Those that lead were chosen for a part; whoever comes after must lead all that are left out.
        after, out = worth[kept[first:]], np.delete(worth, kept)
        return bool(after.min(initial=np.inf) - out.max(initial=-np.inf) > error)

    @cached_property
    def _scores(self) -> Array:
        return np.concatenate([solution.scores for solution in self.solutions])

    @cached_property
    def _weights(self) -> Array:
        return together(np.concatenate([solution.weights for solution in self.solutions]))

    @cached_property
    def _worth(self) -> Array:
        """What each document counts for the request; minus infinity where it can never be chosen."""
        return np.where(np.isfinite(self._scores[0]), together(self._scores), -np.inf)

    @cached_property
    def _by_worth(self) -> Ids:
        from coverset.solvers.best import in_order

        return in_order(self._worth, int(np.isfinite(self._worth).sum()))

    @cached_property
    def _by_part(self) -> Array:
        """What each document counts for each part."""
        whole = self._scores[0] if self.guessed else 0.0
        return np.where(np.isfinite(self._scores[0]), self._scores[1:] + whole, -np.inf)

    @cached_property
    def _leaders(self) -> Ids:
        """The best document of each part that it has weight for, each once."""
        from coverset.solvers.best import in_order

        if not np.isfinite(self._worth).any():
            return np.empty(0, np.int64)
        best = [int(in_order(row, 1)[0]) for row in self._by_part]
        weights = [solution.weights[0, place] for solution, place in zip(self.solutions[1:], best, strict=True)]
        return np.unique([place for place, weight in zip(best, weights, strict=True) if weight > 0]).astype(
            np.int64
        )
