"""`coverset search`: the documents of a store that together cover a query."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coverset.commands.app import AsJson, Store, app
from coverset.commands.conditions import parse_where
from coverset.commands.options import NOTHING, Distinct_, decoder_options, listed, with_kinds
from coverset.decoders.registry import NAMES, Given, changed
from coverset.inputs import as_count
from coverset.lines import STDIN, lines

if TYPE_CHECKING:
    from coverset.answer import Answer, Hit


@app.command()
@decoder_options
def search(
    store: Store,
    query: Annotated[str, typer.Argument(help="What to look for; - reads queries, one a line.")],
    k: Annotated[int, typer.Option("-k", help="How many documents; with --no-fill, at most.")] = 5,
    decoder: Annotated[
        str | None,
        typer.Option(help=f"{listed(NAMES)}; default: the store's own.", autocompletion=lambda: list(NAMES)),
    ] = None,
    given: Given = NOTHING,
    part: Annotated[
        list[str] | None,
        typer.Option(help="A part of the request, instead of what its text tells; repeat for more."),
    ] = None,
    no_parts: Annotated[bool, typer.Option("--no-parts", help="Take the request as one thing.")] = False,
    distinct: Distinct_ = None,
    share: Annotated[
        float | None, typer.Option(help="The share of words in a score; default: the store's.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only documents with this metadata: key=value, also != >= <= > < ~, or JSON; repeat."),
    ] = None,
    per: Annotated[
        str, typer.Option(metavar="passage|document", help="document: only the best passage of each.")
    ] = "passage",
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each document adds, and what is left out.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find the documents that together cover a query.

    Exit code 1 when nothing is found. With --json, one object a query and line.

    [bold]Examples[/]

      coverset search tools.cover "take the sine of an angle in degrees and round it"

      coverset search tools.cover "sort, then drop duplicates" -k 3 --explain

      coverset search tools.cover "clean my data" --part "drop duplicates" --part "fill missing values"

      coverset search tools.cover "sort" --where lang=py --where 'year>=2024' --where 'title~array'

      cat queries.txt | coverset search tools.cover - --decoder dense --json
    """
    from coverset.retriever import Retriever

    as_count("k", k)
    condition = parse_where(where or [])
    retriever = Retriever.open(store, create=False)
    chosen = with_kinds(changed(retriever.decoder, decoder, given), distinct)
    queries = [text.strip() for _, text in lines(STDIN) if text.strip()] if query == str(STDIN) else [query]
    if part and (no_parts or len(queries) > 1):
        raise ValueError("--part is for one query, and without --no-parts")
    parts = [part] if part else None if no_parts else "auto"
    answers = retriever.answer_batch(
        queries, k, where=condition, decoder=chosen, parts=parts, share=share, per=per, explain=explain
    )
    for text, answer in zip(queries, answers, strict=True):
        if as_json:
            typer.echo(json.dumps({"query": text, **answer.as_json()}, ensure_ascii=False))
        else:
            show(text, answer, Console())
    if not any(answer.hits for answer in answers):
        raise typer.Exit(1)


def show(query: str, answer: Answer, console: Console) -> None:
    """Print an answer as a table, and why it is what it is if that was asked for."""
    if not answer.hits:
        unknown = f" (no document has: {', '.join(answer.unknown_words)})" if answer.unknown_words else ""
        console.print(f"“{escape(query)}”: nothing found{escape(unknown)}", highlight=False)
        return
    console.print(f"[bold cyan]“{escape(query)}”[/]", highlight=False)
    # What is long stands in one column, under its document, so that the table suits every screen.
    table = Table(show_lines=True)
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("document", ratio=1, overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    if answer.explained:
        table.add_column("adds", justify="right", no_wrap=True)
    for n, hit in enumerate(answer.hits, start=1):
        text = " ".join(hit.text.split())
        shown = f"[bold]{escape(hit.id)}[/]\n{escape(text if len(text) <= 200 else text[:197] + '...')}"
        told = "".join(f"\n[dim]{name}:[/] {escape(said)}" for name, said in _details(hit).items() if said)
        adds = () if hit.adds is None else (f"{hit.adds:.0%}",)
        table.add_row(str(n), shown + told, f"{hit.score:.2f}", *adds)
    console.print(table)
    _show_rest(answer, console)


def _show_rest(answer: Answer, console: Console) -> None:
    """Print what the answer lacks and, if that was asked for, how much of the request it explains."""
    if not answer.answered:
        console.print("  [yellow]Nothing here seems to answer this[/]: this is the nearest there is.")
    lacking = {
        "served by none": answer.unserved,
        "words in no document": answer.unknown_words,
        "words not covered": answer.uncovered_words if answer.explained else [],
    }
    for told, words in lacking.items():
        if words:
            console.print(f"  [yellow]{told}[/]: {escape(', '.join(words))}", highlight=False)
    lower = [d.id for hit in answer.hits for d in hit.displaced if not d.says_much]
    if lower:
        console.print(f"  near, but ranked below these: {escape(', '.join(lower))}", highlight=False)
    if answer.covered_by_nearest is not None:
        console.print(
            f"  Together they explain {answer.covered:.0%} of the query; as many nearest neighbours "
            f"explain {answer.covered_by_nearest:.0%}.",
            highlight=False,
        )


def _details(hit: Hit) -> dict[str, str]:
    """Return what is said under a document; what it stands for and why only if that was asked for."""
    return {
        "for": hit.part or "",
        "alike": ", ".join(hit.alike),
        "words": ", ".join(hit.words) if hit.adds is not None else "",
        "nearest": "" if hit.place is None else f"no. {hit.place}",
        "left out, saying much of it": ", ".join(
            f"{d.id} (cosine {d.cosine:.2f})" for d in hit.displaced if d.says_much
        ),
    }
