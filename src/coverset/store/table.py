"""A store's table in LanceDB: one commit a write, whole versions for readers, one writer at a time."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from coverset.extras import require
from coverset.inputs import Floats
from coverset.store import rows
from coverset.store.errors import BusyStoreError, DamagedStoreError

NAME = "documents"
# From this many pieces on, a table is rewritten as one.
PIECES = 64
# A version is kept for this long after a newer one, so that nobody who is reading it loses it.
KEPT = timedelta(seconds=20)
# Times that a reader tries again when the version it was reading has been cleaned away.
TRIES = 4

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Version:
    """One whole version, checked: documents in the order of their ids."""

    number: int
    state: rows.State
    table: Any
    vectors: Floats


class Table:
    """The documents of a store, on disk.

    Parameters
    ----------
    folder
        Where they are.
    timeout
        How long a write waits for another writer, in seconds.
    """

    def __init__(self, folder: Path, timeout: float) -> None:
        require("lancedb", "store", run=False)
        self.folder, self.timeout = folder, timeout
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._readers: Any = None
        self._writers: Any = None

    @property
    def exists(self) -> bool:
        """Whether a version has ever been committed."""
        return any((self.folder / f"{NAME}.lance" / "_versions").glob("*.manifest"))

    def create(self, state: rows.State, dim: int) -> None:
        """Make an empty store, unless another process has been faster."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._writer():
            if not self.exists:
                # What a process left that died while it was making the store.
                shutil.rmtree(self.folder / f"{NAME}.lance", ignore_errors=True)
                require("lancedb", "store").connect(self.folder).create_table(NAME, rows.state_row(state, dim))
                self._sync(set())

    def version(self) -> int:
        """Return the number of the newest version."""

        def newest() -> int:
            self._readers.checkout_latest()
            return int(self._readers.version)

        return self._read(newest)

    def state(self) -> tuple[rows.State, int]:
        """Return the newest version's state, and the width of its vectors."""

        def read() -> tuple[rows.State, int]:
            self._readers.checkout_latest()
            return _state(self._readers)

        return self._read(read)

    def read(self) -> Version:
        """Return the newest version."""

        def read() -> Version:
            self._readers.checkout_latest()
            number = int(self._readers.version)
            state, table, vectors = _checked(self._readers.to_arrow())
            _check_whole(state, table["digest"].to_numpy())
            return Version(number, state, table, vectors)

        return self._read(read)

    def write(self, new: Any | None, gone: Sequence[str], **changes: Any) -> int:
        """Commit upserts, deletions and changes of the state as one version; return how many documents changed.

        Once this returns, the version is on disk. What is already as it should be is not written again.
        """
        pa, pc = require("pyarrow", "store"), require("pyarrow.compute", "store")
        with self._writer(), self._named():
            table = self._writers = self._writers or self._open()
            table.checkout_latest()
            state, dim, present = _outline(table)
            new = rows.schema(dim).empty_table() if new is None else new
            new = new.filter(pc.invert(pc.is_in(new["digest"], value_set=present["digest"])))
            gone = present["id"].filter(pc.is_in(present["id"], value_set=pa.array(gone, pa.string()))).to_pylist()
            touched = pa.concat_arrays([*new["id"].chunks, pa.array(gone, pa.string())])
            kept = present["digest"].filter(pc.invert(pc.is_in(present["id"], value_set=touched)))
            after = replace(state, **changes).of(np.concatenate([kept.to_numpy(), new["digest"].to_numpy()]))
            if after != state:
                self._commit(table, pa.concat_tables([new, rows.state_row(after, dim)]), gone)
            return len(new) + len(gone)

    def _commit(self, table: Any, new: Any, gone: Sequence[str]) -> None:
        before = self._files()
        merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        if gone:
            merge = merge.when_not_matched_by_source_delete(f"id IN ({', '.join(map(_quoted, gone))})")
        merge.execute(new)
        if table.stats()["fragment_stats"]["num_fragments"] > PIECES:
            # No transaction of another writer can be under way: what no version refers to is rubbish.
            table.optimize(cleanup_older_than=KEPT, delete_unverified=True)
        self._sync(before)

    def _open(self) -> Any:
        return require("lancedb", "store").connect(self.folder).open_table(NAME)

    def _files(self) -> set[Path]:
        return {path for path in (self.folder / f"{NAME}.lance").rglob("*") if path.is_file()}

    def _sync(self, before: set[Path]) -> None:
        """Bring what has been written since then from the system's memory to the disk."""
        new = self._files() - before
        for path in [*new, *{path.parent for path in new}, self.folder]:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    @contextmanager
    def _writer(self) -> Iterator[None]:
        """Be the only writer, of all threads and processes; the system frees the lock if this one dies."""
        filelock = require("filelock", "store")
        lock = filelock.FileLock(self.folder / "writer.lock", timeout=self.timeout, poll_interval=0.01)
        try:
            with self._writing, lock:
                yield
        except filelock.Timeout as error:
            raise BusyStoreError(
                f"{self.folder}: another process has been writing for more than {self.timeout:g} s; try again, "
                "or open the store with a longer timeout"
            ) from error

    def _read(self, read: Callable[[], Result]) -> Result:
        """Read, again if the version has been cleaned away meanwhile."""
        with self._reading, self._named():
            for attempt in range(TRIES):
                if self._readers is None:
                    self._readers = self._open()
                before = self._readers.version
                try:
                    return read()
                except Exception:
                    self._readers = self._open()
                    if attempt + 1 == TRIES or self._readers.version == before:
                        raise
        raise AssertionError

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say which store it is that cannot be read."""
        try:
            yield
        except (ImportError, BusyStoreError):
            raise
        except BaseException as error:
            # A panic inside LanceDB, which a damaged file can cause, is not an Exception.
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                raise DamagedStoreError(f"the store {self.folder} cannot be read: {error}") from error
            raise


def _state(table: Any) -> tuple[rows.State, int]:
    """Return the state, and the width of the vectors."""
    state, _, vectors = _checked(table.search().where(f"id = '{rows.STATE}'").to_arrow())
    return state, vectors.shape[1]


def _outline(table: Any) -> tuple[rows.State, int, Any]:
    """Return the state, the width of the vectors, and the ids and digests of all documents."""
    state, dim = _state(table)
    present = table.search().select(["id", "digest"]).where(f"id != '{rows.STATE}'").to_arrow().combine_chunks()
    _check_whole(state, present["digest"].to_numpy())
    return state, dim, present


def _check_whole(state: rows.State, digests: NDArray[np.uint64]) -> None:
    if state != state.of(digests):
        raise ValueError(f"its {state.documents} documents are not all there, or not all those that were written")


def _checked(found: Any) -> tuple[rows.State, Any, Floats]:
    """Return the state, the documents ordered by id, and their vectors, after checking every row's digest."""
    pc = require("pyarrow.compute", "store")
    found = found.take(pc.sort_indices(found["id"])).combine_chunks()
    dim = found.schema.field("vector").type.list_size
    vectors = found["vector"].combine_chunks().flatten().to_numpy().reshape(-1, dim)
    ids, texts, metas = (found[name].to_pylist() for name in ("id", "text", "meta"))
    wrong = np.flatnonzero(rows.digests(ids, texts, metas, vectors) != found["digest"].to_numpy())
    if len(wrong):
        raise ValueError(f"the document {ids[wrong[0]]!r} is damaged ({len(wrong)} such documents)")
    if not ids or ids[0] != rows.STATE:
        raise ValueError("the row that describes it is missing")
    return rows.read_state(metas[0]), found.drop_columns("vector").slice(1), vectors[1:]


def _quoted(identifier: str) -> str:
    return "'" + identifier.replace("'", "''") + "'"
