"""The ledger: which files of a table are safely on disk, and what is in them.

Lance never changes a file that it has committed. So each gets a line, its digest and its path, once it has
been brought to the disk, and whoever reads the table first checks the files that are new to them: a damaged
file is found here, before anything tries to make sense of it. A file without a line belongs to a write that
nobody has acknowledged yet.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from coverset.store.layout import LEDGER, PART, check_plain

# The files that never change; Lance keeps a hint beside them that does.
SUFFIXES = (".lance", ".manifest", ".arrow", ".bin", ".txn")
LINE = re.compile(r"([0-9a-f]{32}) (.+)")
BEGUN = b"being made\n"
# Comes after the names of all versions.
NONE = "~"


class Ledger:
    """The ledger of the table in a folder, `home`; it is a file beside it."""

    def __init__(self, home: Path) -> None:
        self.home, self.path = home, home.parent / LEDGER
        self._checked: set[str] = set()
        self._stamp: tuple[int, ...] | None = None

    @property
    def begun(self) -> bool | None:
        """Whether there has ever been a file to keep; None: the ledger itself is not there to tell."""
        if self._lines():
            return True
        try:
            return False if self.path.read_bytes() == BEGUN else None
        except FileNotFoundError:
            return None

    def begin(self) -> None:
        """Say on disk that a table is being made: what is found beside this, and nothing more, is none yet."""
        self._rewrite(BEGUN.decode())
        _sync(self.path.parent)
        _sync(self.path.parent.parent)

    def unrecorded(self) -> list[str]:
        """Return the files of versions newer than the newest that has a line: nobody has acknowledged them."""
        newest = _newest(self._lines())
        return [] if newest == NONE else [n for n in self._files() if n.endswith(".manifest") and n < newest]

    def take_back(self) -> None:
        """Remove these versions, so that the newest is one that is known to be whole."""
        for name in self.unrecorded():
            (self.home / name).unlink()
            _sync((self.home / name).parent)

    def forget(self) -> None:
        """Check all files anew: another store may be in this one's place."""
        self._checked, self._stamp = set(), None

    def stamp(self) -> tuple[int, ...] | None:
        """Return what changes whenever the ledger does."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def check(self) -> None:
        """Compare the files that are new to this process with their digests; raise ValueError if one differs."""
        stamp = self.stamp()
        if stamp == self._stamp:
            return
        check_plain(self.home.parent)
        lines = self._lines()
        if (newest := _newest(lines)) < _newest(self._files()):
            raise ValueError(f"the file {newest}, its newest version, is missing")
        for name, digest in lines.items():
            if name not in self._checked:
                try:
                    found = _digest(self.home / name)
                except FileNotFoundError:
                    continue  # cleaned away, or else whoever needs it will miss it
                if found != digest:
                    raise ValueError(f"the file {name} is damaged: it is not what was written")
                self._checked.add(name)
        self._stamp = stamp

    def record(self) -> None:
        """Bring the files that have no line yet to the disk, and give them one."""
        known, files = self._lines(), self._files()
        new = sorted(files - set(known))
        for name in new:
            _sync(self.home / name)
        for folder in sorted({folder for name in new for folder in (self.home / name).parents}, reverse=True):
            if folder.is_relative_to(self.home):
                _sync(folder)
        lines = {name: _digest(self.home / name) for name in new}
        if len(known) > 2 * len(files):
            self._rewrite(_text({name: digest for name, digest in known.items() if name in files} | lines))
        else:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n" + _text(lines))
                file.flush()
                os.fsync(file.fileno())
        _sync(self.path.parent)
        self._checked = (self._checked | set(new)) & files

    def size(self) -> int:
        """Return how many bytes all the table's files take."""
        return sum((self.home / name).stat().st_size for name in self._files())

    def _rewrite(self, text: str) -> None:
        """Write the ledger anew, whole or not at all."""
        descriptor, aside = tempfile.mkstemp(PART, LEDGER, self.path.parent)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        os.replace(aside, self.path)

    def _lines(self) -> dict[str, str]:
        """Return path -> digest; a line that was left half written, by a process or a disk, is none."""
        try:
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return {}
        found = (LINE.fullmatch(line) for line in text.split("\n"))
        return {line[2]: line[1] for line in found if line and line[2].endswith(SUFFIXES)}

    def _files(self) -> set[str]:
        found = (os.path.join(home, name) for home, _, names in os.walk(self.home) for name in names)
        return {Path(path).relative_to(self.home).as_posix() for path in found if path.endswith(SUFFIXES)}


def _newest(names: Iterable[str]) -> str:
    """Return the newest version's file: Lance counts them down, so it is the first in the order of names."""
    return min((name for name in names if name.endswith(".manifest")), default=NONE)


def _text(lines: dict[str, str]) -> str:
    return "".join(f"{digest} {name}\n" for name, digest in lines.items())


def _digest(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _sync(path: Path) -> None:
    """Bring a file or a folder from the system's memory to the disk."""
    if sys.platform == "win32" and path.is_dir():
        return  # folders cannot be opened there, nor files be flushed that are open for reading
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
