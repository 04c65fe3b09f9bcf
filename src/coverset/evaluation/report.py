"""`coverset eval`: one decoder on one data set, with how sure the figures are and whether it beats Dense."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from coverset.decoders import Decoder, Dense
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.encoders.onnx import OnnxEncoder
from coverset.evaluation.datasets import load
from coverset.evaluation.evaluate import PAPER, evaluate, parameters
from coverset.evaluation.metrics import Metric, confidence, paired
from coverset.evaluation.tune import GRIDS, tune
from coverset.indexes import MemoryIndex
from coverset.progress import progress


@dataclass(frozen=True)
class Evaluation:
    """What a decoder scored on every query of a split, and what Dense scored."""

    dataset: str
    split: str
    encoder: str
    name: str
    decoder: Decoder
    values: dict[Metric, NDArray[np.float64]]
    dense: dict[Metric, NDArray[np.float64]]

    @classmethod
    def run(
        cls,
        folder: Path,
        name: str,
        setting: Decoder | None,
        split: str,
        tuned_on: str | None,
        encoder: str,
        cache: Path | None,
    ) -> Evaluation:
        """Evaluate a setting, or (None) the one that does best on the split `tuned_on`."""
        data = load(folder)
        measured = data.split(split)
        labelled = data.split(tuned_on) if tuned_on else None
        cached = CachedEncoder(OnnxEncoder(encoder), cache or default_folder())
        index = MemoryIndex(cached.encode(data.texts))
        if labelled is not None:
            with progress(f"tuning {name} on {tuned_on}", len(GRIDS[name])) as advance:
                setting, _ = tune(name, index, cached.encode(labelled.texts), labelled.relevant, advance)
        assert setting is not None
        queries = cached.encode(measured.texts)
        return cls(
            dataset=folder.name,
            split=split,
            encoder=encoder,
            name=name,
            decoder=setting,
            values=evaluate(setting, index, queries, measured.relevant),
            dense=evaluate(Dense(), index, queries, measured.relevant),
        )

    @property
    def queries(self) -> int:
        """How many queries were measured."""
        return len(next(iter(self.values.values())))

    def as_json(self) -> dict[str, Any]:
        """Return the means in percent, and what they were measured with."""
        means = {str(metric): 100 * float(values.mean()) for metric, values in self.values.items()}
        return {**means, "queries": self.queries, "decoder": self.name, "params": parameters(self.decoder)}


def show(result: Evaluation, console: Console) -> None:
    """Print a table: each metric with its 95% interval, and the difference from Dense."""
    table = Table(title=f"{result.dataset} · {result.split} · {result.encoder}", title_justify="left")
    for header in ("", "%", "95% interval", "Dense", "difference", "p"):
        table.add_column(header, justify="right")
    for metric in PAPER:
        low, high = confidence(result.values[metric].tolist())
        change = paired(result.dense[metric].tolist(), result.values[metric].tolist())
        table.add_row(
            str(metric),
            f"{100 * result.values[metric].mean():.1f}",
            f"{100 * low:.1f} to {100 * high:.1f}",
            f"{100 * result.dense[metric].mean():.1f}",
            f"{100 * change.mean:+.1f} ({100 * change.low:+.1f} to {100 * change.high:+.1f})",
            f"{change.p:.3f}",
        )
    console.print(table)
    console.print(f"{result.decoder!r}, {result.queries} queries", highlight=False)
