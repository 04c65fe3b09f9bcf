"""One request explained as a picture: what each document adds, and what is still lacking, for every decoder."""

from __future__ import annotations

import textwrap
from pathlib import Path

from coverset.demo.results import Result
from coverset.extras import require

SHADES = (
    "#0b3c5d", "#1f6f8b", "#3a9d8f", "#8ab17d", "#e9c46a", "#f4a261", "#e76f51", "#b56576",
    "#6d597a", "#a1c6ea", "#7f5539", "#588157", "#adb5bd", "#d4a5a5", "#3d405b",
)  # fmt: skip


def draw(result: Result, path: Path) -> None:
    """Draw into a PNG file, for each decoder, the share of the request that its documents explain one by one."""
    figure = require("matplotlib.figure", "app").Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.add_subplot()
    tools = list(dict.fromkeys(name for picks in reversed(result.picks.values()) for name in picks))
    colours = {name: SHADES[n % len(SHADES)] for n, name in enumerate(tools)}
    rows = list(reversed(result.picks))
    # As wide as the best answer, and some of what it lacks.
    width = min(100.0, 130 * max([0.1, *(share for shares in result.covered.values() for share in shares)]))
    for row, decoder in enumerate(rows):
        before = 0.0
        for name, share in zip(result.picks[decoder], result.covered[decoder], strict=True):
            added = 100 * share - before
            axes.barh(row, added, left=before, color=colours[name], edgecolor="white", height=0.62)
            if added > 0.013 * width * len(name):
                axes.text(before + added / 2, row, name, ha="center", va="center", color="white", fontsize=8)
            before = 100 * share
        axes.barh(row, width - before, left=before, color="none", edgecolor="#999999", hatch="///", height=0.62)
        axes.text(before + 0.01 * width, row + 0.35, f"{before:.0f}% explained", fontsize=8, color="#333333")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlim(0, width)
    axes.set_ylim(-0.5, len(rows) - 0.4)
    axes.set_xlabel("share of the request explained, % (hatched: still lacking)")
    axes.set_title("\n".join(textwrap.wrap(f"“{result.request}”", 90)), fontsize=10)
    small = [n for n in tools if any(n in result.picks[d] for d in rows)]
    handles = [axes.barh(0, 0, color=colours[name], label=name) for name in small]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(5, len(small)), fontsize=8, frameon=False)
    figure.savefig(path, dpi=120)
