"""The l1 path: which documents come into NNN's answer as l1 falls, and how their weights grow."""

from __future__ import annotations

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
class Path:
    """NNN's weights for falling l1: a step's weights are by row, and rows stand in the order they come in."""

    l1: list[float]
    entered: dict[int, float]
    weights: list[dict[int, float]]

    def of(self, row: int) -> list[float]:
        """Return a document's weight at every step."""
        return [step.get(row, 0.0) for step in self.weights]


def l1_path(query: Vectors, index: MemoryIndex | None, nnn: NNN) -> Path:
    """Return NNN's weights for l1 falling from where nothing has weight, over the whole corpus, l2 fixed.

    Every step is solved to its certified optimum; the path ends before more than `MOST_RUNS` documents have
    weight, so its cost is that of small supports. At l1 >= max_i u_i.v no document has weight: with w = 0 the
    residual is the query itself.
    """
    if index is None:
        return Path([1.0, LOWEST_L1], {}, [{}, {}])
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
    return Path(grid[: len(steps)], entered, steps)
