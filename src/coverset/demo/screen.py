"""The demo on a terminal."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coverset.decoders import NNN
from coverset.demo.results import Result


def show(results: list[Result], nnn: NNN, console: Console) -> None:
    """Print one table per request, and under it what changed, why, and how sure the answer is."""
    console.print(
        f"\n[bold]{results[0].documents} tools[/], numpy's own functions; "
        f"[bold]NNN[/] {_told(nnn)}. Which tools [italic]together[/] do the job?\n"
    )
    for result in results:
        console.print(f"[bold cyan]“{escape(result.request)}”[/]", highlight=False)
        console.print(_table(result))
        for d in result.found.left_out:
            much = f"says much of what {escape(d.like)} says (cosine {d.cosine:.2f})"
            console.print(
                f"  [red]-[/] {escape(d.id):22} {much if d.says_much else 'ranks below those that are in'}"
            )
        for b in result.found.brought_in:
            console.print(f"  [green]+[/] [bold]{escape(b.id):22}[/] brought in from place {b.dense_rank}")
        if result.nnn.unserved:
            unserved = escape(", ".join(result.nnn.unserved))
            console.print(f"  [yellow]served by none[/]: {unserved}", highlight=False)
        console.print(_certificate(result), "\n")


def _told(nnn: NNN) -> str:
    given = [f"{name}={value:g}" for name, value in (("l1", nnn.l1), ("l2", nnn.l2)) if value is not None]
    return f"with {', '.join(given)}" if given else "as a search runs it"


def _table(result: Result) -> Table:
    table = Table()
    dropped, new = {d.id for d in result.found.left_out}, {b.id for b in result.found.brought_in}
    table.add_column("", justify="right", style="dim", no_wrap=True)
    for name, note in (("Dense", "each is nearest"), ("MMR", "each is different"), ("NNN", "together they cover")):
        table.add_column(f"{name}\n[dim]{note}[/]", overflow="fold")
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


def _certificate(result: Result) -> str:
    """Return how sure the answer is, or that there is none."""
    if not result.nnn.answered:
        return "  [yellow]Nothing here seems to answer this[/]: NNN's is the nearest there is."
    gap = result.nnn.gap or 0.0
    if not result.nnn.certified:
        return f"  [yellow]not certified[/]: duality gap {gap:.1e}"
    return (
        f"  [green]certified[/] optimal over all {result.documents} tools: duality gap below "
        f"{max(gap, float(np.finfo(np.float64).eps)):.0e}, in {1000 * result.nnn.seconds:.1f} ms"
    )
