"""`coverset info`: what is in a store."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coverset.commands.app import AsJson, Store, app, bad_input


@app.command()
def info(store: Store, as_json: AsJson = False) -> None:
    """Say what is in a store, after checking that all of it can be read and is what was written.

    [bold]Example[/]

      coverset info tools.cover
    """
    from coverset.retriever import Retriever

    with bad_input():
        retriever = Retriever.open(store, create=False)
        snapshot = retriever.snapshot()
    size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    keys = sorted({key for row in range(len(snapshot)) for key in snapshot.document(row).meta})
    decoder = {"name": type(snapshot.decoder).__name__, **asdict(snapshot.decoder)}
    facts = {
        "documents": len(snapshot),
        "encoder": retriever.encoder_name,
        "dim": retriever.dim,
        "decoder": decoder,
        "metadata": keys,
        "version": snapshot.version,
        "bytes": size,
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    table = Table(title=escape(str(store)), title_justify="left", title_style="bold cyan", show_header=False)
    shown = {**facts, "decoder": repr(snapshot.decoder), "metadata": ", ".join(keys), "bytes": f"{size:,}"}
    for name, value in shown.items():
        table.add_row(name, escape(str(value)))
    Console().print(table)
