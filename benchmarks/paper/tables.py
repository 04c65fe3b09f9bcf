"""The paper's tables with ours beside them, and the difference: Markdown and CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from benchmarks.paper import published
from coverset.training.notes import write_whole

COLUMNS = (
    "dataset", "encoder", "method", "run", "runs", "l1", "l2", "relevance", "dev", "epochs", "kept",
    *published.METRICS, *(f"paper {metric}" for metric in published.METRICS), "comp@5 - paper",
)  # fmt: skip
INTRODUCTION = """# The paper's recipe, ours beside it

Test figures in percent; in brackets the paper's and how far ours is above or below it. Everything is chosen on dev
by Comp@5. DENSE, COLT and the lines `-Tr` are the best of `runs` so far; `epochs` are those that were run, and the
one that was kept. Decoding is exact, where the paper takes 50 steps of FISTA. `implicit` is our gradient.
"""


def write(cells: list[dict[str, Any]], out: Path) -> None:
    """Write tables.md and tables.csv, each of them whole or not at all."""
    write_whole(out / "tables.md", "\n".join([INTRODUCTION, *(part for cell in cells for part in markdown(cell))]))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", restval="", extrasaction="ignore")
    writer.writeheader()
    for cell in cells:
        writer.writerows(_flat(cell, row) for row in cell["rows"])
    write_whole(out / "tables.csv", text.getvalue())


def markdown(cell: dict[str, Any]) -> list[str]:
    """Return the lines of one data set and encoder."""
    theirs = published.figures(cell["dataset"], cell["encoder"])
    beside = (
        f", beside the paper's {published.backbone(cell['encoder'])}" if theirs else ", which the paper has not"
    )
    lines = [f"## {cell['dataset']}, {cell['encoder']}{beside}", ""]
    if cell["changes"]:
        lines += [
            f"Not the recipe: {', '.join(f'{name} {value}' for name, value in cell['changes'].items())}.",
            "",
        ]
    lines += ["| method | R@3 | R@5 | C@3 | C@5 | strengths | runs | epochs (kept) | dev C@5 |"]
    lines += ["|---|--:|--:|--:|--:|---|--:|--:|--:|"]
    for row in cell["rows"]:
        paper = theirs.get(_paper(row["method"]))
        cells = [_cell(row[metric], paper[n] if paper else None) for n, metric in enumerate(published.METRICS)]
        strengths = " ".join(f"{name}={row[name]:g}" for name in ("l1", "l2", "relevance") if name in row)
        tail = f"{strengths} | {row['runs']} | {row['epochs']} ({row['kept']}) | {row['dev']:.1f}"
        lines.append(f"| {row['method']} | {' | '.join(cells)} | {tail} |")
    return [*lines, ""]


def _flat(cell: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    paper = published.figures(cell["dataset"], cell["encoder"]).get(_paper(row["method"]))
    flat = {"dataset": cell["dataset"], "encoder": cell["encoder"], **row}
    flat |= {metric: f"{row[metric]:.2f}" for metric in published.METRICS} | {"dev": f"{row['dev']:.2f}"}
    if paper:
        flat |= {f"paper {metric}": value for metric, value in zip(published.METRICS, paper, strict=True)}
        flat["comp@5 - paper"] = f"{row['comp@5'] - paper[3]:+.2f}"
    return flat


def _paper(method: str) -> str:
    """The paper's line that one of ours stands beside."""
    return method.partition(",")[0]


def _cell(ours: float, paper: float | None) -> str:
    return f"{ours:.1f}" + ("" if paper is None else f" ({paper:.1f}, {ours - paper:+.1f})")
