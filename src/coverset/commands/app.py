"""What the commands share: the application, options, and how an error reaches the user."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import coverset
from coverset.store.errors import BusyStoreError, DamagedStoreError, StorageError

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich")

Store = Annotated[Path, typer.Argument(help="The store: a folder.")]
Dataset = Annotated[Path, typer.Argument(help="A folder in BEIR layout.")]
EncoderName = Annotated[str, typer.Option(help="Name of the encoder.")]
Cache = Annotated[Path | None, typer.Option(help="Where to keep embeddings; default: your cache.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


@contextmanager
def bad_input() -> Iterator[None]:
    """Turn the library's word on bad input, or on a part that is not installed, into a message and exit code 2."""
    try:
        yield
    except (ValueError, FileNotFoundError, ImportError, BusyStoreError, DamagedStoreError, StorageError) as error:
        raise typer.BadParameter(str(error)) from error


def use_device(name: str | None) -> str | None:
    """Let every encoder that runs on torch run there, and say where that is."""
    if name is not None:
        with bad_input():
            from coverset.encoders import device

            os.environ[device.VARIABLE] = device.pick(name)
        tell("coverset.encoders")
    return name


def tell(name: str) -> None:
    """Show the user what a part of the library logs, on standard error."""
    shown = logging.StreamHandler()
    shown.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger(name)
    logger.setLevel(logging.INFO)
    logger.handlers, logger.propagate = [shown], False


Device = Annotated[
    str | None,
    typer.Option(
        "--device",
        callback=use_device,
        help="For encoders that run on torch: auto, cpu, cuda, cuda:N or mps; default: $COVERSET_DEVICE, or auto.",
    ),
]


@app.callback(invoke_without_command=True)
def common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Retrieve the set of documents that together cover a query."""
    if version:
        typer.echo(coverset.__version__)
        raise typer.Exit
    if context.invoked_subcommand != "serve":  # which has a log of its own
        tell("coverset.compilation")
