"""`coverset export` and `coverset import`: a whole store in one file, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from coverset.commands.app import AsJson, Store, app

Replace = Annotated[bool, typer.Option("--replace", help="Replace what is there, at once or not at all.")]


@app.command()
def export(
    store: Store,
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    replace: Replace = False,
    as_json: AsJson = False,
) -> None:
    """Write a whole store to one file: documents, vectors, decoder. The store may be in use.

    [bold]Example[/]

      coverset export tools.cover tools-monday.backup
    """
    from coverset.store.backup import export_store

    done = export_store(store, file, replace=replace)
    told = {"documents": done.documents, "version": done.version, "bytes": file.stat().st_size}
    said = f"{done.documents} documents of {store}, version {done.version}, are in {file}: {told['bytes']:,} bytes"
    typer.echo(json.dumps(told) if as_json else said)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="What `coverset export` wrote.")],
    store: Store,
    replace: Replace = False,
    as_json: AsJson = False,
) -> None:
    """Make a store of an exported file, after checking that all of it is what was written.

    [bold]Examples[/]

      coverset import tools-monday.backup tools.cover

      coverset import tools-monday.backup tools.cover --replace
    """
    from coverset.store.backup import import_store

    done = import_store(file, store, replace=replace)
    told = {"documents": done.documents, "encoder": done.encoder}
    typer.echo(json.dumps(told) if as_json else f"{store} now has the {done.documents} documents of {file}")
