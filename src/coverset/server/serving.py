"""Serve a store until told to stop, and stop in good order."""

from __future__ import annotations

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
from coverset.server.memory import give_back
from coverset.server.settings import Settings


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
