"""The l1 path: which documents come into NNN's answer as l1 falls, and how their weights grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coverset.decoders import NNN
from coverset.indexes import MemoryIndex, ask
from coverset.vectors import Vectors

# So many steps, from where the first document comes in down to this.
STEPS, LOWEST_L1 = 40, 0.005
# A path ends where more documents than this have weight: they could not be told apart on a chart.
MOST_RUNS = 60


@dataclass(frozen=True)
class Run:
    """A document's weight along the l1 path; it `enters` at the largest l1 of the path at which it has weight."""

    id: str
    enters: float
    weights: list[float]


@dataclass(frozen=True)
class Path:
    """NNN's weights for falling l1, over all documents searched, in the order in which they come in."""

    l1: list[float]
    documents: list[Run]


def l1_path(query: Vectors, index: MemoryIndex | None, nnn: NNN, names: Sequence[str]) -> Path:
    """Return NNN's weights for l1 falling from where nothing has weight, over the whole corpus, l2 fixed.

    Every step is solved to its certified optimum; the path ends before more than `MOST_RUNS` documents have
    weight, so its cost is that of small supports. At l1 >= max_i u_i.v no document has weight: with w = 0 the
    residual is the query itself.
    """
    if index is None:
        return Path([1.0, LOWEST_L1], [])
    highest = float(ask(index, query, 1)[0][0, 0])
    grid = np.geomspace(max(highest, 2 * LOWEST_L1), LOWEST_L1, STEPS).tolist()
    steps: list[dict[int, float]] = []
    entered: dict[int, float] = {}
    for l1 in grid:
        # The same decoder at another l1, without what does not concern the path.
        found = NNN(l1=l1, l2=nnn.l2, center=nnn.center).decode(query, index, k=None)
        if len(found) > MOST_RUNS and len(steps) > 1:
            break
        steps.append(dict(zip(found.ids.tolist(), found.weights.tolist(), strict=True)))
        for row in steps[-1]:
            entered.setdefault(row, l1)
    runs = [Run(names[row], l1, [round(step.get(row, 0.0), 5) for step in steps]) for row, l1 in entered.items()]
    return Path(grid[: len(steps)], runs)
