"""One selection out of the solutions for the targets of a request: the whole, and its parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coverset.arrays import Array
from coverset.decoders.cut import Cut
from coverset.decoders.requests import serves, together
from coverset.ranking import ranked
from coverset.selection import Selection
from coverset.solvers.solution import Solution


def select(solutions: list[Solution], cut: Cut, *, complete: bool) -> Selection:
    """Return the documents for a request, best first by u.r* of the whole plus that of the part they serve best.

    The gap is the largest over the targets, and certified means that all of them are. The weight of a document is
    that for the whole plus that for its part; k=None is the union of the supports. `complete`: the solutions
    list every document of the corpus, so that one left out can be told from one not looked at.
    """
    alone = [next(cut.select(solution)) for solution in solutions]
    if len(solutions) == 1:
        return alone[0]
    scores: Array = np.stack([solution.scores[0] for solution in solutions])
    weights = np.stack([solution.weights[0] for solution in solutions])
    worth, weight = np.asarray(together(scores), np.float64), together(weights)
    worth = np.where(np.isfinite(scores[0]), worth, -np.inf)
    order = ranked(worth[None], int(np.isfinite(worth).sum()))[0]
    if not cut.fill:
        order = order[weight[order] > 0]
    kept = order[: cut.k]
    following = worth[np.setdiff1d(np.arange(len(worth)), kept)].max(initial=-np.inf)
    errors = np.array([cut.error(solution)[0] for solution in solutions])
    lead = worth[kept].min(initial=np.inf) - following > 2 * together(errors)
    certified = all(bool(selection.certified) for selection in alone)
    return replace(
        alone[0],
        ids=solutions[0].ids[kept],
        weights=np.asarray(weight[kept], np.float32),
        gap=max(float(selection.gap or 0.0) for selection in alone),
        violation=max(float(selection.violation or 0.0) for selection in alone),
        certified=certified,
        proved=bool(certified and complete and cut.fill and lead),
        passes=max(selection.passes for selection in alone),
        alike=[],
        serves=serves(scores[:, kept]),
    )
