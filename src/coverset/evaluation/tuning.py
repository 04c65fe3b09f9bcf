"""Choose a decoder's parameters, and the share of words, on labelled queries.

The best of 77 settings is partly luck. So a setting counts by the mean over itself and its neighbours on the grid,
and by Recall@5 as well as Comp@5, which says more per query. And it must beat the default on the same queries by a
standard error, or the default it is. `best` is the paper's rule, the grid's best Comp@5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Array, Ids
from coverset.decoders import Decoder
from coverset.decoders.nnn import L1, L2
from coverset.decoders.registry import grid
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Comp, Metric, Recall
from coverset.indexes import MemoryIndex

# The shares of words that are tried.
SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Trial:
    """A setting and its value on every metric, for every query; `share` None: that of the index."""

    decoder: Decoder
    values: dict[Metric, Array]
    share: float | None = None

    @property
    def means(self) -> dict[Metric, float]:
        """The mean of every metric."""
        return {metric: float(values.mean()) for metric, values in self.values.items()}

    @property
    def worth(self) -> Array:
        """What it is judged by: the mean of Recall@5 and Comp@5, for each query."""
        worth: Array = (self.values[Recall @ 5] + self.values[Comp @ 5]) / 2
        return worth


def attempt(
    name: str,
    index: MemoryIndex,
    labelled: Labelled,
    advance: Callable[[int], object] = lambda _count: None,
) -> list[Trial]:
    """Try every setting of a grid, in its order."""
    trials = []
    for decoder in grid(name):
        trials.append(Trial(decoder, evaluate(decoder, index, labelled)))
        advance(1)
    return trials


def best(trials: list[Trial]) -> Trial:
    """Return the paper's choice: the best mean Comp@5, then Recall@5, then the first."""
    return max(trials, key=lambda trial: (trial.means[Comp @ 5], trial.means[Recall @ 5]))


def best_share(decoder: Decoder, index: MemoryIndex, labelled: Labelled) -> float:
    """Return the share of words that does best; of equals, the nearest to now."""
    now = Trial(decoder, evaluate(decoder, index, labelled), index.share)
    others = attempt_shares(decoder, index, labelled)
    others.sort(key=lambda trial: abs((trial.share or 0.0) - index.share))
    return best([now, *others]).share or 0.0


def attempt_shares(decoder: Decoder, index: MemoryIndex, labelled: Labelled) -> list[Trial]:
    """Try a decoder with other shares of words than the index has; none where a half is missing."""
    if not (index.corpus.width and index.dim):
        return []
    return [
        Trial(decoder, evaluate(decoder, index.sharing(share), labelled), share)
        for share in SHARES
        if share != index.share
    ]


def choose(trials: list[Trial], default: Trial, among: Ids | None = None) -> Trial:
    """Return the choice that labelled queries support: one of the trials, or the default.

    The trials are NNN's grid, and the default, which says its share, with other shares of words. `among` says
    which of the queries to go by; all, if it is not given.
    """
    chosen = slice(None) if among is None else among
    worths, usual = _smoothed(trials, default)[:, chosen], default.worth[chosen]
    first = int(worths.mean(axis=1).argmax())
    gains = worths[first] - usual
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    return trials[first] if gains.mean() > error else default


def leave_one_out(trials: list[Trial], default: Trial) -> dict[Metric, Array]:
    """Return what tuning is worth, honestly: each query's values under the choice that all the others make."""
    count = len(default.worth)
    everything = np.arange(count)
    chosen = [choose(trials, default, np.delete(everything, q)) if count > 1 else default for q in everything]
    return {metric: np.array([chosen[q].values[metric][q] for q in everything]) for metric in default.values}


def _smoothed(trials: list[Trial], default: Trial) -> Array:
    """Return each trial's worth, (trials, queries): the mean with its neighbours on the grid, or among shares."""
    on_grid = np.array([trial.worth for trial in trials if trial.share is None]).reshape(len(L2), len(L1), -1)
    padded = np.pad(on_grid, ((1, 1), (1, 1), (0, 0)), constant_values=np.nan)
    rows, columns = on_grid.shape[:2]
    around = [padded[r : r + rows, c : c + columns] for r in range(3) for c in range(3)]
    smooth = [np.nanmean(around, axis=0).reshape(rows * columns, -1)]
    shares = [trial for trial in trials if trial.share is not None]
    if shares:
        worths = np.array([default.worth, *(trial.worth for trial in shares)])
        order = np.argsort([trial.share or 0.0 for trial in (default, *shares)])
        padded = np.pad(worths[order], ((1, 1), (0, 0)), constant_values=np.nan)
        beside = np.nanmean([padded[:-2], padded[1:-1], padded[2:]], axis=0)
        smooth.append(beside[np.argsort(order)][1:])
    return np.concatenate(smooth)
