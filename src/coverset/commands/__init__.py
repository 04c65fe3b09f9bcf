"""What `coverset` can do: one file per command, each of which registers itself."""

# ruff: noqa: F401  (a command is registered by importing it)

from coverset.commands import (
    add,
    bench,
    dataset,
    delete,
    demo,
    evaluate,
    export,
    get,
    info,
    mcp,
    search,
    serve,
    train,
    tune,
    upgrade,
)
from coverset.commands.app import app

__all__ = ["app"]
