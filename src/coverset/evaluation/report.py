"""`coverset eval`: one decoder on one data set, with how sure the figures are and whether it beats Dense."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from coverset.arrays import Array
from coverset.decoders import Decoder, Dense
from coverset.decoders.kinds import Distinct, as_searched
from coverset.decoders.registry import grid
from coverset.evaluation.embedded import Space, embed
from coverset.evaluation.measuring import PAPER, evaluate
from coverset.evaluation.metrics import Metric, confidence, paired
from coverset.evaluation.tuning import attempt, best, best_share
from coverset.plain import Json
from coverset.progress import progress


@dataclass(frozen=True)
class Evaluation:
    """What a decoder scored on every query of a split, and what Dense scored: by meaning alone, and as it did."""

    dataset: str
    split: str
    encoder: str
    name: str
    decoder: Decoder
    values: dict[Metric, Array]
    dense: dict[Metric, Array]
    nearest: dict[Metric, Array]
    space: Space
    distinct: Distinct

    @classmethod
    def run(
        cls,
        folder: Path,
        name: str,
        setting: Decoder | str,
        split: str,
        encoder: str,
        cache: Path | None,
        space: Space | None = None,
    ) -> Evaluation:
        """Evaluate a decoder, or, given the name of a split, the setting that does best on that split.

        `dense` is Dense on meaning alone, whatever the space; `nearest` is Dense in the same space, with the same
        parts, best first.
        """
        tuned_on, space = [setting] if isinstance(setting, str) else [], space or Space()
        index, (measured, *labelled) = embed(folder, encoder, cache, [split, *tuned_on], space)
        if isinstance(setting, str):
            with progress(f"tuning {name} on {setting}", len(grid(name))) as advance:
                setting = best(attempt(name, index, labelled[0], advance)).decoder
            if index.corpus.width and index.dim:
                share = best_share(setting, index, labelled[0])
                index, space = index.sharing(share), replace(space, share=share)
        return cls(
            dataset=folder.name,
            split=split,
            encoder=encoder,
            name=name,
            decoder=setting,
            values=evaluate(setting, index, measured),
            dense=evaluate(Dense(), *measured.by_meaning(index)),
            nearest=evaluate(Dense(), index, measured),
            space=space,
            distinct=getattr(as_searched(setting, index), "distinct", False),
        )

    @property
    def queries(self) -> int:
        """How many queries were measured."""
        return len(next(iter(self.values.values())))

    def as_json(self) -> Json:
        """Return the means in percent, and what they were measured with."""
        return {
            **_means(self.values),
            "queries": self.queries,
            "decoder": self.name,
            "params": asdict(self.decoder),
            "space": self.space.name,
            "parts": self.space.parts,
            "share": self.space.share if self.space.name == "hybrid" else None,
            "distinct": self.distinct,
            "dense in the same space": _means(self.nearest),
        }


def _means(values: dict[Metric, Array]) -> Json:
    return {str(metric): 100 * float(each.mean()) for metric, each in values.items()}


def show(result: Evaluation, console: Console) -> None:
    """Print each metric with its 95% interval, and its difference from Dense: by meaning, and in its space."""
    console.print(_table(f"{result.dataset} · {result.split} · {result.encoder}", result.values, result.dense))
    space = result.space
    if space.name != "dense" or space.parts:
        console.print(_table("beside Dense in the same space, best first", result.values, result.nearest))
    console.print(
        f"{result.decoder!r}, {result.queries} queries; {space.name}"
        f"{f', share of words {space.share:g}' if space.name == 'hybrid' else ''}"
        f"{', with parts' if space.parts else ''}; Dense is that on meaning alone unless said otherwise",
        highlight=False,
    )


def _table(title: str, values: dict[Metric, Array], dense: dict[Metric, Array]) -> Table:
    table = Table(title=title, title_justify="left")
    for header in ("", "%", "95% interval", "Dense", "difference", "p"):
        table.add_column(header, justify="right")
    for metric in PAPER:
        low, high = confidence(values[metric].tolist())
        change = paired(dense[metric].tolist(), values[metric].tolist())
        table.add_row(
            str(metric),
            f"{100 * values[metric].mean():.1f}",
            f"{100 * low:.1f} to {100 * high:.1f}",
            f"{100 * dense[metric].mean():.1f}",
            f"{100 * change.mean:+.1f} ({100 * change.low:+.1f} to {100 * change.high:+.1f})",
            f"{change.p:.3f}",
        )
    return table
