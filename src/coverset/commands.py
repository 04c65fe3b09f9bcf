"""What `coverset` can do, one function per command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import coverset
from coverset.decoders import MMR, NNN, Decoder, Dense
from coverset.inputs import as_choice, as_count

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich")

Folder = Annotated[Path, typer.Argument(help="A folder in BEIR layout.")]
EncoderName = Annotated[str, typer.Option(help="Name of the encoder.")]
Cache = Annotated[Path | None, typer.Option(help="Where to keep embeddings; default: your cache.")]


@contextmanager
def bad_input() -> Iterator[None]:
    """Turn the library's word on bad input into a message and exit code 2."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.callback(invoke_without_command=True)
def common(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Retrieve the set of documents that together cover a query."""
    if version:
        typer.echo(coverset.__version__)
        raise typer.Exit


@app.command()
def demo(
    request: Annotated[str | None, typer.Argument(help="Your own request; without one, a few of ours.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many tools to pick.")] = 5,
    l1: Annotated[float, typer.Option(help="How much a tool must still explain to be let in.")] = 0.05,
    l2: Annotated[float, typer.Option(help="How evenly tools that are alike share their weight.")] = 0.1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """See the point in ten seconds: pick the few numpy functions that together do a job.

    [bold]Examples[/]

      coverset demo

      coverset demo "sort an array and remove the duplicates" -k 3
    """
    from coverset.demo.catalogue import REQUESTS, catalogue
    from coverset.demo.screen import comparisons, show

    with bad_input():
        nnn, count = NNN(l1=l1, l2=l2), as_count("k", k)
        if request is not None and not request.strip():
            raise ValueError("request must not be empty")
    with Console(stderr=True).status("encoding the tools and, the first time, compiling the solver"):
        results = comparisons([request] if request else list(REQUESTS), catalogue(), nnn, count)
    if as_json:
        typer.echo(json.dumps([result.as_json() for result in results], indent=2))
    else:
        show(results, nnn, Console())


@app.command("eval")
def evaluate(
    dataset: Folder,
    decoder: Annotated[str, typer.Option(help="dense, mmr, nnn, l1 (nnn with l2 = 0) or l2 (l1 = 0).")] = "nnn",
    split: Annotated[str, typer.Option(help="The split to measure on.")] = "test",
    tune: Annotated[str | None, typer.Option(help="Choose the parameters on this split first, by Comp@5.")] = None,
    l1: Annotated[float | None, typer.Option(help="NNN's l1, if not tuned.")] = None,
    l2: Annotated[float | None, typer.Option(help="NNN's l2, if not tuned.")] = None,
    relevance: Annotated[float | None, typer.Option(help="MMR's relevance, if not tuned.")] = None,
    encoder: EncoderName = "all-MiniLM-L6-v2",
    cache: Cache = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Measure a decoder on labelled data: Recall and Comp (all relevant documents found) at 3 and 5, in percent.

    [bold]Examples[/]

      coverset eval data/numpybank --decoder nnn --tune dev

      coverset eval data/numpybank --decoder mmr --relevance 0.8 --json
    """
    from coverset.evaluation.report import Evaluation, show

    given = {"l1": l1, "l2": l2, "relevance": relevance}
    with bad_input():
        chosen = as_choice("decoder", decoder, ("dense", "mmr", "nnn", "l1", "l2"))
        if tune is not None and any(value is not None for value in given.values()):
            raise ValueError("--tune chooses the parameters: give either it or them")
        setting = tune or make_decoder(chosen, {k: v for k, v in given.items() if v is not None})
        result = Evaluation.run(dataset, chosen, setting, split, encoder, cache)
    if as_json:
        typer.echo(json.dumps(result.as_json()))
    else:
        show(result, Console())


@app.command("tune")
def tune_(
    dataset: Folder,
    split: Annotated[str, typer.Option(help="The labelled split to tune on.")] = "dev",
    decoder: Annotated[str, typer.Option(help="mmr, nnn, l1 (nnn with l2 = 0) or l2 (l1 = 0).")] = "nnn",
    plot: Annotated[Path | None, typer.Option(help="Draw NNN's grid as a heat map into this PNG file.")] = None,
    encoder: EncoderName = "all-MiniLM-L6-v2",
    cache: Cache = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every trial.")] = False,
) -> None:
    """Find the best parameters on labelled data, and whether joint decoding helps there, and why.

    [bold]Example[/]

      coverset tune data/numpybank --plot grid.png
    """
    from coverset.evaluation.tuning_report import Tuning, show

    with bad_input():
        chosen = as_choice("decoder", decoder, ("mmr", "nnn", "l1", "l2"))
        if plot is not None and (plot.suffix != ".png" or not plot.parent.is_dir() or chosen != "nnn"):
            raise ValueError(f"plot must be a .png file in a folder that exists, for the decoder nnn, got {plot}")
        result = Tuning.run(dataset, chosen, split, encoder, cache, plot)
    if as_json:
        typer.echo(json.dumps(result.as_json()))
    else:
        show(result, Console(), plot)


def make_decoder(name: str, given: dict[str, float]) -> Decoder:
    """Return the decoder of that name with the parameters given; one that it does not have is an error."""
    accepted = {"dense": (), "mmr": ("relevance",), "nnn": ("l1", "l2"), "l1": ("l1",), "l2": ("l2",)}[name]
    for parameter in given:
        if parameter not in accepted:
            raise ValueError(f"the decoder {name!r} has no {parameter}; it has: {', '.join(accepted) or 'none'}")
    if name == "dense":
        return Dense()
    if name == "mmr":
        return MMR(relevance=given.get("relevance", MMR.relevance))
    return NNN(
        l1=0.0 if name == "l2" else given.get("l1", NNN.l1), l2=0.0 if name == "l1" else given.get("l2", NNN.l2)
    )
