"""`coverset eval`: measure a decoder on labelled data."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from coverset.commands.app import AsJson, Cache, Dataset, EncoderName, app, bad_input
from coverset.decoders import MMR, NNN, Decoder, Dense
from coverset.inputs import as_choice


@app.command("eval")
def evaluate(
    dataset: Dataset,
    decoder: Annotated[str, typer.Option(help="dense, mmr, nnn, l1 (nnn with l2 = 0) or l2 (l1 = 0).")] = "nnn",
    split: Annotated[str, typer.Option(help="The split to measure on.")] = "test",
    tune: Annotated[str | None, typer.Option(help="Choose the parameters on this split first, by Comp@5.")] = None,
    l1: Annotated[float | None, typer.Option(help="NNN's l1, if not tuned.")] = None,
    l2: Annotated[float | None, typer.Option(help="NNN's l2, if not tuned.")] = None,
    relevance: Annotated[float | None, typer.Option(help="MMR's relevance, if not tuned.")] = None,
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
