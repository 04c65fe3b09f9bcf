"""Choose a decoder's parameters, and the share of words, on labelled queries.

The best of 82 settings is partly luck. So a setting counts by the mean over itself and its neighbours on the grid,
and by Recall@5 as well as Comp@5, which says more per query. And left-out queries decide: what the choice that all
others make brings a query over the default must surely be more than nothing, or the default it is. `best` is the
paper's rule, the grid's best Comp@5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from coverset.arrays import Array, Ids
from coverset.decoders import NNN, Decoder
from coverset.decoders.kinds import Kinds, as_searched
from coverset.decoders.registry import DECODERS, chosen, grid
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Comp, Difference, Metric, Recall, paired
from coverset.indexes import MemoryIndex

TARGET = Comp @ 5
# How sure a gain must be: the whole of this interval of it lies above 0. Chosen on dev splits, see
# benchmarks/results/few_rules.md.
LEVEL = 0.8
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


@dataclass(frozen=True)
class Choice:
    """The best of some trials, the default, what the other queries choose for each, and its gain in worth."""

    best: Trial
    default: Trial
    left_out: list[Trial]
    gain: Difference

    @property
    def trial(self) -> Trial:
        """What the labelled queries support: the best trial, or the default."""
        return self.best if self.gain.low > 0 else self.default


def attempt_all(
    name: str,
    index: MemoryIndex,
    labelled: Labelled,
    advance: Callable[[int], object] = lambda _count: None,
) -> tuple[list[Trial], Trial]:
    """Try all that `coverset tune` chooses among: a grid and, for NNN, shares of words; also the default.

    They keep one of each kind where the default does.
    """
    usual = DECODERS[name]() if name in DECODERS else NNN()
    default = Trial(usual, evaluate(usual, index, labelled), index.share)
    trials = _each([_with_kinds(decoder, index) for decoder in grid(name)], index, labelled, advance)
    return [*trials, *(attempt_shares(usual, index, labelled) if name == "nnn" else [])], default


def attempt(
    name: str,
    index: MemoryIndex,
    labelled: Labelled,
    advance: Callable[[int], object] = lambda _count: None,
) -> list[Trial]:
    """Try every setting of a grid as it is, in its order."""
    return _each(grid(name), index, labelled, advance)


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
    views = [index.sharing(share) for share in SHARES if share != index.share]
    each = [(_with_kinds(decoder, view), view) for view in views]
    return [Trial(plain, evaluate(plain, view, labelled), view.share) for plain, view in each]


def choose(trials: list[Trial], default: Trial, among: Ids | None = None) -> Choice:
    """Return the choice that labelled queries make of some trials, and what it brings on queries left out of it.

    The trials are a grid, and the default, which says its share, with other shares of words. `among` says which of
    the queries to go by; all, if it is not given.
    """
    queries = np.arange(len(default.worth)) if among is None else among
    smooth, usual = _smoothed(trials, default)[:, queries], default.worth[queries]
    total = smooth.sum(axis=1, keepdims=True)
    # Rounded, so that of equals the first is taken.
    best, *without = np.hstack([total, total - smooth]).round(9).argmax(axis=0).tolist()
    left_out = [trials[t] if len(queries) > 1 else default for t in without]
    worths = [trial.worth[q] for trial, q in zip(left_out, queries.tolist(), strict=True)]
    return Choice(trials[best], default, left_out, paired(usual.tolist(), worths, level=LEVEL))


def _each(
    decoders: Iterable[Decoder], index: MemoryIndex, labelled: Labelled, advance: Callable[[int], object]
) -> list[Trial]:
    """Try decoders one by one."""
    trials = []
    for decoder in decoders:
        trials.append(Trial(decoder, evaluate(decoder, index, labelled)))
        advance(1)
    return trials


def _with_kinds(decoder: Decoder, index: MemoryIndex) -> Decoder:
    """Return a decoder with the kinds that a search keeps written out; NNN keeps those that `NNN()` does."""
    searching = as_searched(decoder, index)
    if getattr(searching, "distinct", False) != "auto":
        return searching
    kinds = Kinds.of("auto", index, auto=isinstance(decoder, NNN))
    return replace(searching, distinct=False if kinds is None else kinds.cosine)


def _smoothed(trials: list[Trial], default: Trial) -> Array:
    """Return each trial's worth, (trials, queries): the mean with its neighbours on the grid, or among shares."""
    on_grid = [trial for trial in trials if trial.share is None]
    settings = [chosen(trial.decoder) for trial in on_grid]
    shape = [len({setting[name] for setting in settings}) for name in reversed(settings[0])]
    smooth = [_averaged(np.array([trial.worth for trial in on_grid]), shape)]
    shares = [trial for trial in trials if trial.share is not None]
    if shares:
        worths = np.array([default.worth, *(trial.worth for trial in shares)])
        order = np.argsort([trial.share or 0.0 for trial in (default, *shares)])
        smooth.append(_averaged(worths[order], [len(order)])[np.argsort(order)][1:])
    return np.concatenate(smooth)


def _averaged(worths: Array, shape: list[int]) -> Array:
    """Return the mean of every cell of a grid of this shape with its neighbours, (cells, queries) as they came."""
    cells = worths.reshape(*shape, -1)
    padded = np.pad(cells, [*((1, 1) for _ in shape), (0, 0)], constant_values=np.nan)
    shifts = product(range(3), repeat=len(shape))
    around = [padded[tuple(slice(s, s + n) for s, n in zip(shift, shape, strict=True))] for shift in shifts]
    mean: Array = np.nanmean(around, axis=0).reshape(worths.shape)
    return mean
