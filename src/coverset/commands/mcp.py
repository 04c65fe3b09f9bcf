"""`coverset mcp`: tools and documents for agents."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from coverset.commands.app import EncoderName, app, bad_input
from coverset.decoders.registry import changed, make
from coverset.extras import require


@app.command("mcp")
def mcp(
    store: Annotated[Path | None, typer.Argument(help="A store whose documents are to be found.")] = None,
    config: Annotated[
        Path | None, typer.Option(help='MCP servers whose tools are to be found: {"mcpServers": {...}}.')
    ] = None,
    l1: Annotated[
        float | None, typer.Option(help="NNN's l1; default: the store's, or chosen for each request.")
    ] = None,
    l2: Annotated[
        float | None, typer.Option(help="NNN's l2; default: the store's, or chosen for each request.")
    ] = None,
    encoder: EncoderName = "all-MiniLM-L6-v2",
) -> None:
    """Serve an agent over MCP: the few tools, out of hundreds, that together do a job; documents of a store.

    [bold]Examples[/]

      coverset mcp --config servers.json

      coverset mcp handbook.cover

      coverset mcp handbook.cover --config servers.json
    """
    # Before the server is made, which otherwise sets up logging in its own way.
    logging.basicConfig(level="WARNING", format="coverset mcp: %(message)s")
    logging.getLogger("coverset.mcp").setLevel("INFO")
    given = {name: value for name, value in (("l1", l1), ("l2", l2)) if value is not None}
    with bad_input():
        require("mcp", "mcp", run=False)
        from coverset.encoders import load_encoder
        from coverset.integrations.mcp.catalogue import Catalogue
        from coverset.integrations.mcp.config import read_config
        from coverset.integrations.mcp.documents import Documents
        from coverset.integrations.mcp.server import CoversetServer
        from coverset.integrations.mcp.toolbox import Toolbox
        from coverset.retriever import Retriever

        if store is None and config is None:
            raise ValueError("name a STORE to search, or MCP servers to find tools of with --config, or both")
        toolbox = documents = None
        if config is not None:
            toolbox = Toolbox(read_config(config), Catalogue(load_encoder(encoder), make("nnn", given)))
        if store is not None:
            retriever = Retriever.open(store, create=False)
            documents = Documents(retriever, changed(retriever.decoder, None, given) if given else None)
    CoversetServer(toolbox, documents).run()
