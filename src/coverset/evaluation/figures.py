"""Figures, as PNG files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from coverset.decoders import NNN
from coverset.decoders.nnn import L1, L2
from coverset.evaluation.metrics import Comp
from coverset.evaluation.tuning import Trial
from coverset.extras import require
from coverset.plain import Foreign


def heat_map(trials: list[Trial], dense: float, title: str, path: Path) -> None:
    """Draw Comp@5 over the (l1, l2) grid; `dense` is what Dense gets, as a fraction."""
    figure = require("matplotlib.figure", "app").Figure(figsize=(7.2, 4.6), layout="constrained")
    axes = figure.add_subplot()
    values = {(t.decoder.l1, t.decoder.l2): 100 * t.means[Comp @ 5] for t in trials if isinstance(t.decoder, NNN)}
    paint_grid(figure, axes, values, 100 * dense)
    axes.set_title(title)
    figure.savefig(path, dpi=150)


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
