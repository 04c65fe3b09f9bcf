"""Connections: so many at a time, and a deadline for what a client owes, so that who stalls holds up nobody."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from coverset.plain import Foreign
from coverset.server.refusals import error_body

# Seconds for a request's line and headers; less if the service's own timeout is less.
HEAD = 10.0
# Seconds that a body may be late before the connection is cut: the guard has answered with 408 by then.
GRACE = 5.0
# Bytes a second that a client must at least take of its answer.
SLOWEST = 8 * 2**10
# File handles kept for all else than connections: the store's files, and those accepted but not yet counted.
HANDLES = 128
# Connections that wait in the system to be taken.
WAITING = 1024


class Connection(H11Protocol):
    """A connection with deadlines.

    When there are too many, one that owes its request makes room: first of those that have never asked anything,
    then of those between two requests, last of those whose body is still to come, and of these the one that has
    owed it for longest. Where all are being answered, the new one is turned away. A body must arrive within
    `timeout` seconds, after which it is also looked whether an answer is being taken.
    """

    def __init__(self, *uvicorns: Foreign, most: int, timeout: float, **names: Foreign) -> None:
        super().__init__(*uvicorns, **names)
        self._most, self._timeout = most, timeout
        self._owed: tuple[Any, Any] | None = None
        self._arriving: asyncio.TimerHandle | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Come in, if there is room or somebody makes room."""
        others = [other for other in self.connections if not other.transport.is_closing()]
        super().connection_made(transport)
        if len(others) >= self._most:
            owing = [other for other in others if isinstance(other, Connection) and other._owing]
            if not owing:
                self._refuse(503, "overloaded", "too many connections: try again in 1 s", retry_after="1")
                return
            min(owing, key=Connection._rank).transport.abort()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Go."""
        super().connection_lost(exc)
        for timer in (self._arriving, self._leaving):
            if timer is not None:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Take what has come; a deadline is for the whole of a head or a body, however many pieces it comes in."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request, for as long as connections are kept alive."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE:
            self._owe(None)
        else:
            self._watch()
        self._watch_leaving()

    def pause_writing(self) -> None:
        """See that an answer which does not fit into the system's buffers is being taken."""
        super().pause_writing()
        self._watch_leaving()

    @property
    def _owing(self) -> bool:
        """Whether it is the client's turn: its head, or the rest of its body, has not come."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _rank(self) -> tuple[bool, bool, float]:
        return self.conn.their_state is h11.SEND_BODY, self.cycle is not None, self._since

    def _watch(self) -> None:
        """Set the deadline for the rest of a head or of a body, unless it is set."""
        owed = (self.conn.their_state, self.cycle)
        if owed == self._owed or self.transport.is_closing():
            return
        self._owe(owed)
        if owed[0] is h11.IDLE:
            self._arriving = self.loop.call_later(min(HEAD, self._timeout), self._late)
        elif owed[0] is h11.SEND_BODY:
            self._arriving = self.loop.call_later(self._timeout + GRACE, self.transport.abort)

    def _owe(self, owed: tuple[Any, Any] | None) -> None:
        self._owed, self._since = owed, self.loop.time()
        if self._arriving is not None:
            self._arriving.cancel()

    def _late(self) -> None:
        """End a connection whose head has not come; who has sent nothing at all is not owed an answer."""
        if self.transport.is_closing() or not self.conn.trailing_data[0]:
            self.transport.abort()
        else:
            self._refuse(408, "timeout", "the request took too long to arrive")

    def _watch_leaving(self) -> None:
        """Look again, later, whether the client has taken enough of its answer meanwhile."""
        if self._leaving is None and (left := self.transport.get_write_buffer_size()):
            self._leaving = self.loop.call_later(self._timeout, self._check_leaving, left)

    def _check_leaving(self, before: int) -> None:
        self._leaving = None
        left = self.transport.get_write_buffer_size()
        if left and before - left < self._timeout * SLOWEST:
            self.transport.abort()
        else:
            self._watch_leaving()

    def _refuse(self, status: int, code: str, message: str, **headers: str) -> None:
        """Answer what never became a request, and close."""
        body = json.dumps(error_body(code, message)).encode()
        own = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
        lines = [(name.replace("_", "-"), value) for name, value in {**own, **headers}.items()]
        answer = h11.Response(status_code=status, headers=lines, reason=STATUS_PHRASES[status])
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
        self._watch_leaving()


class Server(uvicorn.Server):
    """uvicorn's, except that connections are taken a few at a time, while many may wait for it in the system.

    asyncio takes as many at a time as may wait, before it has counted or closed any of them.
    """

    async def startup(self, sockets: Foreign = None) -> None:
        """Listen."""
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(WAITING)


def most_connections(wanted: int) -> int:
    """Return how many connections the system's limit on file handles allows, at most those wanted."""
    if sys.platform == "win32":  # no such limit
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted + HANDLES:
        soft = wanted + HANDLES if hard == resource.RLIM_INFINITY else min(wanted + HANDLES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    allowed = wanted if soft == resource.RLIM_INFINITY else min(wanted, soft - HANDLES)
    if allowed < 1:
        raise ValueError(f"the service needs more than {HANDLES} file handles, and may open {soft}: see ulimit -n")
    return allowed
