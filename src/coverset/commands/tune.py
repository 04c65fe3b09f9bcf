"""`coverset tune`: find the best parameters on labelled data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from coverset.commands.app import AsJson, Cache, app
from coverset.commands.options import listed
from coverset.decoders.registry import grid, tunable
from coverset.encoders import DEFAULT
from coverset.inputs import as_choice
from coverset.progress import progress

if TYPE_CHECKING:
    from coverset.decoders import Decoder
    from coverset.evaluation.measuring import Labelled
    from coverset.evaluation.tuning_report import Tuning
    from coverset.indexes import MemoryIndex
    from coverset.retriever import Retriever

# Queries of which it is said what they lack.
TOLD = 5


@app.command()
def tune(
    data: Annotated[Path, typer.Argument(help="A folder in BEIR layout, or a store.")],
    examples: Annotated[
        Path | None,
        typer.Argument(
            help='For a store: lines of {"query": ..., "relevant": \\[ids]}; a list among them: any one.'
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="Of a BEIR folder, the labelled split to tune on.")] = "dev",
    decoder: Annotated[
        str, typer.Option(help=f"{listed(tunable())}.", autocompletion=lambda: list(tunable()))
    ] = "nnn",
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="Without labels: look at the queries only, of a log say.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw NNN's grid as a heat map into this PNG file.")] = None,
    encoder: Annotated[str, typer.Option(help="Of a BEIR folder, the encoder; a store has its own.")] = DEFAULT,
    space: Annotated[str, typer.Option(help="Of a BEIR folder: hybrid, dense or words.")] = "hybrid",
    no_parts: Annotated[bool, typer.Option("--no-parts", help="Of a BEIR folder: take requests whole.")] = False,
    cache: Cache = None,
    apply: Annotated[bool, typer.Option("--apply", help="Make the result the store's own setting.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the best parameters on labelled data, and what they bring over the default, how surely.

    The choice is careful: neighbouring settings must agree, and it stays with the default, which chooses per
    query, unless each query surely gains by what all the others choose. With --unlabelled, some twenty queries
    without labels tell how strongly to decode: less surely than labels.

    [bold]Examples[/]

      coverset tune data/numpybank --plot grid.png

      coverset tune tools.cover examples.jsonl --apply

      coverset tune tools.cover queries.jsonl --unlabelled --apply
    """
    from coverset.evaluation.embedded import Space, embed
    from coverset.evaluation.examples import label_store
    from coverset.evaluation.unlabelled import Suited

    chosen = as_choice("decoder", decoder, tunable())
    _check(chosen, plot, unlabelled=unlabelled, of_store=examples is not None, apply=apply)
    if examples is None and (data / "ledger").is_file():
        raise ValueError(
            f"{data} is a store, which is tuned by examples of its own: coverset tune {data} examples.jsonl, "
            'with lines of {"query": "...", "relevant": ["id", "id"]}, or of {"query": "..."} and --unlabelled'
        )
    if examples is None:
        store, title = None, f"{data.name} · {split} · {encoder}"
        index, (labelled,) = embed(data, encoder, cache, [split], Space(space, parts=not no_parts))
    else:
        title = f"{data.name} · {examples.name}"
        store, index, labelled = label_store(data, examples, labels=not unlabelled)
    result = Suited.run(index, labelled.queries) if unlabelled else _tuned(chosen, index, labelled, title, plot)
    another = store is not None and (result.decoder != store.decoder or result.share is not None)
    if apply and another and store is not None:
        store.configure(result.decoder, share=result.share)
    if as_json:
        typer.echo(json.dumps(result.as_json()))
        return
    console = Console()
    result.show(console)
    if store is not None and examples is not None and not unlabelled and result.share is None:
        _tell_incomplete(store, examples, result.decoder, index, labelled, console)
    if plot is not None:
        console.print(f"\nComp@5 over the grid: {plot}", highlight=False)
    if apply and not another:
        console.print(f"\nNothing was changed: {data} searches with this setting already.", highlight=False)
    elif apply:
        console.print(f"\n{data} now searches with this setting.", highlight=False)
    elif store is not None:
        console.print("\nWith --apply it becomes the store's own setting.", highlight=False)


def _tell_incomplete(
    store: Retriever, path: Path, decoder: Decoder, index: MemoryIndex, labelled: Labelled, console: Console
) -> None:
    """Say of a few queries that are not answered in full what is missing."""
    from coverset.evaluation.examples import read_queries
    from coverset.evaluation.measuring import incomplete

    queries, ids = read_queries(path), store.snapshot().ids
    lacking = list(incomplete(decoder, index, labelled))
    if lacking:
        console.print(f"\nNot complete: {len(lacking)} of {len(queries)}", highlight=False)
    for query, needs in lacking[:TOLD]:
        missing = ", ".join(" or ".join(sorted(ids[row] for row in need)) for need in needs)
        console.print(f"  “{escape(queries[query])}” lacks {escape(missing)}", highlight=False)


def _tuned(name: str, index: MemoryIndex, labelled: Labelled, title: str, plot: Path | None) -> Tuning:
    """Tune behind a progress bar, and draw the grid if a file is given for it."""
    from coverset.evaluation.tuning_report import Tuning

    with progress(f"tuning {name} on {title}", len(grid(name))) as advance:
        result = Tuning.run(name, index, labelled, advance)
    if plot is not None:
        result.draw(title, plot)
    return result


def _check(decoder: str, plot: Path | None, *, unlabelled: bool, of_store: bool, apply: bool) -> None:
    """See that the options go together."""
    if plot is not None and (plot.suffix != ".png" or not plot.parent.is_dir() or decoder != "nnn"):
        raise ValueError(f"plot must be a .png file in a folder that exists, for the decoder nnn, got {plot}")
    if unlabelled and (decoder != "nnn" or plot is not None):
        raise ValueError("--unlabelled is for the decoder nnn, and has no grid to plot")
    if apply and not of_store:
        raise ValueError("--apply is for a store: coverset tune STORE examples.jsonl --apply")
