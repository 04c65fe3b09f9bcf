"""What `coverset` can do: one file per command, each of which registers itself."""

from coverset.commands import demo, evaluate, mcp, train, tune
from coverset.commands.app import app

__all__ = ["app", "demo", "evaluate", "mcp", "train", "tune"]
