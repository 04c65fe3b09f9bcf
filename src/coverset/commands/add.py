"""`coverset add`: build a store, or let one grow."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coverset.commands.app import AsJson, Device, Store, app
from coverset.progress import progress

if TYPE_CHECKING:
    from coverset.retriever import Retriever
    from coverset.sources import Read, Skipped, Source

# Documents that are encoded and then written as one version: what an interrupt can lose.
BATCH = 512
# Texts that are looked at for their language.
SAMPLED = 1000
# Lines about files that were left out.
TOLD = 10


@app.command()
def add(
    store: Store,
    sources: Annotated[list[Path], typer.Argument(help="Files, folders, or - for standard input.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="jsonl, json, csv, lines (one each), text, markdown, html, pdf; default: by suffix.",
        ),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="The key or column of records that is the text; repeat to join several."),
    ] = None,
    identifier: Annotated[
        str | None, typer.Option("--id", metavar="KEY", help="The key or column of records that is the id.")
    ] = None,
    passages: Annotated[
        str | None,
        typer.Option(
            metavar="off|N",
            help="Cut texts into passages of at most N characters; default: 1000, for files that are one text.",
        ),
    ] = None,
    encoder: Annotated[
        str | None, typer.Option(help="The encoder of a new store; default: all-MiniLM-L6-v2.")
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGE|none|off",
            help="The language of a new store's words; none: as they are written; off: meaning only. "
            "Default: english.",
        ),
    ] = None,
    device: Device = None,
    as_json: AsJson = False,
) -> None:
    """Add documents to a store, which is made if it is missing; those whose id is there are replaced.

    All input is read and checked first: of a file with a wrong line, nothing is written.

    JSON lines, JSON: objects with `text`, optionally `id`, `meta`, `vector`; other keys are metadata.

    CSV: a header with `text`, optionally `id`; other columns are metadata, plain numbers as numbers.

    Markdown, HTML, PDF, plain text: a file is a document, cut at headings, paragraphs and sentences if it is long.

    Interrupted, it keeps what was written; the same command again goes on from there.

    [bold]Examples[/]

      coverset add tools.cover tools.jsonl

      coverset add tools.cover tools.json --id name --text name --text description

      coverset add notes.cover notes/ more.csv --passages 600

      git log --format=%s | coverset add log.cover - --format lines
    """
    from coverset.retriever import Retriever
    from coverset.sources import read_sources
    from coverset.sources.records import Columns

    start = time.perf_counter()
    size = int(passages) if passages is not None and passages.isdecimal() else passages or "auto"
    found = read_sources(sources, form, size, Columns(tuple(text or ("text",)), identifier))
    retriever = Retriever.open(store, encoder, words={None: "auto", "off": None}.get(words, words))
    changed = _write(retriever, found.sources)
    gone = _stale(retriever, found)
    deleted = retriever.delete(gone) if gone else 0
    documents = len(retriever)
    seconds = time.perf_counter() - start
    warnings = _warnings(retriever, found)
    if as_json:
        told = {"read": len(found.sources), "changed": changed, "deleted": deleted, "documents": documents}
        skipped = [asdict(file) for file in found.skipped]
        typer.echo(json.dumps({**told, "seconds": seconds, "skipped": skipped, "warnings": warnings}))
    else:
        _report(retriever, found, f"{changed} of them new or changed, in {seconds:.1f} s", deleted)
    for warning in warnings:
        typer.echo(warning, err=True)


def _report(retriever: Retriever, found: Read, changes: str, deleted: int) -> None:
    """Say what was read and written."""
    pieces = f" in {len(found.sources)} passages" if len(found.sources) > len(found.origins) else ""
    read = "1 document" if len(found.origins) == 1 else f"{len(found.origins)} documents"
    typer.echo(f"{read} read{pieces}, {changes}; {retriever.folder} now has {len(retriever)}")
    if deleted:
        typer.echo(f"{deleted} passages deleted that their documents no longer have")
    _tell(found.skipped)


def _warnings(retriever: Retriever, found: Read) -> list[str]:
    """Return what to look at."""
    cut = f"{found.long} texts are longer than most encoders read: --passages 1000 cuts them into passages"
    foreign = _foreign(retriever, found.sources)
    return ([cut] if found.long else []) + ([] if foreign is None else [foreign])


def _foreign(retriever: Retriever, sources: Sequence[Source]) -> str | None:
    """Return what to say of texts that are hardly in the language of the store's words."""
    from coverset.encoders.words import Analyser

    if retriever.words is None:
        return None
    step = max(1, len(sources) // SAMPLED)
    if not Analyser(retriever.words).foreign(str(source.document["text"]) for source in sources[::step]):
        return None
    return (
        f"few of these words are {retriever.words.capitalize()}, the language of this store's words: for texts in "
        "another one make a store with --words LANGUAGE, for code and names with --words none"
    )


def _write(retriever: Retriever, sources: Sequence[Source]) -> int:
    """Write the documents batch by batch; an interrupt leaves those that are written, and says so."""
    from coverset.sources import check_sources

    check_sources(sources, retriever.dim)
    changed = 0
    try:
        with progress("adding", len(sources)) as advance:
            for begin in range(0, len(sources), BATCH):
                part = sources[begin : begin + BATCH]
                changed += retriever.add(source.document for source in part)
                advance(len(part))
    except KeyboardInterrupt:
        # Asked of the store: the interrupt may have come between a write and its return.
        written = len(retriever.get([str(source.document["id"]) for source in sources]))
        typer.echo(
            f"interrupted: {written} of {len(sources)} are in {retriever.folder}; the same command again goes on",
            err=True,
        )
        raise typer.Exit(130) from None
    return changed


def _stale(retriever: Retriever, found: Read) -> list[str]:
    """Return what the store still has of these documents from when they were longer, shorter, or cut otherwise."""
    now, origins = {source.document["id"] for source in found.sources}, set(found.origins)
    of = ((document.id, document.meta.get("document", document.id)) for document in retriever)
    return [identifier for identifier, origin in of if origin in origins and identifier not in now]


def _tell(skipped: Sequence[Skipped]) -> None:
    """Say which files were left out, and why."""
    if skipped:
        typer.echo(f"skipped {len(skipped)} files:")
        for reason, count in Counter(file.reason for file in skipped).most_common(TOLD):
            first = next(file.file for file in skipped if file.reason == reason)
            typer.echo(f"  {first}{f' and {count - 1} more' if count > 1 else ''}: {reason}")
