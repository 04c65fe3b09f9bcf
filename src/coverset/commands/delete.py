"""`coverset delete`: take documents out of a store."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from coverset.commands.app import AsJson, Store, app
from coverset.lines import STDIN, lines


@app.command()
def delete(
    store: Store,
    ids: Annotated[list[str], typer.Argument(help="Ids of documents; - reads them, one a line.")],
    as_json: AsJson = False,
) -> None:
    """Delete documents by their ids.

    Exit code 1 when none of them was there.

    [bold]Examples[/]

      coverset delete tools.cover np.sort np.unique

      grep '^old/' ids.txt | coverset delete tools.cover -
    """
    from coverset.retriever import Retriever

    if ids == [str(STDIN)]:
        ids = [text.rstrip("\r\n") for _, text in lines(STDIN) if text.strip()]
    retriever = Retriever.open(store, create=False)
    deleted, documents = retriever.delete(ids), len(retriever)
    if as_json:
        typer.echo(json.dumps({"deleted": deleted, "documents": documents}))
    else:
        typer.echo(f"{deleted} documents deleted; {store} now has {documents}")
    if not deleted:
        raise typer.Exit(1)
