"""`coverset tune`: find the best parameters on labelled data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from coverset.commands.app import AsJson, Cache, Dataset, EncoderName, app, bad_input
from coverset.inputs import as_choice


@app.command("tune")
def tune(
    dataset: Dataset,
    split: Annotated[str, typer.Option(help="The labelled split to tune on.")] = "dev",
    decoder: Annotated[str, typer.Option(help="mmr, nnn, l1 (nnn with l2 = 0) or l2 (l1 = 0).")] = "nnn",
    plot: Annotated[Path | None, typer.Option(help="Draw NNN's grid as a heat map into this PNG file.")] = None,
    encoder: EncoderName = "all-MiniLM-L6-v2",
    cache: Cache = None,
    as_json: AsJson = False,
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
