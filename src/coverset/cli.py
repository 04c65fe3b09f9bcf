"""The command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `coverset`, or say what to install for it."""
    try:
        from coverset.commands import app
    except ImportError as error:
        missing = (error.name or "").split(".")[0]
        if missing not in ("typer", "rich"):
            raise
        sys.exit(f"coverset: the command line needs {missing}: pip install 'coverset[app]'")
    app()
