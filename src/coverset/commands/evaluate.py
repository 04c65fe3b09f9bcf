"""`coverset eval`: measure a decoder on labelled data."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from coverset.commands.app import AsJson, Cache, Dataset, Device, EncoderName, app
from coverset.commands.options import NOTHING, Distinct_, decoder_options, listed, with_kinds
from coverset.decoders.registry import METHODS, Given, make
from coverset.inputs import as_choice, as_number


@app.command("eval")
@decoder_options
def evaluate(
    dataset: Dataset,
    decoder: Annotated[str, typer.Option(help=f"{listed(METHODS)}.")] = "nnn",
    split: Annotated[str, typer.Option(help="The split to measure on.")] = "test",
    tune: Annotated[str | None, typer.Option(help="Choose the parameters on this split first, by Comp@5.")] = None,
    given: Given = NOTHING,
    space: Annotated[
        str, typer.Option(help="hybrid (words and meaning), dense (meaning alone) or words.")
    ] = "hybrid",
    no_parts: Annotated[bool, typer.Option("--no-parts", help="Take every request as one thing.")] = False,
    share: Annotated[float | None, typer.Option(help="The share of words in the hybrid space.")] = None,
    distinct: Distinct_ = None,
    encoder: EncoderName = "all-MiniLM-L6-v2",
    cache: Cache = None,
    device: Device = None,
    as_json: AsJson = False,
) -> None:
    """Measure a decoder on labelled data: Recall and Comp (all relevant documents found) at 3 and 5, in percent.

    It measures what a search would return: by words and meaning, a request and its parts, one of each kind.
    The paper's setting is --space dense --no-parts.

    [bold]Examples[/]

      coverset eval data/numpybank --decoder nnn --tune dev

      coverset eval data/numpybank --decoder mmr --relevance 0.8 --json
    """
    from coverset.evaluation.embedded import Space
    from coverset.evaluation.report import Evaluation, show
    from coverset.indexes.memory.index import SHARE

    if tune is not None and any(value is not None for value in given.values()):
        raise ValueError("--tune chooses the parameters: give either it or them")
    if share is not None and (space != "hybrid" or tune is not None):
        raise ValueError("--share is for the space hybrid, and chosen by --tune: it would have no effect")
    setting = tune or with_kinds(make(as_choice("decoder", decoder, tuple(METHODS)), given), distinct)
    if tune is not None and distinct is not None:
        raise ValueError("--tune goes with the usual kinds: --distinct would have no effect")
    chosen = Space(space, parts=not no_parts, share=SHARE if share is None else as_number("share", share, 0, 1))
    result = Evaluation.run(dataset, decoder, setting, split, encoder, cache, chosen)
    if as_json:
        typer.echo(json.dumps(result.as_json()))
    else:
        show(result, Console())
