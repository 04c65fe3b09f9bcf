"""Choose a decoder's parameters on labelled queries.

With many, as the paper does: the grid's best Comp@5.

With a few, the best of 77 settings is mostly luck. Then a setting counts by the mean over itself and its
neighbours on the grid, and by Recall@5 as well as Comp@5, which says more per query; and it must beat NNN() on the
same queries, or NNN() it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.decoders import Decoder
from coverset.decoders.nnn import L1, L2
from coverset.decoders.registry import grid
from coverset.decoders.requests import Requests
from coverset.evaluation.embedded import Labelled
from coverset.evaluation.evaluate import evaluate
from coverset.evaluation.metrics import Comp, Metric, Recall
from coverset.indexes import MemoryIndex

# Labelled queries below which `choose` is careful.
FEW = 100
# The shares of words that are tried.
SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Trial:
    """A setting and its value on every metric, for every query."""

    decoder: Decoder
    values: dict[Metric, Array]

    @property
    def means(self) -> dict[Metric, float]:
        """The mean of every metric."""
        return {metric: float(values.mean()) for metric, values in self.values.items()}

    @property
    def worth(self) -> Array:
        """What a few queries are judged by: the mean of Recall@5 and Comp@5, for each."""
        worth: Array = (self.values[Recall @ 5] + self.values[Comp @ 5]) / 2
        return worth


def attempt(
    name: str,
    index: MemoryIndex,
    queries: Floats | Requests,
    relevant: Sequence[Ids],
    advance: Callable[[int], object] = lambda _count: None,
) -> list[Trial]:
    """Try every setting of a grid."""
    trials = []
    for decoder in grid(name):
        trials.append(Trial(decoder, evaluate(decoder, index, queries, relevant)))
        advance(1)
    return trials


def tune(
    name: str,
    index: MemoryIndex,
    queries: Floats | Requests,
    relevant: Sequence[Ids],
    advance: Callable[[int], object] = lambda _count: None,
) -> tuple[Decoder, list[Trial]]:
    """Return the setting with the best mean Comp@5 (then Recall@5), and all trials in the grid's order."""
    trials = attempt(name, index, queries, relevant, advance)
    return best(trials).decoder, trials


def best_share(decoder: Decoder, index: MemoryIndex, labelled: Labelled) -> float:
    """Return the share of words with the best mean Comp@5, then Recall@5; of equals, the nearest to now."""
    shares = sorted({*SHARES, index.share}, key=lambda share: abs(share - index.share))

    def worth(share: float) -> tuple[float, float]:
        values = evaluate(decoder, index.sharing(share), labelled.queries, labelled.relevant)
        return float(values[Comp @ 5].mean()), float(values[Recall @ 5].mean())

    return max(shares, key=worth)


def best(trials: list[Trial]) -> Trial:
    """Return the paper's choice: the best mean Comp@5, then Recall@5."""
    return max(trials, key=lambda trial: (trial.means[Comp @ 5], trial.means[Recall @ 5]))


def choose(trials: list[Trial], default: Trial, among: Ids | None = None) -> Trial:
    """Return the choice that a few labelled queries support: a trial of NNN's grid, or the default.

    `among` says which of the queries to go by; all, if it is not given.
    """
    worth = np.array([trial.worth for trial in trials]).reshape(len(L2), len(L1), -1)
    chosen = slice(None) if among is None else among
    smooth = _smooth(worth[:, :, chosen].mean(axis=2)).ravel()
    first = int(smooth.argmax())
    return trials[first] if smooth[first] > default.worth[chosen].mean() else default


def left_out(trials: list[Trial], default: Trial) -> dict[Metric, Array]:
    """Return what tuning is worth, honestly: each query's values under the choice that all the others make."""
    count = len(default.worth)
    everything = np.arange(count)
    chosen = [choose(trials, default, np.delete(everything, q)) if count > 1 else default for q in everything]
    return {metric: np.array([chosen[q].values[metric][q] for q in everything]) for metric in default.values}


def _smooth(grid: Array) -> Array:
    """Return each cell's mean with its neighbours, of which there are up to eight."""
    padded = np.pad(grid, 1, constant_values=np.nan)
    around = [padded[r : r + grid.shape[0], c : c + grid.shape[1]] for r in range(3) for c in range(3)]
    smooth: Array = np.nanmean(around, axis=0)
    return smooth
