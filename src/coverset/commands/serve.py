"""`coverset serve`: a store as an HTTP service, with a page to see it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from coverset.commands.app import Store, app
from coverset.inputs import as_choice, as_count, as_number


@app.command()
def serve(
    store: Store,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other than loopback only with keys.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any that is free.")] = 8000,
    keys: Annotated[
        Path | None, typer.Option(help="File with a line per API key: 'read KEY' or 'write KEY'.")
    ] = None,
    running: Annotated[int | None, typer.Option(help="Searches at a time; default: as many as cores.")] = None,
    waiting: Annotated[int, typer.Option(help="Requests that may wait; further ones get 429.")] = 32,
    connections: Annotated[int, typer.Option(help="Connections open at a time.")] = 512,
    body: Annotated[int, typer.Option(help="Largest request body, in bytes.")] = 8 * 2**20,
    timeout: Annotated[float, typer.Option(help="Seconds until an unanswered request gets 503.")] = 30.0,
    log_level: Annotated[str, typer.Option(help="info, warning or error.")] = "info",
) -> None:
    """Serve a store: a page at / to see Dense, MMR and NNN side by side, and a JSON API under /v1.

    API keys also come from COVERSET_READ_KEYS and COVERSET_WRITE_KEYS, comma-separated. Without any, only this
    machine is served.

    [bold]Examples[/]

      coverset serve tools.cover

      COVERSET_WRITE_KEYS=$(openssl rand -hex 24) coverset serve tools.cover --host 0.0.0.0
    """
    from coverset.extras import require

    for module in ("fastapi", "uvicorn", "prometheus_client", "threadpoolctl"):
        require(module, "app")
    from coverset.server.keys import keys_for
    from coverset.server.listening import is_loopback
    from coverset.server.serving import serve as run
    from coverset.server.settings import Settings

    settings = Settings(
        keys=keys_for(host, os.environ, keys),
        local=is_loopback(host),
        connections=as_count("connections", connections),
        body=as_count("body", body),
        waiting=as_count("waiting", waiting),
        timeout=as_number("timeout", timeout, 0.1),
        **({} if running is None else {"running": as_count("running", running)}),
    )
    level = as_choice("log-level", log_level, ("info", "warning", "error"))
    run(store, settings, host, port, level, lambda address: typer.echo(f"Coverset is at {address}"))
