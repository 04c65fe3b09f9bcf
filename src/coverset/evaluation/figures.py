"""Figures, as PNG files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from coverset.decoders import NNN
from coverset.evaluation.metrics import Comp
from coverset.evaluation.tune import L1, L2, Trial
from coverset.extras import require


def heat_map(trials: list[Trial], dense: float, title: str, path: Path) -> None:
    """Draw Comp@5 over the (l1, l2) grid, in percent; the colours diverge from what Dense gets."""
    figures = require("matplotlib.figure", "app")
    table = np.full((len(L1), len(L2)), np.nan)
    for trial in trials:
        if isinstance(trial.decoder, NNN) and trial.decoder.l1 in L1 and trial.decoder.l2 in L2:
            table[L1.index(trial.decoder.l1), L2.index(trial.decoder.l2)] = 100 * trial.means[Comp @ 5]
    reach = max(float(np.nanmax(np.abs(table - 100 * dense))), 0.1)
    figure = figures.Figure(figsize=(7.2, 4.6), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(table - 100 * dense, cmap="RdBu", vmin=-reach, vmax=reach, origin="lower", aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        shade = "white" if abs(value - 100 * dense) > 0.6 * reach else "black"
        axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=8, color=shade)
    axes.set_xticks(range(len(L2)), [f"{value:g}" for value in L2])
    axes.set_yticks(range(len(L1)), [f"{value:g}" for value in L1])
    axes.set_xlabel("l2  (to the right: towards Dense)")
    axes.set_ylabel("l1")
    axes.set_title(title)
    figure.colorbar(image, label=f"Comp@5, points above or below Dense ({100 * dense:.1f})")
    figure.savefig(path, dpi=150)
