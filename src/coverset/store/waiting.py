"""What has been begun is ended first: Ctrl-C, in a notebook say, must not free a lock under a commit."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

Result = TypeVar("Result")


def to_the_end(work: Callable[[], Result]) -> Result:
    """Do some work; an interrupt that comes meanwhile, or several, is dealt with when it is over."""
    before = signal.getsignal(signal.SIGINT)
    # Interrupts are raised in the main thread, and only there can that be changed.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        return work()
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        return work()
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[0])
