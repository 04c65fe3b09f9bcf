"""The service's parts, put together: a store, who may use it, and how much at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from coverset.retriever import Retriever
from coverset.server.counters import Metrics
from coverset.server.gate import Gate
from coverset.server.keys import Scope
from coverset.server.logs import LOG
from coverset.server.refusals import Refused, bad_input
from coverset.server.served import ServedStore
from coverset.server.settings import Settings

Result = TypeVar("Result")


class Service:
    """A store behind an API."""

    def __init__(self, retriever: Retriever, settings: Settings) -> None:
        self.settings, self.metrics = settings, Metrics()
        self.store = ServedStore(retriever, self.metrics)
        self.status = "starting"
        self._reads = Gate("read", settings.running, settings.waiting)
        self._writes = Gate("write", 1, settings.waiting)
        for gate in (self._reads, self._writes):
            what = f"Pieces of work running or waiting: {gate.name}s."
            self.metrics.gauge(f"coverset_{gate.name}s_under_way", what, partial(getattr, gate, "busy"))

    def start(self) -> None:
        """Get ready, while already answering that it is not."""
        threading.Thread(target=self._warm, name="warm", daemon=True).start()

    def stop(self) -> None:
        """Take no more work, and finish what is running."""
        self.status = "stopping"
        self._reads.close()
        self._writes.close()

    def admit(self, authorization: str | None, scope: Scope) -> None:
        """Refuse a request whose key does not allow it."""
        if not self.settings.keys:
            return
        allowed = self.settings.keys.allowed(authorization or "")
        if allowed is None:
            raise Refused(401, "no_key", "an API key is needed, as the header Authorization: Bearer KEY")
        if scope == "write" and allowed != "write":
            raise Refused(403, "read_only", "this API key may read, but not write")

    async def read(self, work: Callable[[], Result]) -> Result:
        """Run work that changes nothing."""
        with bad_input():
            return await self._reads.run(work, self.settings.timeout)

    async def write(self, work: Callable[[], Result], timeout: float | None = None) -> Result:
        """Run work that changes the store; one at a time."""
        with bad_input():
            return await self._writes.run(work, timeout or self.settings.timeout)

    def _warm(self) -> None:
        try:
            self.store.warm()
        except Exception:
            LOG.exception("cannot get ready")
            return
        if self.status == "starting":
            self.status = "ok"
            LOG.info("ready")
