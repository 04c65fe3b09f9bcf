"""`coverset tune`: the grid on labelled queries, the best setting as a line to paste, and what to make of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from coverset.decoders import NNN, Decoder, Dense
from coverset.decoders.registry import chosen, name_of
from coverset.evaluation.advice import Likeness, advice, likeness
from coverset.evaluation.embedded import Labelled
from coverset.evaluation.evaluate import evaluate, parameters
from coverset.evaluation.figures import heat_map
from coverset.evaluation.metrics import Comp, Difference, paired
from coverset.evaluation.tune import FEW, Trial, attempt, best, choose, left_out
from coverset.indexes import MemoryIndex
from coverset.plain import Json

TARGET = Comp @ 5


@dataclass(frozen=True)
class Tuning:
    """The grid's outcome on labelled queries, beside Dense.

    `careful`: there were few queries, so the choice was made with care, and the change from Dense is what each
    query gains under the choice that the others make.
    """

    best: Trial
    trials: list[Trial]
    dense: Trial
    change: Difference
    alike: Likeness
    queries: int
    seconds: float
    careful: bool

    @classmethod
    def run(
        cls,
        name: str,
        index: MemoryIndex,
        labelled: Labelled,
        advance: Callable[[int], object] = lambda _count: None,
    ) -> Tuning:
        """Try every setting of the grid."""
        queries, relevant = labelled.queries, labelled.relevant
        careful = name == "nnn" and len(queries) < FEW
        start = time.perf_counter()
        trials = attempt(name, index, queries, relevant, advance)
        dense = Trial(Dense(), evaluate(Dense(), index, queries, relevant))
        if careful:
            default = Trial(NNN(), evaluate(NNN(), index, queries, relevant))
            chosen, values = choose(trials, default), left_out(trials, default)[TARGET]
        else:
            chosen = best(trials)
            values = chosen.values[TARGET]
        return cls(
            best=chosen,
            trials=trials,
            dense=dense,
            change=paired(dense.values[TARGET].tolist(), values.tolist()),
            alike=likeness(index, queries, relevant),
            queries=len(queries),
            seconds=time.perf_counter() - start,
            careful=careful,
        )

    @property
    def decoder(self) -> Decoder:
        """The setting to use."""
        return self.best.decoder

    @property
    def advice(self) -> str:
        """What to make of it."""
        how = "each tuned for on the others" if self.careful else "which it was tuned on"
        return advice(self.change, self.alike, f"on {self.queries} queries, {how}")

    def as_json(self) -> Json:
        """Return the best setting, its gain and every trial, as plain data; metrics in percent."""
        return {
            "decoder": name_of(self.decoder),
            "params": parameters(self.decoder),
            "comp@5": 100 * self.best.means[TARGET],
            "dense comp@5": 100 * self.dense.means[TARGET],
            "queries": self.queries,
            "seconds": self.seconds,
            "advice": self.advice,
            "trials": [
                {**parameters(t.decoder), **{str(m): 100 * value for m, value in t.means.items()}}
                for t in self.trials
            ],
        }

    def draw(self, title: str, path: Path) -> None:
        """Draw NNN's grid as a heat map into a PNG file."""
        heat_map(self.trials, self.dense.means[TARGET], title, path)

    def show(self, console: Console) -> None:
        """Print the best setting as a line to paste, and the advice."""
        given = ", ".join(f"{k}={v!r}" for k, v in chosen(self.decoder).items() if v is not None)
        console.print(f"\n{len(self.trials)} settings, {self.queries} queries, {self.seconds:.1f} s. Use:\n")
        console.print(f"    {type(self.decoder).__name__}({given})\n", highlight=False)
        console.print(self.advice, highlight=False)
        if self.careful and self.decoder == NNN():
            console.print("So few queries support no other setting than the default, which chooses per query.")
