"""A store's table, a Lance dataset: one commit a write, whole versions for readers, one writer at a time."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from coverset.extras import require
from coverset.plain import Foreign
from coverset.store import rows, version
from coverset.store.errors import PANIC, BusyStoreError, named, refusal
from coverset.store.layout import HOME, LOCK, check_plain
from coverset.store.ledger import Ledger
from coverset.store.waiting import to_the_end

# After this many versions a table is rewritten as one piece, and also after a write of many documents, when what
# it has replaced has come to three times of what is there.
TIDY, LARGE = 32, 1000
# A version is kept for this long after a newer one, so that those who are reading it can go on.
KEPT = timedelta(seconds=20)
# Times that a reader tries again when the version it was reading has been cleaned away all the same.
TRIES = 4

Result = TypeVar("Result")


class Table:
    """The documents of a store, on disk; a write waits for another writer for `timeout` seconds."""

    def __init__(self, folder: Path, timeout: float) -> None:
        require("lance", "store", run=False)
        self.folder, self.timeout = folder, timeout
        self._home = folder / HOME
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._reader: Foreign = None
        self._writer: Foreign = None
        self._ledger = Ledger(self._home)
        # The newest version that is known, and the ledger's stamp then: a store may be put in another's place.
        self._newest: tuple[Any, version.Outline | None] = None, None
        self._file: int | None = None

    @property
    def exists(self) -> bool:
        """Whether a version has ever been committed, even if it is damaged now."""
        with named(self.folder):
            check_plain(self.folder)
            begun = self._ledger.begun
            return any((self._home / "_versions").glob("*.manifest")) if begun is None else begun

    def create(self, state: rows.State, dim: int) -> None:
        """Make an empty store, unless another process has been faster."""
        with named(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with named(self.folder), self._alone():
            if not self.exists:
                first = rows.state_row(state, dim, words=state.words is not None)
                to_the_end(lambda: self._begin(first))

    def _begin(self, first: Foreign) -> None:
        # What a process left that died while it was making the store.
        shutil.rmtree(self._home, ignore_errors=True)
        self._ledger.begin()
        require("lance", "store").write_dataset(first, self._home)
        self._ledger.record()

    def newest(self) -> tuple[int | None, int]:
        """Return what changes with every version: its number, and which store it is that lies in the folder."""
        number = self._read(lambda table: int(table.version))
        return self._file, number

    def outline(self) -> version.Outline:
        """Return the outline of the newest version."""
        return self._read(self._outline)

    def read(self, known: version.Version | None) -> version.Version:
        """Return the newest version; `known` is an earlier one, of which nothing needs to be read again."""
        return self._read(lambda table: version.read(table, self._outline(table), known))

    def write(self, new: Foreign | None, gone: Sequence[str], **changes: Foreign) -> int:
        """Commit upserts, deletions and changes of the state as one version; return how many documents changed.

        Once this returns, the version is on disk. What is already as it should be is not written again.
        """
        pa, pc = require("pyarrow", "store"), require("pyarrow.compute", "store")
        with self._to_write() as table:
            now = self._outline(table)
            ids, digests = now.documents["id"], now.documents["digest"]
            words = "terms" in table.schema.names
            new = rows.schema(now.dim, words=words).empty_table() if new is None else new
            new = new.filter(pc.invert(pc.is_in(new["digest"], value_set=digests)))
            gone = ids.filter(pc.is_in(ids, value_set=pa.array(gone, pa.string()))).to_pylist()
            touched = pa.concat_arrays([*new["id"].chunks, pa.array(gone, pa.string())])
            kept = now.documents.filter(pc.invert(pc.is_in(ids, value_set=touched)))
            documents = version.in_order(pa.concat_tables([kept, new.select(["id", "digest"])]))
            after = replace(now.state, **changes).of(documents["digest"].to_numpy())
            if after != now.state:
                everything = pa.concat_tables([new, rows.state_row(after, now.dim, words=words)])
                to_the_end(lambda: self._commit(table, everything, gone))
                written = replace(now, number=int(table.version), state=after, documents=documents)
                self._newest = self._ledger.stamp(), written
            return len(new) + len(gone)

    def prepare_words(self) -> None:
        """Make room for words in a table of the first format; what is there stays as it is."""
        pa = require("pyarrow", "store")
        with self._to_write() as table:
            new = [field for field in rows.schema(1, words=True) if field.name not in table.schema.names]
            if new:
                to_the_end(lambda: self._widen(table, pa.schema(new)))

    def _widen(self, table: Foreign, columns: Foreign) -> None:
        table.add_columns(columns)
        self._ledger.record()

    def _commit(self, table: Foreign, new: Foreign, gone: Sequence[str]) -> None:
        before = table.version
        merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        if gone:
            merge = merge.when_not_matched_by_source_delete(version.among(gone))
        merge.execute(new)
        self._ledger.record()
        crowded = before // TIDY != table.version // TIDY
        if crowded or (len(new) > LARGE and self._ledger.size() > 4 * version.size(table)):
            self._tidy(table)

    def _tidy(self, table: Foreign) -> None:
        """Rewrite the table as one piece. The write before it is on disk: no room for this is no fault of it."""
        try:
            table.optimize.compact_files()
            # What it replaces goes only once it is on disk itself.
            self._ledger.record()
            # No transaction of another writer can be under way: what no version refers to is rubbish.
            table.cleanup_old_versions(KEPT, delete_unverified=True)
            self._ledger.record()
        except Exception as error:
            if refusal(error) is None:
                raise

    def _settle(self) -> None:
        """Decide on a version whose writer died before it was acknowledged: it is whole, or it never was.

        Only a writer may do that, for only then is nobody else about to acknowledge it.
        """
        if self._ledger.unrecorded():
            self._reader = self._writer = None
            try:
                table = self._open()
                version.read(table, version.outline(table), None)
            except BaseException as error:
                if refusal(error) is not None or isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                self._ledger.take_back()
            else:
                self._ledger.record()

    def _outline(self, table: Foreign) -> version.Outline:
        """Return the outline of the version that a table is at, which after a write of ours is known."""
        stamp, known = self._newest
        if known is None or known.number != table.version or stamp != self._ledger.stamp():
            stamp, known = self._newest = self._ledger.stamp(), version.outline(table)
        return known

    def _notice(self) -> None:
        """Begin anew if another store has been put into the folder: its ledger is another file."""
        stamp = self._ledger.stamp()
        if stamp is not None and stamp[0] != self._file:
            self._file, self._reader, self._writer, self._newest = stamp[0], None, None, (None, None)
            self._ledger.forget()

    def _open(self) -> Foreign:
        return require("lance", "store").dataset(self._home)

    @contextmanager
    def _to_write(self) -> Iterator[Foreign]:
        """Be the only writer, at the newest version, of which it is settled that it is whole."""
        with named(self.folder), self._alone():
            self._notice()
            self._ledger.check()
            self._settle()
            table = self._writer = self._writer or self._open()
            table.checkout_latest()
            yield table

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Be the only writer, of all threads and processes; the system frees the lock if this one dies."""
        filelock = require("filelock", "store")
        start = time.monotonic()
        check_plain(self.folder)
        try:
            if not self._writing.acquire(timeout=self.timeout):
                raise filelock.Timeout(str(self.folder))
            try:
                left = max(0.0, self.timeout - (time.monotonic() - start))
                with filelock.FileLock(self.folder / LOCK, timeout=left, poll_interval=0.01):
                    yield
            finally:
                self._writing.release()
        except filelock.Timeout as error:
            raise BusyStoreError(
                f"{self.folder}: another writer has been at work for more than {self.timeout:g} s; try again, or "
                "open the store with a longer timeout"
            ) from error

    def _read(self, read: Callable[[Any], Result]) -> Result:
        """Read from the newest version, and again if it has been cleaned away meanwhile."""
        with self._reading, named(self.folder):
            self._notice()
            self._ledger.check()
            for attempt in range(TRIES):
                try:
                    table = self._reader = self._reader or self._open()
                    table.checkout_latest()
                    return read(table)
                except BaseException as error:
                    if attempt + 1 == TRIES or not self._worth_another(error):
                        raise
        raise AssertionError

    def _worth_another(self, error: BaseException) -> bool:
        """Whether what could not be read was not meant to last: cleaned away meanwhile, or never acknowledged."""
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            return False
        before, self._reader = None if self._reader is None else self._reader.version, None
        with suppress(Exception):
            self._reader = self._open()
            if before is not None and self._reader.version != before:
                return True
        if not self._ledger.unrecorded():
            return False
        # A writer that is still at work acknowledges it, or leaves it to be settled.
        with suppress(BusyStoreError), self._alone():
            self._settle()
        return True
