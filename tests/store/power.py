"""Power loss: what a disk may hold at every moment of a series of writes, given what had been flushed by then.

A recorder notes each fsync and what all files held at that moment. From that it tells what the disk must have, and
what it may have: a file that was flushed is there if its folder was flushed after it, and anything else is there,
or not, or in part. The recorder stands between the store and the system,
and hands nothing on: no disk has to work for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from coverset import Retriever
from tests.store.history import contents, found, write
from tests.store.words import Words

Files = dict[str, bytes]


@dataclass(frozen=True)
class Moment:
    """What must be on the disk, and what the system still has in its memory beside it."""

    acknowledged: int
    flushed: Files
    cached: Files

    def disks(self) -> Iterator[tuple[str, Files]]:
        """Yield what the disk may hold, from the least to the most."""
        yield "only what was flushed", self.flushed
        left = {name: data for name, data in self.flushed.items() if name in self.cached}
        if left != self.flushed:
            yield "only what was flushed, without what was deleted", left
        unsure = [name for name, data in self.cached.items() if self.flushed.get(name) != data]
        if unsure:
            yield "names, but no contents", {**self.flushed, **{name: self._sure(name) for name in unsure}}
            halves = {name: self._half(name) for name in unsure}
            yield "the first half of each file", {**self.flushed, **halves}
            zeros = {name: half + bytes(len(self.cached[name]) - len(half)) for name, half in halves.items()}
            yield "zeros for the second half of each file", {**self.flushed, **zeros}
            yield "everything, and what was deleted", {**self.flushed, **self.cached}
        if self.cached != self.flushed:
            yield "everything as it was", self.cached

    def _sure(self, name: str) -> bytes:
        """Return what a file holds at least: to what was flushed of it, something has been appended."""
        before = self.flushed.get(name, b"")
        return before if self.cached[name].startswith(before) else b""

    def _half(self, name: str) -> bytes:
        before, now = len(self._sure(name)), self.cached[name]
        return now[: before + (len(now) - before) // 2]


@dataclass
class Recorder:
    """Records the flushes of everything in a folder."""

    folder: Path
    acknowledged: int = 0
    moments: list[Moment] = field(default_factory=list)
    _synced: dict[tuple[int, int], bytes] = field(default_factory=dict)
    _flushed: Files = field(default_factory=dict)
    _folders: set[str] = field(default_factory=set)
    _contents: dict[bytes, bytes] = field(default_factory=dict)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Take note of every fsync meanwhile."""
        flush: Callable[[int], None] = os.fsync

        def fsync(descriptor: int) -> None:
            self._note(os.readlink(f"/proc/self/fd/{descriptor}"), descriptor)

        os.fsync = fsync  # type: ignore[assignment]
        try:
            yield
        finally:
            os.fsync = flush

    def acknowledge(self) -> None:
        """Take note that a write has been acknowledged."""
        self.acknowledged += 1
        self._take()

    def _note(self, path: str, descriptor: int) -> None:
        self._take()  # before, the worst there can be
        if os.path.isdir(path):
            self._folder(path)
        else:
            found = os.fstat(descriptor)
            self._synced[found.st_ino, found.st_mtime_ns] = self._same(Path(path).read_bytes())
            name = os.path.relpath(path, self.folder)
            if name in self._flushed:
                self._flushed = {**self._flushed, name: self._same(Path(path).read_bytes())}
        self._take()

    def _folder(self, path: str) -> None:
        """A folder was flushed: its names are on the disk, and the contents of those files that were."""
        inside = os.path.relpath(path, self.folder)
        self._folders.add(inside)
        here = {name for name in self._flushed if (os.path.dirname(name) or ".") == inside}
        kept = {name: data for name, data in self._flushed.items() if name not in here}
        for entry in os.scandir(path):
            if entry.is_file():
                found, name = entry.stat(), os.path.normpath(os.path.join(inside, entry.name))
                kept[name] = self._synced.get((found.st_ino, found.st_mtime_ns), b"")
        self._flushed = kept

    def _take(self) -> None:
        cached = {
            os.path.relpath(os.path.join(home, name), self.folder): self._same(Path(home, name).read_bytes())
            for home, _, names in os.walk(self.folder)
            for name in names
        }
        moment = Moment(self.acknowledged, self._reachable(), cached)
        if not self.moments or moment != self.moments[-1]:
            self.moments.append(moment)

    def _reachable(self) -> Files:
        """Return the flushed files whose folders are themselves on the disk: each flushed in the one above it."""
        return {
            name: data
            for name, data in self._flushed.items()
            if all(str(above) in self._folders for above in Path(name).parents)
        }

    def _same(self, data: bytes) -> bytes:
        """Return equal contents as one object: they are kept for every moment."""
        return self._contents.setdefault(data, data)


def record(folder: Path, last: int) -> list[Moment]:
    """Make the first writes of a history, from the making of the store on, and return its moments."""
    recorder = Recorder(folder)
    with recorder.recording():
        store = Retriever.open(folder, encoder=Words())
        for n in range(last):
            new, gone = write(n)
            store.add(new)
            store.delete(gone)
            recorder.acknowledge()
    return recorder.moments


def check(disk: Files, folder: Path, acknowledged: int, *, go_on: bool) -> None:
    """Open what a disk holds: all that was acknowledged is there, and perhaps the write after that, whole."""
    lay_out(disk, folder)
    there = found(Retriever.open(folder, encoder=Words()))
    expected = (contents(acknowledged), contents(acknowledged + 1))
    assert there in expected, f"after {acknowledged} acknowledged writes there are {len(there)} documents"
    if go_on:
        Retriever.open(folder, encoder=Words()).add([{"id": "later", "text": "red"}])
        assert found(Retriever.open(folder, encoder=Words())) == {**there, "later": ("red", {})}


def lay_out(files: Files, folder: Path) -> None:
    """Put files into a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
