"""What can be wrong with a store, or between two processes that want it."""

from __future__ import annotations


class DamagedStoreError(RuntimeError):
    """The store's files are not what was written: nothing of it is returned as an answer."""


class BusyStoreError(RuntimeError):
    """Another writer has held the store for longer than this one was told to wait."""


class EncoderMismatchError(ValueError):
    """The store was made with another encoder: its vectors and this one's do not compare."""
