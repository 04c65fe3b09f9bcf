"""`coverset train`: make embeddings for joint decoding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from coverset.commands.app import AsJson, Cache, Dataset, app, bad_input
from coverset.extras import require

train = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(train, name="train", help="Train embeddings for joint decoding (needs the extra `train`).")

Out = Annotated[Path, typer.Option(help="A new folder for the trained encoder.")]
Start = Annotated[str, typer.Option(help="The encoder to start from: a name, or a folder.")]
Part = Annotated[
    str, typer.Option("--train", help="encoder: the networks; adapter: small adapters over frozen embeddings.")
]
Epochs = Annotated[int, typer.Option(help="At most so many.")]
Steps = Annotated[int | None, typer.Option(help="At most so many batches in an epoch; default: all.")]
Batch = Annotated[int, typer.Option(help="Examples in a batch.")]
Rate = Annotated[float | None, typer.Option("--lr", help="Learning rate; default: 2e-5, for adapters 1e-3.")]
Patience = Annotated[
    int | None,
    typer.Option(help="Stop after so many epochs that are no better on dev; default: 3, for adapters 6."),
]
Tokens = Annotated[
    int | None, typer.Option(help="Cut texts after so many tokens; default: where the network does.")
]
Seed = Annotated[int, typer.Option(help="Of everything random.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with an interrupted run in --out.")]
HoldOut = Annotated[float, typer.Option(help="Share of the relevant sets to keep out of training altogether.")]


@train.command()
def dense(
    dataset: Dataset,
    out: Out,
    encoder: Start = "all-MiniLM-L6-v2",
    part: Part = "encoder",
    epochs: Epochs = 20,
    steps: Steps = None,
    batch: Batch = 64,
    lr: Rate = None,
    patience: Patience = None,
    max_tokens: Tokens = None,
    hold_out: HoldOut = 0.0,
    seed: Seed = 0,
    resume: Resume = False,
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Train for ranking by inner product (InfoNCE): the usual bi-encoder, and what the others start from.

    [bold]Examples[/]

      coverset train dense data/numpybank --out models/dense

      coverset train dense data/numpybank --train adapter --out models/dense-adapter
    """
    plan = {"method": "dense", "encoder": encoder, "part": part, "max_tokens": max_tokens, "held_out": hold_out}
    how = {"epochs": epochs, "steps": steps, "batch": batch, "rate": lr, "patience": patience, "seed": seed}
    run(dataset, plan, how, out, cache, resume, as_json)


@train.command()
def nnn(
    dataset: Dataset,
    out: Out,
    encoder: Start = "all-MiniLM-L6-v2",
    part: Part = "encoder",
    decoder: Annotated[str, typer.Option(help="nnn, l1 (nnn with l2 = 0) or l2 (l1 = 0).")] = "nnn",
    gradient: Annotated[str, typer.Option(help="implicit: of the optimum; unrolled: the paper's.")] = "implicit",
    l1: Annotated[float | None, typer.Option(help="NNN's l1; default: the best on dev.")] = None,
    l2: Annotated[float | None, typer.Option(help="NNN's l2; default: the best on dev.")] = None,
    tau: Annotated[float, typer.Option(help="Temperature of the loss.")] = 0.1,
    epochs: Epochs = 20,
    steps: Steps = None,
    batch: Batch = 64,
    lr: Rate = None,
    patience: Patience = None,
    max_tokens: Tokens = None,
    hold_out: HoldOut = 0.0,
    seed: Seed = 0,
    resume: Resume = False,
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Train through the decoder, so that NNN finds every query's whole relevant set.

    [bold]Examples[/]

      coverset train nnn data/numpybank --train adapter --out models/nnn-adapter

      coverset train nnn data/numpybank --encoder models/dense --out models/nnn
    """
    plan = {
        "method": "nnn", "encoder": encoder, "part": part, "decoder": decoder, "gradient": gradient, "l1": l1,
        "l2": l2, "tau": tau, "max_tokens": max_tokens, "held_out": hold_out,
    }  # fmt: skip
    how = {"epochs": epochs, "steps": steps, "batch": batch, "rate": lr, "patience": patience, "seed": seed}
    run(dataset, plan, how, out, cache, resume, as_json)


@train.command()
def colt(
    dataset: Dataset,
    out: Out,
    encoder: Start = "all-MiniLM-L6-v2",
    depth: Annotated[int, typer.Option(help="How many times vectors are spread over the graphs.")] = 2,
    weight: Annotated[float, typer.Option(help="Of the contrastive loss.")] = 0.1,
    epochs: Epochs = 20,
    batch: Batch = 256,
    lr: Rate = 1e-3,
    patience: Patience = 20,
    hold_out: HoldOut = 0.0,
    seed: Seed = 0,
    resume: Resume = False,
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Train COLT's collaborative stage: a vector for every document of this corpus, ranked by inner product.

    [bold]Example[/]

      coverset train colt data/toollens --encoder models/dense --out models/colt
    """
    plan = {"method": "colt", "encoder": encoder, "depth": depth, "weight": weight, "held_out": hold_out}
    how = {"epochs": epochs, "batch": batch, "rate": lr, "patience": patience, "seed": seed, "decay": 1e-7}
    run(dataset, plan, how, out, cache, resume, as_json)


def run(
    dataset: Path,
    plan: dict[str, Any],
    how: dict[str, Any],
    out: Path,
    cache: Path | None,
    resume: bool,
    as_json: bool,
) -> None:
    """Train, telling how it goes, and say what to do with the outcome."""
    with bad_input():
        try:
            require("torch", "train", run=False)
            require("sentence_transformers", "train", run=False)
        except ImportError as error:
            raise ValueError(str(error)) from error
        from coverset.training.run import Settings
        from coverset.training.session import ADAPTER, Plan
        from coverset.training.session import train as start

        usual = ADAPTER if plan.get("part") == "adapter" else {}
        how = {**usual, **{name: value for name, value in how.items() if value is not None}}
        console = Console(stderr=True)
        record = start(Plan(dataset=str(dataset), **plan), Settings(**how), out, cache, resume, console.print)
    if as_json:
        typer.echo(json.dumps(record))
        return
    kept = record["epochs"][record["best"]]
    told = " ".join(
        f"--{name} {record['best on dev'][name]:g}" for name in ("l1", "l2") if name in record["best on dev"]
    )
    typer.echo(f"{record['ended']}; epoch {record['best']} kept: dev Comp@5 {kept['comp@5']:.1f}")
    name = "nnn" if told else "dense"
    typer.echo(f"\n  coverset eval {dataset} --encoder {out} --decoder {name} {told}".rstrip())
