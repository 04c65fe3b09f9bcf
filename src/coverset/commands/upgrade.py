"""`coverset upgrade`: give a store of the first format words beside the meaning that it has."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from coverset.commands.app import AsJson, Store, app


@app.command()
def upgrade(
    store: Store,
    words: Annotated[
        str, typer.Option(help="The language of the texts: english, german, ... or none.")
    ] = "english",
    as_json: AsJson = False,
) -> None:
    """Bring a store of an earlier version over: its texts' words are searched for from then on, not only meaning.

    Nothing is encoded again, and the store can be searched meanwhile.

    [bold]Examples[/]

      coverset upgrade tools.cover

      coverset upgrade werkzeuge.cover --words german
    """
    from coverset.retriever import Retriever

    retriever = Retriever.open(store, create=False)
    had = retriever.words
    documents = len(retriever) if had is not None else retriever.upgrade(words)
    if as_json:
        typer.echo(json.dumps({"documents": documents, "words": retriever.words, "changed": had is None}))
    elif had is not None:
        typer.echo(f"{store} has words already ({had}): nothing to do.")
    else:
        typer.echo(f"{store} has words now ({words}), of {documents} documents.")
