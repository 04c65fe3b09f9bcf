"""`coverset tune`: the grid on labelled queries, the best setting as a line to paste, and what to make of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from coverset.decoders import NNN, Decoder, Dense
from coverset.decoders.nnn import L1, L2
from coverset.decoders.registry import chosen, name_of
from coverset.evaluation.advice import Likeness, advice, likeness
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Metric, Recall, confidence
from coverset.evaluation.tuning import LEVEL, TARGET, Choice, Trial, attempt_all, choose
from coverset.extras import require
from coverset.indexes import MemoryIndex
from coverset.plain import Foreign, Json


@dataclass(frozen=True)
class Tuning:
    """The grid's outcome on labelled queries, beside the default and Dense.

    `best` is what to use: the grid's best, or the default where left-out queries do not surely gain by it.
    """

    choice: Choice
    trials: list[Trial]
    dense: Trial
    alike: Likeness
    queries: int
    seconds: float

    @classmethod
    def run(
        cls,
        name: str,
        index: MemoryIndex,
        labelled: Labelled,
        advance: Callable[[int], object] = lambda _count: None,
    ) -> Tuning:
        """Try every setting of the grid."""
        start = time.perf_counter()
        dense = Trial(Dense(), evaluate(Dense(), *labelled.by_meaning(index)))
        trials, default = attempt_all(name, index, labelled, advance)
        return cls(
            choice=choose(trials, default),
            trials=trials,
            dense=dense,
            alike=likeness(index, labelled),
            queries=len(labelled.queries),
            seconds=time.perf_counter() - start,
        )

    @property
    def best(self) -> Trial:
        """The trial to go by."""
        return self.choice.trial

    @property
    def default(self) -> Trial:
        """The default's."""
        return self.choice.default

    @property
    def decoder(self) -> Decoder:
        """The setting to use."""
        return self.best.decoder

    @property
    def share(self) -> float | None:
        """The share of words to use; None: it stays as it is."""
        return None if self.best is self.default else self.best.share

    @property
    def advice(self) -> str:
        """What to make of it."""
        return advice(self.choice, self.alike, self.queries)

    def as_json(self) -> Json:
        """Return the setting to use, the gain over the default, and every trial, as plain data; in percent."""
        gain = self.choice.gain
        return {
            "decoder": name_of(self.decoder),
            "params": asdict(self.decoder),
            "comp@5": 100 * self.best.means[TARGET],
            "share": self.share,
            "default comp@5": 100 * self.default.means[TARGET],
            "gain": 100 * gain.mean,
            "gain interval": [100 * gain.low, 100 * gain.high],
            "gain level": 100 * LEVEL,
            "dense comp@5": 100 * self.dense.means[TARGET],
            "queries": self.queries,
            "seconds": self.seconds,
            "advice": self.advice,
            "trials": [
                {
                    **asdict(t.decoder),
                    "share": t.share,
                    **{str(m): 100 * value for m, value in t.means.items()},
                }
                for t in self.trials
            ],
        }

    def draw(self, title: str, path: Path) -> None:
        """Draw NNN's grid as a heat map into a PNG file."""
        grid = [trial for trial in self.trials if trial.share is None]
        values = {(t.decoder.l1, t.decoder.l2): 100 * t.means[TARGET] for t in grid if isinstance(t.decoder, NNN)}
        figure = require("matplotlib.figure", "app").Figure(figsize=(7.2, 4.6), layout="constrained")
        axes = figure.add_subplot()
        paint_grid(figure, axes, values, 100 * self.dense.means[TARGET])
        axes.set_title(title)
        figure.savefig(path, dpi=150)

    def show(self, console: Console) -> None:
        """Print the best setting as a line to paste, and the advice."""
        settings = {**chosen(self.decoder), "distinct": getattr(self.decoder, "distinct", "auto")}
        given = ", ".join(f"{k}={v!r}" for k, v in settings.items() if v not in (None, "auto"))
        share = "" if self.share is None else f" with share={self.share:g}"
        queries = "1 query" if self.queries == 1 else f"{self.queries} queries"
        console.print(f"\n{len(self.trials)} settings, {queries}, {self.seconds:.1f} s. Use:\n")
        console.print(f"    {type(self.decoder).__name__}({given}){share}\n", highlight=False)
        console.print(self.advice, highlight=False)
        if self.best is self.default:
            told = ", ".join(_figure(metric, self.default) for metric in (Recall @ 5, TARGET))
            console.print(f"The default's own figures here: {told}.", highlight=False)


def _figure(metric: Metric, trial: Trial) -> str:
    low, high = (100 * bound for bound in confidence(trial.values[metric].tolist()))
    mean = 100 * trial.means[metric]
    return f"{metric.name.capitalize()}@{metric.k} {mean:.1f} (95% interval {low:.0f} to {high:.0f})"


def paint_grid(figure: Foreign, axes: Foreign, values: dict[tuple[Any, Any], float], dense: float) -> None:
    """Paint Comp@5 over the (l1, l2) grid, in percent; the colours diverge from what Dense gets."""
    table = np.full((len(L1), len(L2)), np.nan)
    for (l1, l2), value in values.items():
        if l1 in L1 and l2 in L2:
            table[L1.index(l1), L2.index(l2)] = value
    reach = max(float(np.nanmax(np.abs(table - dense))), 0.1)
    image = axes.imshow(table - dense, cmap="RdBu", vmin=-reach, vmax=reach, origin="lower", aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        shade = "white" if abs(value - dense) > 0.6 * reach else "black"
        axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=8, color=shade)
    axes.set_xticks(range(len(L2)), [f"{value:g}" for value in L2])
    axes.set_yticks(range(len(L1)), [f"{value:g}" for value in L1])
    axes.set_xlabel("l2  (to the right: towards Dense)")
    axes.set_ylabel("l1")
    figure.colorbar(image, label=f"Comp@5, points above or below Dense ({dense:.1f})")
