"""`coverset info`: what is in a store."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape

from coverset.commands.app import AsJson, Store, app
from coverset.decoders.registry import chosen

if TYPE_CHECKING:
    from coverset.store.rows import State


@app.command()
def info(store: Store, as_json: AsJson = False) -> None:
    """Say what is in a store, after checking that all of it can be read and is what was written.

    [bold]Example[/]

      coverset info tools.cover
    """
    from coverset.retriever import Retriever

    retriever = Retriever.open(store, create=False)
    snapshot = retriever.snapshot()
    size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    keys = Counter(key for row in range(len(snapshot)) for key in snapshot.document(row).meta)
    decoder = {"name": type(snapshot.decoder).__name__, **asdict(snapshot.decoder)}
    state = snapshot.contents.state
    share = snapshot.index.share if snapshot.index is not None and retriever.words is not None else None
    facts = {
        "documents": len(snapshot),
        "encoder": retriever.encoder_name,
        "dim": retriever.dim,
        "format": state.format,
        "words": retriever.words,
        "share": share,
        "decoder": decoder,
        "metadata": sorted(keys),
        "version": snapshot.version,
        "bytes": size,
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold cyan]{escape(str(store))}[/]: {len(snapshot):,} documents, {size / 1e6:,.1f} MB on disk")
    console.print(f"All of it can be read and is what was written; it has seen {snapshot.version} versions.\n")
    said = ", ".join(f"{name}={value!r}" for name, value in chosen(snapshot.decoder).items() if value is not None)
    about = {
        "encoder": f"{retriever.encoder_name}, {retriever.dim} dimensions",
        "words": _words(state, share, store),
        "decoder": f"{type(snapshot.decoder).__name__}({said})",
        "metadata": ", ".join(f"{key} ({count:,})" for key, count in sorted(keys.items())) or "none",
    }
    for name, value in about.items():
        console.print(f"  [dim]{name:<10}[/]{escape(value)}")
    if not retriever.takes_text:
        console.print(
            "\nIts vectors were made elsewhere: search it from Python, with vectors, or text and its vector."
        )
        return
    console.print(
        f'\nNext: coverset search {escape(str(store))} "what you need", coverset serve {escape(str(store))}'
    )


def _words(state: State, share: float | None, store: Path) -> str:
    """Return what is said of a store's words."""
    if state.words is not None:
        return f"{state.words}, {share or 0.0:.0%} of a score"
    if state.first:
        return (
            f"none: the store is of the first format, without words, and coverset upgrade {store} brings it over"
        )
    return "none: meaning only"
