"""`coverset dataset`: the paper's data sets, out of their authors' files."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from coverset.commands.app import AsJson, app


@app.command()
def dataset(
    name: Annotated[str, typer.Argument(help="numpybank, pandasbank, awsbank, toollens or multihoprag.")],
    source: Annotated[str, typer.Argument(help="The folder with the authors' files, or its name on the hub.")],
    out: Annotated[Path, typer.Option(help="A new folder for the data set in BEIR layout.")],
    as_json: AsJson = False,
) -> None:
    """Make one of the paper's data sets out of what its authors publish, and compare its counts with the paper's.

    All of it is checked first: of files with something wrong, nothing is written.

    [bold]Examples[/]

      coverset dataset numpybank Tool2Vec/ --out data/numpybank

      coverset dataset toollens COLT/ --out data/toollens

      coverset dataset multihoprag yixuantt/MultiHopRAG --out data/multihoprag
    """
    from coverset.originals.convert import convert

    made = convert(name, source, out)
    if as_json:
        typer.echo(json.dumps(asdict(made)))
        return
    counts = made.counts
    typer.echo(
        f"{out}: {counts.documents:,} documents; {counts.train:,} train, {counts.dev:,} dev and {counts.test:,} "
        f"test queries, which need {counts.fewest} to {counts.most} documents, {counts.mean:.2f} on average"
    )
    for line in made.differences:
        typer.echo(f"not as in the paper: {line}", err=True)
