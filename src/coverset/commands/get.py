"""`coverset get`: documents of a store, as JSON lines."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from coverset.commands.app import Store, app, bad_input


@app.command()
def get(
    store: Store,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of documents; without any, all documents.")] = None,
) -> None:
    """Print documents as JSON lines, in the form that `coverset add` reads.

    Exit code 1 when none of them is there.

    [bold]Examples[/]

      coverset get tools.cover np.sort np.unique

      coverset get tools.cover > tools.jsonl
    """
    from coverset.retriever import Retriever

    with bad_input():
        retriever = Retriever.open(store, create=False)
        found = retriever.get(ids) if ids else list(retriever)
    for document in found:
        typer.echo(json.dumps(asdict(document), ensure_ascii=False))
    if not found:
        raise typer.Exit(1)
