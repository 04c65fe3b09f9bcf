"""What a store's folder is made of: plain files and folders, and nothing that leads elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# The table's folder, the file with the digests of its files, and the lock of whoever writes.
HOME, LEDGER, LOCK = "documents.lance", "ledger", "writer.lock"
# The ending of a ledger that is still being written.
PART = ".part"


def check_plain(folder: Path) -> None:
    """Raise ValueError if a link, a pipe or a device stands where a store has files and folders.

    Through a link that somebody put there, files outside of the store would be read and written, and whoever
    opens a pipe may wait forever. The folder itself may be reached by a link.
    """
    for path in _parts(folder):
        plain = not os.path.islink(path) and (os.path.isfile(path) or os.path.isdir(path))
        # What is not there may have been cleaned away meanwhile.
        if not plain and os.path.lexists(path):
            raise ValueError(f"{path} is neither a file nor a folder: a store has no links and no pipes in it")


def is_part(name: str) -> bool:
    """Say whether a file of this name, in a store's folder, is the store's."""
    return name in (HOME, LEDGER, LOCK) or (name.startswith(LEDGER) and name.endswith(PART))


def _parts(folder: Path) -> Iterator[str]:
    for name in (LOCK, LEDGER, HOME):
        yield os.path.join(folder, name)
    for home, folders, files in os.walk(folder / HOME):
        for name in (*folders, *files):
            yield os.path.join(home, name)
