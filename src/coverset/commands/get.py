"""`coverset get`: documents of a store, as JSON lines."""

from __future__ import annotations

import difflib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from coverset.commands.app import Store, app

if TYPE_CHECKING:
    from coverset.retriever import Retriever
    from coverset.store import Document


@app.command()
def get(
    store: Store,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of documents; without any, all documents.")] = None,
) -> None:
    """Print documents as JSON lines, in the form that `coverset add` reads.

    A document that was cut into passages comes back whole by its own id, as `notes.md`, and in part by that of a
    passage, as `notes.md#2`. Exit code 1 when none of them is there.

    [bold]Examples[/]

      coverset get tools.cover np.sort np.unique

      coverset get tools.cover > tools.jsonl
    """
    from coverset.retriever import Retriever

    retriever = Retriever.open(store, create=False)
    found = list(retriever) if not ids else [document for i in ids for document in _of(retriever, i)]
    for document in found:
        typer.echo(json.dumps(asdict(document), ensure_ascii=False))
    if not found:
        raise typer.Exit(1)


def _of(retriever: Retriever, identifier: str) -> list[Document]:
    """Return the document of an id, put together from its passages if it was cut; or say that there is none."""
    from coverset.store import Document

    found = retriever.get([identifier]) or retriever.whole([Document(identifier, "")])
    if found[0].text:
        return found
    near = difflib.get_close_matches(identifier, retriever.ids(), 3)
    hint = f"; did you mean {', '.join(near)}?" if near else "; coverset get STORE prints all documents"
    typer.echo(f"there is no document {identifier!r} in {retriever.folder}{hint}", err=True)
    return []
