"""What can be wrong with a store, or between two processes that want it."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# What the system refuses though nothing is wrong with the store: no room, no right, too much at a time.
REFUSALS = {
    getattr(errno, name)
    for name in ["EACCES", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EPERM", "EROFS"]
    if hasattr(errno, name)
}
# A panic inside Lance, which a damaged file can cause, is not an Exception.
PANIC = "PanicException"
NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


class DamagedStoreError(RuntimeError):
    """The store's files are not what was written: nothing of it is returned as an answer."""


class StorageError(OSError):
    """The system refuses to read or write the store's files: no room, no right. `errno` says which."""


class BusyStoreError(RuntimeError):
    """Another writer has held the store for longer than this one was told to wait."""


class EncoderMismatchError(ValueError):
    """The store was made with another encoder: its vectors and this one's do not compare."""


def refusal(error: BaseException) -> int | None:
    """Return the number under which the system refused something; None if the error is of another kind."""
    number = getattr(error, "errno", None)
    if not isinstance(number, int):
        # Lance's errors have the system's number only in their text.
        told = re.search(r"\(os error (\d+)\)", str(error))
        number = int(told[1]) if told else None
    return number if number in REFUSALS else None


@contextmanager
def named(folder: Path) -> Iterator[None]:
    """Say which store it is that cannot be used, and why: damaged, or refused by the system."""
    try:
        yield
    except (BusyStoreError, DamagedStoreError, StorageError, ImportError):
        raise
    except BaseException as error:
        if (number := refusal(error)) is not None:
            raise StorageError(number, f"{os.strerror(number)}, at the store {folder}") from error
        if isinstance(error, Exception) or type(error).__name__ == PANIC:
            raise DamagedStoreError(f"the store {folder} cannot be read: {error}") from error
        raise
