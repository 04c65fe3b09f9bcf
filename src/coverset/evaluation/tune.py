"""Choose a decoder's parameters on a labelled split, as the paper does: the grid's best Comp@5.

The paper's grid for NNN stops at l2 = 1. This one goes on towards the dense limit, so that the best of it need
not lose to Dense.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.decoders import MMR, NNN, Decoder, Dense
from coverset.evaluation.evaluate import PAPER, evaluate
from coverset.evaluation.metrics import Comp, Metric, Recall
from coverset.indexes import MemoryIndex
from coverset.inputs import as_choice

L1 = (0.01, 0.03, 0.06, 0.1, 0.3, 0.6, 1.0)
L2 = (*L1, 3.0, 10.0, 30.0, 100.0)

# Of settings that do equally well, the first is taken: the one nearest to Dense.
GRIDS: dict[str, tuple[Decoder, ...]] = {
    "dense": (Dense(),),
    "mmr": tuple(MMR(relevance=step / 10) for step in range(10, -1, -1)),
    "nnn": tuple(NNN(l1=l1, l2=l2) for l2 in reversed(L2) for l1 in L1),
    "l1": tuple(NNN(l1=l1, l2=0.0) for l1 in L1),
    "l2": tuple(NNN(l1=0.0, l2=l2) for l2 in reversed(L2)),
}


@dataclass(frozen=True)
class Trial:
    """A setting and its mean on every metric."""

    decoder: Decoder
    means: dict[Metric, float]


def tune(
    name: str,
    index: MemoryIndex,
    queries: NDArray[np.float32],
    relevant: Sequence[NDArray[np.int64]],
    advance: Callable[[int], Any] = lambda _count: None,
) -> tuple[Decoder, list[Trial]]:
    """Return the setting with the best mean Comp@5 (then Recall@5), and all trials in the grid's order."""
    trials = []
    for decoder in GRIDS[as_choice("decoder", name, tuple(GRIDS))]:
        values = evaluate(decoder, index, queries, relevant)
        trials.append(Trial(decoder, {metric: float(values[metric].mean()) for metric in PAPER}))
        advance(1)
    best = max(trials, key=lambda trial: (trial.means[Comp @ 5], trial.means[Recall @ 5]))
    return best.decoder, trials
