"""What the commands share: the application, options, and how an error reaches the user."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from typer.core import TyperCommand

import coverset
from coverset.plain import Foreign
from coverset.store.errors import BusyStoreError, DamagedStoreError, StorageError

Function = TypeVar("Function", bound=Callable[..., object])
# The library's word on bad input, or on a part that is not installed: a message and exit code 2.
BAD_INPUT = (ValueError, FileNotFoundError, ImportError, BusyStoreError, DamagedStoreError, StorageError)


class Command(TyperCommand):
    """A command whose errors reach the user as a message, where they are about what was asked for."""

    def invoke(self, ctx: Foreign) -> Foreign:
        """Run it."""
        try:
            return super().invoke(ctx)
        except BAD_INPUT as error:
            raise typer.BadParameter(str(error), ctx) from error


class Commands(typer.Typer):
    """An application, or a part of one, of such commands."""

    def command(self, name: str | None = None, **about: Foreign) -> Callable[[Function], Function]:
        """Register a command."""
        return super().command(name, cls=Command, **about)


app = Commands(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich")

Store = Annotated[Path, typer.Argument(help="The store: a folder.")]
Dataset = Annotated[Path, typer.Argument(help="A folder in BEIR layout.")]
EncoderName = Annotated[str, typer.Option(help="Name of the encoder.")]
Cache = Annotated[Path | None, typer.Option(help="Where to keep embeddings; default: your cache.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def use_device(name: str | None) -> str | None:
    """Let every encoder that runs on torch run there, and say where that is."""
    if name is not None:
        from coverset.encoders import device

        try:
            os.environ[device.VARIABLE] = device.pick(name)
        except BAD_INPUT as error:
            raise typer.BadParameter(str(error)) from error
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
