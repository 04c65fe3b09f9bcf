"""`coverset add`: build a store, or let one grow."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from coverset.commands.app import AsJson, Device, Store, app, bad_input


@app.command()
def add(
    store: Store,
    sources: Annotated[list[Path], typer.Argument(help="Files, folders, or - for standard input.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format", help="jsonl, csv, text (a file each) or lines (a line each); default: by suffix."
        ),
    ] = None,
    encoder: Annotated[
        str | None, typer.Option(help="The encoder of a new store; default: all-MiniLM-L6-v2.")
    ] = None,
    device: Device = None,
    as_json: AsJson = False,
) -> None:
    """Add documents to a store, which is made if it is missing; those whose id is there are replaced.

    All input is checked first: of a file with a wrong line, nothing is written.

    JSON lines: `text`, optionally `id`, `meta`, `vector`; other keys are metadata.

    CSV: a header with `text`, optionally `id`; other columns are metadata.

    Any other file is one document.

    Without an id, it is where the document stands: the file, or file:line.

    [bold]Examples[/]

      coverset add tools.cover tools.jsonl

      coverset add notes.cover notes/ more.csv

      git log --format=%s | coverset add log.cover - --format lines
    """
    from coverset.retriever import Retriever
    from coverset.store import DocumentError
    from coverset.store.sources import located, read_sources

    start = time.perf_counter()
    with bad_input():
        found = read_sources(sources, form)
        retriever = Retriever.open(store, encoder)
        try:
            changed = retriever.add(source.document for source in found)
        except DocumentError as error:
            raise located(error, found) from error
        documents = len(retriever)
    seconds = time.perf_counter() - start
    if as_json:
        typer.echo(
            json.dumps({"read": len(found), "changed": changed, "documents": documents, "seconds": seconds})
        )
    else:
        typer.echo(
            f"{len(found)} documents read, {changed} of them new or changed, in {seconds:.1f} s; "
            f"{store} now has {documents}"
        )
