"""What a training run leaves to look at, its record and its curves: files that are whole or not there at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

from coverset.extras import require
from coverset.plain import Json

# What a file is called until it is whole.
ASIDE = ".part"


def write_report(record: Json, folder: Path) -> None:
    """Write `record.json` and `curves.png` into a folder."""
    draw_curves(record, folder / "curves.png")
    write_whole(folder / "record.json", json.dumps(record, indent=2))


def draw_curves(record: Json, path: Path) -> None:
    """Draw loss and dev metrics over the epochs; a line marks the epoch that was kept."""
    epochs, best = record["epochs"], record["best"]
    figure = require("matplotlib.figure", "app").Figure(figsize=(7.2, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    numbers = range(len(epochs))
    above.plot(numbers, [e["comp@5"] for e in epochs], marker="o", label="Comp@5")
    above.plot(numbers, [e["recall@5"] for e in epochs], marker="o", label="Recall@5")
    above.set_ylabel("dev, %")
    above.legend()
    losses = [(n, e["loss"]) for n, e in zip(numbers, epochs, strict=True) if e["loss"] is not None]
    below.plot([n for n, _ in losses], [loss for _, loss in losses], marker="o", color="black")
    below.set_ylabel("training loss")
    below.set_xlabel("epoch")
    below.xaxis.get_major_locator().set_params(integer=True)
    for axes in (above, below):
        axes.axvline(best, color="grey", linestyle=":", label="kept")
        axes.grid(alpha=0.3)
    plan = record["plan"]
    above.set_title(f"{plan['method']} ({plan['part']}) on {Path(plan['dataset']).name} · kept epoch {best}")
    figure.savefig(path, dpi=150)


def write_whole(path: Path, text: str) -> None:
    """Write a text file aside, and then give it its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ASIDE)
    aside.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    os.replace(aside, path)


def empty(folder: Path) -> bool:
    """Say whether nothing is in a folder but what a kill may have left before the first file was whole."""
    return not any(path.is_file() and path.suffix != ASIDE for path in folder.rglob("*"))
