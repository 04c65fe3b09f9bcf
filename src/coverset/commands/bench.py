"""`coverset bench`: how fast the decoders are on a store."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from coverset.commands.app import AsJson, Store, app
from coverset.inputs import as_count


@app.command()
def bench(
    store: Store,
    queries: Annotated[
        int, typer.Option(help="Queries decoded at a time; each asks for two random documents.")
    ] = 32,
    k: Annotated[int, typer.Option("-k", help="How many documents.")] = 5,
    repeats: Annotated[int, typer.Option(help="Take the fastest of so many runs.")] = 5,
    peers: Annotated[
        bool,
        typer.Option(
            "--peers",
            help="Also FAISS, solvers of the elastic net, and MMR of others: those that are installed.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Time the decoders on a store's vectors, side by side in one run.

    [bold]Examples[/]

      coverset bench tools.cover

      coverset bench tools.cover --peers
    """
    from coverset.evaluation.peers import missing, peer_timings
    from coverset.evaluation.speed import timings
    from coverset.retriever import Retriever

    for name, value in (("queries", queries), ("k", k), ("repeats", repeats)):
        as_count(name, value)
    index = Retriever.open(store, create=False).snapshot().index
    if index is None:
        raise ValueError(f"the store {store} has no documents")
    with Console(stderr=True).status("timing"):
        found = timings(index, queries, k, repeats)
        if peers:
            found += peer_timings(index, queries, k, repeats, found[0].milliseconds)
    if as_json:
        typer.echo(json.dumps([asdict(timing) for timing in found]))
        return
    table = Table(title=f"{len(index):,} documents, {queries} queries at a time", title_justify="left")
    for header in ("", "ms a query", "x Dense", "passes", "certified"):
        table.add_column(header, justify="right" if header else "left")
    for t in found:
        sure = "" if t.certified is None else f"{t.certified:.0%}"
        passes = "" if t.passes is None else f"{t.passes:.1f}"
        table.add_row(t.decoder, f"{t.milliseconds:.3f}", f"{t.over_dense:.1f}", passes, sure)
    Console().print(table)
    if peers and missing():
        typer.echo(
            f"not installed, so not timed: {', '.join(missing())}; pip install 'coverset[bench]' brings them"
        )
