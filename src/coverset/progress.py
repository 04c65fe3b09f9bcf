"""A progress bar for long work, on standard error, gone when the work is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from coverset.extras import require


class Advance(Protocol):
    """Called with how much more has been done and, if it changes, what the bar is about."""

    def __call__(self, count: int, what: str | None = None, /) -> None:
        """Move the bar on."""


@contextmanager
def progress(what: str, total: int, *, least: int = 0) -> Iterator[Advance]:
    """Show a bar while the context lasts; its value is called with how much more has been done.

    There is none where the total is below `least`: it would be gone at once.
    """
    if total < least:
        yield lambda _count, _what=None: None
        return
    console, bars = require("rich.console", "app"), require("rich.progress", "app")
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    screen = console.Console(stderr=True)
    with bars.Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(what, total=total)

        def advance(count: int, what: str | None = None, /) -> None:
            bar.update(task, advance=count, description=what)

        yield advance
