"""`coverset train`: make embeddings for joint decoding."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, get_type_hints

import typer
from rich.console import Console

from coverset.commands.app import AsJson, Cache, Commands, Dataset, app
from coverset.extras import require
from coverset.plain import Json
from coverset.training.plan import Plan

train = Commands(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(train, name="train", help="Train embeddings for joint decoding (needs the extra `train`).")

DENSE = """Train for ranking by inner product (InfoNCE): the usual bi-encoder, and what the others start from.

[bold]Examples[/]

  coverset train dense data/numpybank --out models/dense

  coverset train dense data/numpybank --train adapter --out models/dense-adapter
"""
NNN = """Train through the decoder, so that NNN finds every query's whole relevant set.

[bold]Examples[/]

  coverset train nnn data/numpybank --train adapter --out models/nnn-adapter

  coverset train nnn data/numpybank --encoder models/dense --out models/nnn --device cuda
"""
COLT = """Train COLT's collaborative stage: a vector for every document of this corpus, ranked by inner product.

[bold]Example[/]

  coverset train colt data/toollens --encoder models/dense --out models/colt
"""


def command(method: str) -> Callable[..., None]:
    """Return a method's command: its options are the fields of `Plan` that the method has."""

    def run(
        dataset: Dataset,
        out: Annotated[Path, typer.Option(help="A new folder for the trained encoder.")],
        resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted run in --out.")] = False,
        cache: Cache = None,
        as_json: AsJson = False,
        **given: object,
    ) -> None:
        chosen = {name: value for name, value in given.items() if value is not None}
        record = start(Plan.usual(method, str(dataset), **chosen), out, cache, resume)
        typer.echo(json.dumps(record) if as_json else told(record, dataset, out))

    own = [p for p in inspect.signature(run, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
    run.__signature__ = inspect.Signature([*own[:2], *plan_options(method), *own[2:]])  # type: ignore[attr-defined]
    return run


def plan_options(method: str) -> list[inspect.Parameter]:
    """Return the command line's options of a method; what is not given is what is usual for it."""
    hints, usual, found = get_type_hints(Plan), Plan.usual(method, ""), []
    for field in fields(Plan):
        about = field.metadata
        if method not in about.get("methods", ()):
            continue
        flag = about["flag"] or f"--{field.name.replace('_', '-')}"
        value = getattr(usual, field.name)
        shown = False if value is None else str(value)
        option, kind = typer.Option(None, flag, help=about["told"], show_default=shown), hints[field.name] | None
        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        found.append(inspect.Parameter(field.name, either, default=option, annotation=kind))
    return found


def start(plan: Plan, out: Path, cache: Path | None, resume: bool) -> Json:
    """Train, telling how it goes; without the extra, say what is missing."""
    for module in ("torch", "sentence_transformers"):
        require(module, "train", run=False)
    from coverset.training.session import train as session

    return session(plan, out, cache, resume, Console(stderr=True).print)


def told(record: Json, dataset: Path, out: Path) -> str:
    """Say how a run ended, and what to do with the outcome."""
    kept, best = record["epochs"][record["best"]], record["best on dev"]
    strengths = " ".join(f"--{name} {best[name]:g}" for name in ("l1", "l2") if name in best)
    evaluate = f"coverset eval {dataset} --encoder {out} --decoder {'nnn' if strengths else 'dense'} {strengths}"
    return (
        f"{record['ended']}; epoch {record['best']} kept: dev Comp@5 {kept['comp@5']:.1f}\n\n  {evaluate.rstrip()}"
    )


for name, text in (("dense", DENSE), ("nnn", NNN), ("colt", COLT)):
    train.command(name, help=text)(command(name))
