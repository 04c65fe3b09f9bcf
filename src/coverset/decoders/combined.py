"""One selection out of the solutions for the targets of a request: the whole, and its parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coverset.arrays import Array, Ids
from coverset.decoders.cut import Cut
from coverset.decoders.requests import serves, together
from coverset.ranking import ranked
from coverset.selection import Selection
from coverset.solvers.solution import Solution


def select(solutions: list[Solution], cut: Cut, *, complete: bool, guessed: bool) -> Selection:
    """Return the documents for a request: the best one for each part, then by what they count for all of it.

    A document counts by its u.r* for the whole plus that for the part it serves best. The best one for a part
    has the largest u.r* for it alone, and where parts are guessed for it plus the whole. The gap is the largest
    over the targets, and certified means that all of them are. The weight of a document is that for the whole
    plus that for its part; k=None is the union of the supports. `complete`: the solutions list every document of
    the corpus, so that one left out can be told from one not looked at.
    """
    if len(solutions) == 1:
        return next(cut.select(solutions[0]))
    alone = [next(replace(cut, k=1).select(solution)) for solution in solutions]  # for what is known of each
    scores: Array = np.stack([solution.scores[0] for solution in solutions])
    weights = np.stack([solution.weights[0] for solution in solutions])
    worth, weight = np.asarray(together(scores), np.float64), together(weights)
    worth = np.where(np.isfinite(scores[0]), worth, -np.inf)
    error = 2 * float(together(np.array([cut.error(solution)[0] for solution in solutions])))
    by_part = np.where(np.isfinite(worth), scores[1:] + (scores[0] if guessed else 0.0), -np.inf)
    first = _leaders(by_part, weights[1:])
    first = first[np.argsort(-worth[first], kind="stable")]
    clear = _clear(by_part, error) and bool((abs(scores[1:, first] - solutions[0].l1[0]) > error).all())
    order = ranked(worth[None], int(np.isfinite(worth).sum()))[0]
    if not cut.fill:
        order = order[weight[order] > 0]
    rest = np.setdiff1d(order, first, assume_unique=True)
    rest = rest[np.argsort(-worth[rest], kind="stable")]
    kept = np.concatenate([first, rest])[: cut.k]
    # Those that lead were chosen for a part; whoever comes after must lead all that are left out.
    after, out = kept[len(first) :], np.setdiff1d(np.arange(len(worth)), kept)
    lead = worth[after].min(initial=np.inf) - worth[out].max(initial=-np.inf) > error
    certified = all(bool(selection.certified) for selection in alone)
    return replace(
        alone[0],
        ids=solutions[0].ids[kept],
        weights=np.asarray(weight[kept], np.float32),
        gap=max(float(selection.gap or 0.0) for selection in alone),
        violation=max(float(selection.violation or 0.0) for selection in alone),
        certified=certified,
        proved=bool(certified and complete and cut.fill and lead and clear and len(first) <= len(kept)),
        passes=max(selection.passes for selection in alone),
        alike=[],
        serves=serves(scores[:, kept]),
    )


def _leaders(by_part: Array, weights: Array) -> Ids:
    """Return the best document of each part that it has weight for, each once."""
    best = by_part.argmax(axis=1)
    held = weights[np.arange(len(best)), best] > 0
    leaders: Ids = np.unique(best[held])
    return leaders


def _clear(by_part: Array, error: float) -> bool:
    """Whether the best document of every part leads the next by more than the error."""
    if by_part.shape[1] < 2:
        return True
    two = np.partition(by_part, -2, axis=1)[:, -2:]
    return bool((two[:, 1] - two[:, 0] > error).all())
