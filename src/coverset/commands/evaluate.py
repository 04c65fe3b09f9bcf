"""`coverset eval`: measure a decoder on labelled data."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from coverset.commands.app import AsJson, Cache, Dataset, EncoderName, app, bad_input
from coverset.commands.options import NOTHING, decoder_options, listed
from coverset.decoders.registry import METHODS, Given, make
from coverset.inputs import as_choice


@app.command("eval")
@decoder_options
def evaluate(
    dataset: Dataset,
    decoder: Annotated[str, typer.Option(help=f"{listed(METHODS)}.")] = "nnn",
    split: Annotated[str, typer.Option(help="The split to measure on.")] = "test",
    tune: Annotated[str | None, typer.Option(help="Choose the parameters on this split first, by Comp@5.")] = None,
    given: Given = NOTHING,
    encoder: EncoderName = "all-MiniLM-L6-v2",
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Measure a decoder on labelled data: Recall and Comp (all relevant documents found) at 3 and 5, in percent.

    [bold]Examples[/]

      coverset eval data/numpybank --decoder nnn --tune dev

      coverset eval data/numpybank --decoder mmr --relevance 0.8 --json
    """
    from coverset.evaluation.report import Evaluation, show

    with bad_input():
        if tune is not None and any(value is not None for value in given.values()):
            raise ValueError("--tune chooses the parameters: give either it or them")
        setting = tune or make(as_choice("decoder", decoder, tuple(METHODS)), given)
        result = Evaluation.run(dataset, decoder, setting, split, encoder, cache)
    if as_json:
        typer.echo(json.dumps(result.as_json()))
    else:
        show(result, Console())
