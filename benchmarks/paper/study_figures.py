"""The figures of one study, side by side in one picture: the paper's three, and recall against redundancy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coverset.evaluation.tuning_report import paint_grid
from coverset.extras import require

COLOURS = {
    "Dense": "#7f7f7f", "MMR": "#e08214", "MMR()": "#e08214", "NNN-Fix": "#2166ac", "NNN()": "#1b9e77",
    "L1-Fix": "#92c5de", "L2-Fix": "#b2abd2",
}  # fmt: skip


def draw(cell: dict[str, Any], path: Path) -> None:
    """Draw a study, as `benchmarks.paper.frozen` keeps it, into a PNG file."""
    figure = require("matplotlib.figure", "app").Figure(figsize=(13, 9), layout="constrained")
    figure.suptitle(f"{cell['dataset']} · {cell['encoder']}")
    grid, iterations, sizes, trade = figure.subplots(2, 2).ravel()
    if cell["grid"]:
        values = {(l1, l2): comp for l1, l2, comp in cell["grid"]}
        paint_grid(figure, grid, values, cell["dense_on_dev"])
        grid.set_title("Comp@5 on dev over the strengths")
    else:
        grid.axis("off")
        grid.text(0.5, 0.5, "no dev split: nothing tuned", ha="center", va="center")
    _iterations(iterations, cell)
    _sizes(sizes, cell)
    _trade(trade, cell)
    figure.savefig(path, dpi=100)


def _iterations(axes: Any, cell: dict[str, Any]) -> None:
    """Comp@5 against FISTA's iterations, and the exact optimum it goes to."""
    rows = {row["method"]: row["metrics"]["comp@5"] for row in cell["rows"]}
    tuned = "NNN-Fix" if "NNN-Fix" in rows else "NNN()"
    counts, values = zip(*cell["iterations"], strict=True)
    axes.semilogx(counts, values, "o-", color=COLOURS[tuned], label=f"{tuned}, FISTA")
    axes.axhline(rows[tuned], color=COLOURS[tuned], linestyle="--", label=f"{tuned}, exact")
    axes.axhline(rows["Dense"], color=COLOURS["Dense"], linestyle=":", label="Dense")
    axes.set(xlabel="iterations of FISTA", ylabel="Comp@5, %", title="Comp@5 against FISTA iterations")
    axes.legend()


def _sizes(axes: Any, cell: dict[str, Any]) -> None:
    """Comp@5 by how many documents are relevant, for Dense, MMR and NNN."""
    shown = [row for row in cell["rows"] if row["method"] not in ("L1-Fix", "L2-Fix")]
    for place, row in enumerate(shown):
        offset = (place - (len(shown) - 1) / 2) * 0.8 / len(shown)
        heights = list(row["by_size"].items())
        axes.bar(
            [int(n) + offset for n, _ in heights],
            [value for _, value in heights],
            width=0.8 / len(shown),
            color=COLOURS[row["method"]],
            label=row["method"],
        )
    sizes = sorted((int(n), count) for n, count in cell["sizes"].items())
    axes.set_xticks([n for n, _ in sizes], [f"{n}\n({count} queries)" for n, count in sizes])
    axes.set(xlabel="relevant documents", ylabel="Comp@5, %", title="Comp@5 by number of relevant documents")
    axes.legend()


def _trade(axes: Any, cell: dict[str, Any]) -> None:
    """Recall@5 against how alike the five documents of an answer are."""
    for row in cell["rows"]:
        axes.scatter(row["redundancy"], row["metrics"]["recall@5"], s=60, color=COLOURS[row["method"]])
        axes.annotate(
            row["method"], (row["redundancy"], row["metrics"]["recall@5"]), (6, 4), textcoords="offset points"
        )
    axes.margins(0.15)
    axes.set(
        xlabel="mean cosine between returned documents", ylabel="Recall@5, %", title="Recall against redundancy"
    )
