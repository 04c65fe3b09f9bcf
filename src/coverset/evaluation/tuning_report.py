"""`coverset tune`: the grid on a labelled split, the best setting as a line to paste, and what to make of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from coverset.decoders import Decoder, Dense
from coverset.evaluation.advice import Likeness, advice, likeness
from coverset.evaluation.embedded import embed
from coverset.evaluation.evaluate import evaluate, parameters
from coverset.evaluation.figures import heat_map
from coverset.evaluation.metrics import Comp, Difference, paired
from coverset.evaluation.tune import GRIDS, Trial, tune
from coverset.progress import progress

TARGET = Comp @ 5


@dataclass(frozen=True)
class Tuning:
    """The grid's outcome on one split, beside Dense."""

    best: Decoder
    trials: list[Trial]
    dense: float
    change: Difference
    alike: Likeness
    queries: int
    seconds: float

    @classmethod
    def run(
        cls, folder: Path, name: str, split: str, encoder: str, cache: Path | None, plot: Path | None
    ) -> Tuning:
        """Try every setting of the grid on a labelled split, and draw the heat map if a file is given for it."""
        index, (labelled,) = embed(folder, encoder, cache, [split])
        queries, relevant = labelled.queries, labelled.relevant
        start = time.perf_counter()
        with progress(f"tuning {name} on {split}", len(GRIDS[name])) as advance:
            best, trials = tune(name, index, queries, relevant, advance)
        seconds = time.perf_counter() - start
        dense = evaluate(Dense(), index, queries, relevant)[TARGET]
        ours = evaluate(best, index, queries, relevant)[TARGET]
        if plot is not None:
            heat_map(trials, float(dense.mean()), f"{folder.name} · {split} · {encoder}", plot)
        return cls(
            best=best,
            trials=trials,
            dense=float(dense.mean()),
            change=paired(dense.tolist(), ours.tolist()),
            alike=likeness(index, queries, relevant),
            queries=len(queries),
            seconds=seconds,
        )

    @property
    def advice(self) -> str:
        """What to make of it."""
        return advice(self.change, self.alike, self.queries)

    def as_json(self) -> dict[str, Any]:
        """Return the best setting, its gain and every trial, as plain data; metrics in percent."""
        return {
            "decoder": type(self.best).__name__.lower(),
            "params": parameters(self.best),
            "comp@5": 100 * (self.dense + self.change.mean),
            "dense comp@5": 100 * self.dense,
            "queries": self.queries,
            "seconds": self.seconds,
            "advice": self.advice,
            "trials": [
                {**parameters(t.decoder), **{str(m): 100 * value for m, value in t.means.items()}}
                for t in self.trials
            ],
        }


def show(result: Tuning, console: Console, plot: Path | None) -> None:
    """Print the best setting as a line to paste, and the advice."""
    given = ", ".join(f"{k}={v!r}" for k, v in parameters(result.best).items() if k in ("l1", "l2", "relevance"))
    console.print(
        f"\n{len(result.trials)} settings, {result.queries} queries, {result.seconds:.1f} s. The best:\n"
    )
    console.print(f"    {type(result.best).__name__}({given})\n", highlight=False)
    console.print(result.advice, highlight=False)
    if plot is not None:
        console.print(f"\nComp@5 over the grid: {plot}", highlight=False)
