"""`coverset reproduce`: the paper's tables and figures, on data of one's own choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from coverset.commands.app import AsJson, Cache, app, bad_input
from coverset.encoders import DEFAULT


@app.command()
def reproduce(
    datasets: Annotated[list[Path], typer.Argument(help="Folders in BEIR layout.")],
    out: Annotated[Path, typer.Option(help="Folder for the tables and figures; what it holds is not made again.")],
    encoder: Annotated[list[str] | None, typer.Option(help="Name of an encoder; give it again for more.")] = None,
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Make the paper's tables and figures: every method tuned on dev, measured on test, on every data set.

    Stopped half-way, it goes on where it was.

    [bold]Example[/]

      coverset reproduce data/numpybank data/toollens --encoder bge-small-en-v1.5 --out results
    """
    from coverset.evaluation.reproduction import reproduce as run

    with bad_input():
        written = run(datasets, encoder or [DEFAULT], out, cache)
    if as_json:
        typer.echo(json.dumps([str(path) for path in written]))
    else:
        Console().print("\n".join(map(str, written)), highlight=False)
