"""How kernels are compiled: without the GIL, with C arithmetic, cached on disk where there is a place."""

from __future__ import annotations

from numba import njit


def _probe() -> int:
    return 0


def _cacheable() -> bool:
    """Whether compiled code can be kept: not if the package and the home folder are both read-only."""
    try:
        njit(cache=True)(_probe)
    except RuntimeError:
        return False
    return True


_CACHE = _cacheable()
compiled = njit(cache=_CACHE, nogil=True, error_model="numpy")
# Sums may be reordered, so that loops turn into vector instructions.
vectorised = njit(cache=_CACHE, nogil=True, error_model="numpy", fastmath=True)
