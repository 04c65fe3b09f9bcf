"""The newest version of a store, in memory: read when somebody has written, and then only what has changed."""

from __future__ import annotations

import threading

from coverset.store.snapshot import Snapshot
from coverset.store.table import Table


class Newest:
    """Follows a table; any number of threads may ask. `known` is the version that was last read, None before."""

    def __init__(self, table: Table) -> None:
        self._table, self._lock = table, threading.RLock()
        self.known: Snapshot | None = None
        self._seen: tuple[int | None, int] | None = None

    def read(self) -> Snapshot:
        """Return it as it is read: its words are weighed, and its index is made, when they are asked for."""
        with self._lock:
            newest = self._table.newest()
            if self.known is None or self._seen != newest:
                known = None if self.known is None else self.known.contents
                self.known, self._seen = Snapshot(self._table.read(known)), newest
            return self.known

    def indexed(self) -> Snapshot:
        """Return it ready to be searched: its index is made here, once for all threads."""
        with self._lock:
            snapshot = self.read()
            snapshot.index  # noqa: B018
            return snapshot
