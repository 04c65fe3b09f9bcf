"""Serve a store until told to stop, and stop in good order."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import uvicorn
from threadpoolctl import threadpool_limits

from coverset.retriever import Retriever
from coverset.server.application import create_app
from coverset.server.connections import Connection, Server, most_connections
from coverset.server.listening import ACCEPTED, UVICORN, listen
from coverset.server.logs import start_logging
from coverset.server.settings import Settings

# From glibc's malloc.h.
MMAP_THRESHOLD, ARENA_MAX = -3, -8


def serve(
    store: Path, settings: Settings, host: str, port: int, log_level: str, announce: Callable[[str], None]
) -> None:
    """Serve a store; `announce` is told the address once connections are accepted."""
    try:
        retriever = Retriever.open(store, create=False)
    except FileNotFoundError as error:
        raise ValueError(f"{error}: make one with coverset add") from error
    if not retriever.takes_text:
        raise ValueError(
            f"the vectors of {store} were made elsewhere ({retriever.encoder_name}), and the service takes "
            "requests as text: make the store with an encoder, such as openai:MODEL or OWNER/MODEL, or search it "
            "from Python"
        )
    start_logging(log_level)
    give_back()
    most = most_connections(settings.connections)
    listener, address = listen(host, port)
    config = uvicorn.Config(
        create_app(retriever, settings),
        http=partial(Connection, most=most, timeout=settings.timeout),  # type: ignore[arg-type]
        loop="asyncio",
        backlog=ACCEPTED,
        timeout_keep_alive=15,
        **UVICORN,
    )
    # Requests run side by side, each on one core: products that spread over all cores would wait for each other.
    with threadpool_limits(1, user_api="blas"):
        announce(address)
        Server(config).run(sockets=[listener])


def give_back() -> None:
    """Have large arrays go back to the system when they are freed, so that the process stays as large as it must.

    Every write makes a new version of all vectors, and the old one is dropped. Left to itself, glibc begins to
    keep such arrays in its heaps, one for every few threads, and the holes between them grow. Elsewhere than
    with glibc, this does nothing.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, 2**20)
        mallopt(ARENA_MAX, 2)
