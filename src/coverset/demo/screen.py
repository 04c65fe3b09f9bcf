"""The demo on a terminal."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coverset.decoders import NNN
from coverset.demo.comparison import Comparison, compare
from coverset.encoders import load_encoder
from coverset.indexes import MemoryIndex


def comparisons(requests: list[str], tools: dict[str, str], nnn: NNN, k: int) -> list[Comparison]:
    """Encode the tools and the requests, and decode each request with every decoder."""
    encoder = load_encoder()
    index = MemoryIndex(encoder.encode(list(tools.values())))
    names = list(tools)
    queries = encoder.encode_queries(requests)
    return [compare(r, q, names, index, nnn, k) for r, q in zip(requests, queries, strict=True)]


def show(results: list[Comparison], nnn: NNN, console: Console) -> None:
    """Print one table per request, and under it what changed, why, and how sure the answer is."""
    console.print(
        f"\n[bold]{results[0].documents} tools[/], numpy's own functions; "
        f"[bold]NNN[/] with l1={nnn.l1:g}, l2={nnn.l2:g}. Which tools [italic]together[/] do the job?\n"
    )
    for result in results:
        console.print(_table(result))
        for d in result.dropped:
            overlap = f"overlaps with {escape(d.like)} (cosine {d.cosine:.2f})"
            console.print(f"  [red]-[/] {escape(d.name):22} {overlap}")
        for b in result.brought_in:
            console.print(f"  [green]+[/] [bold]{escape(b.name):22}[/] brought in from place {b.dense_rank}")
        console.print(_certificate(result), "\n")


def _table(result: Comparison) -> Table:
    table = Table(title=f"“{escape(result.request)}”", title_justify="left", title_style="bold cyan")
    dropped, new = {d.name for d in result.dropped}, {b.name for b in result.brought_in}
    table.add_column("", justify="right", style="dim")
    for name, note in (("Dense", "each is nearest"), ("MMR", "each is different"), ("NNN", "together they cover")):
        table.add_column(f"{name}\n[dim]{note}[/]", min_width=21)
    depth = max(len(picks) for picks in result.picks.values())
    for place in range(depth):
        cells = []
        for decoder, picks in result.picks.items():
            name = picks[place] if place < len(picks) else ""
            if decoder == "Dense" and name in dropped:
                name = f"[red]{escape(name)}[/]"
            elif decoder == "NNN" and name in new:
                name = f"[bold green]{escape(name)}[/]"
            cells.append(name)
        table.add_row(str(place + 1), *cells)
    table.add_section()
    table.add_row("", *(f"[dim]alike: {value:.2f}[/]" for value in result.redundancy.values()))
    table.add_row("", *(f"[dim]explain: {shares[-1]:.0%} of it[/]" for shares in result.covered.values()))
    return table


def _certificate(result: Comparison) -> str:
    if not result.certified:
        return f"  [yellow]not certified[/]: duality gap {result.gap:.1e}"
    gap = max(result.gap, float(np.finfo(np.float64).eps))
    return (
        f"  [green]certified[/] optimal over all {result.documents} tools: duality gap below {gap:.0e}, "
        f"in {result.milliseconds:.1f} ms"
    )
