"""`coverset demo`: the point of the project in one screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from coverset.commands.app import AsJson, app
from coverset.decoders import NNN
from coverset.inputs import as_count


@app.command()
def demo(
    request: Annotated[str | None, typer.Argument(help="Your own request; without one, a few of ours.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many tools to pick.")] = 5,
    l1: Annotated[float | None, typer.Option(help="How much a tool must still explain; default: chosen.")] = None,
    l2: Annotated[float | None, typer.Option(help="How evenly alike tools share weight; default: chosen.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the first answer, explained, into this PNG file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """See the point in ten seconds: pick the few numpy functions that together do a job, as a search does.

    [bold]Examples[/]

      coverset demo

      coverset demo "solve a linear system and compute the determinant" -k 3 --plot explained.png
    """
    from coverset.demo.catalogue import REQUESTS, catalogue
    from coverset.demo.results import results
    from coverset.demo.screen import show

    nnn, count = NNN(l1=l1, l2=l2), as_count("k", k)
    if request is not None and not request.strip():
        raise ValueError("request must not be empty")
    if plot is not None and (plot.suffix != ".png" or not plot.parent.is_dir()):
        raise ValueError(f"plot must be a .png file in a folder that exists, got {plot}")
    with Console(stderr=True).status("encoding the tools and, the first time, compiling the solver"):
        found = results([request] if request else REQUESTS, catalogue(), nnn, count)
    if plot is not None:
        from coverset.demo.figure import draw

        draw(found[0], plot)
    if as_json:
        typer.echo(json.dumps([result.as_json() for result in found], indent=2))
    else:
        show(found, nnn, Console())
