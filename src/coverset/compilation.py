"""How kernels are compiled: without the GIL, with C arithmetic, cached on disk where there is a place."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from numba import njit
from numba.core import event

from coverset.plain import Foreign

log = logging.getLogger(__name__)


class Telling(event.Listener):
    """Says once, to who listens, that a kernel is being compiled: on a new machine this takes a while."""

    def __init__(self) -> None:
        self._told = False

    def on_start(self, event: Foreign) -> None:
        """Say it with the first kernel of ours."""
        module = event.data["dispatcher"].py_func.__module__ or ""  # others compile functions that have none
        if not self._told and module.startswith("coverset."):
            self._told = True
            log.info("compiling, once for this machine: up to half a minute")

    def on_end(self, event: Foreign) -> None:
        """Say nothing."""


def _probe() -> int:
    return 0


def _cacheable() -> bool:
    """Whether compiled code can be kept: not if the package and the home folder are both read-only."""
    try:
        njit(cache=True)(_probe)
    except RuntimeError:
        return False
    return True


def discard_stale(folder: Path) -> None:
    """Forget kernels older than any source beside or above them.

    numba renews a kernel when its own file changes, but not when a kernel that it calls does.
    """
    sources = [*folder.glob("*.py"), *folder.parent.glob("*.py")]
    newest = max(source.stat().st_mtime for source in sources)
    for kept in folder.glob("__pycache__/*.nbi"):
        if kept.stat().st_mtime < newest:
            kept.unlink(missing_ok=True)


for _folder in ("solvers", "indexes/memory"):
    with suppress(OSError, ValueError):
        discard_stale(Path(__file__).parent / _folder)

_CACHE = _cacheable()
event.register("numba:compile", Telling())
compiled = njit(cache=_CACHE, nogil=True, error_model="numpy")
# Sums may be reordered, so that loops turn into vector instructions. Nothing is NaN; infinities are what they are.
REORDERED = {"reassoc", "contract", "nnan", "nsz", "arcp"}
vectorised = njit(cache=_CACHE, nogil=True, error_model="numpy", fastmath=REORDERED)
