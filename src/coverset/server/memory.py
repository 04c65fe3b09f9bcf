"""Keep the process as large as it needs to be, however often the store changes."""

from __future__ import annotations

import ctypes
import sys

# From glibc's malloc.h.
MMAP_THRESHOLD, ARENA_MAX = -3, -8


def give_back() -> None:
    """Have large arrays go back to the system when they are freed.

    Every write makes a new version of all vectors, and the old one is dropped. Left to itself, glibc begins to
    keep such arrays in its heaps, one for every few threads, and the holes between them grow. Elsewhere than
    with glibc, this does nothing.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, 2**20)
        mallopt(ARENA_MAX, 2)
