"""`coverset mcp`: tools and documents for agents."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coverset.commands.app import EncoderName, app
from coverset.commands.options import NOTHING, decoder_options, listed
from coverset.decoders.registry import DEFAULT, NAMES, Given, changed, make
from coverset.extras import require

if TYPE_CHECKING:
    from coverset.decoders import Decoder
    from coverset.integrations.mcp.toolbox import Toolbox
    from coverset.server.keys import Keys


@app.command()
@decoder_options
def mcp(
    store: Annotated[Path | None, typer.Argument(help="A store whose documents are to be found.")] = None,
    config: Annotated[
        Path | None, typer.Option(help='MCP servers whose tools are to be found: {"mcpServers": {...}}.')
    ] = None,
    decoder: Annotated[str | None, typer.Option(help=f"{listed(NAMES)}; default: the store's, or nnn.")] = None,
    given: Given = NOTHING,
    share: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The share of words in a score, 0 to 1; default: the store's, or 0.6."),
    ] = None,
    parts: Annotated[bool, typer.Option("--parts/--no-parts", help="Take requests without steps apart.")] = True,
    encoder: EncoderName = "all-MiniLM-L6-v2",
    http: Annotated[
        bool, typer.Option("--http", help="Serve by streamable HTTP instead of stdin and stdout.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="With --http: address to listen on; other than loopback only with keys.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="With --http: port; 0: any that is free; default 8000.")
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(help="With --http: file with a line per API key, 'write KEY'.")
    ] = None,
) -> None:
    """Serve an agent over MCP: the few tools, out of hundreds, that together do a job; documents of a store.

    [bold]Examples[/]

      coverset mcp --config servers.json

      coverset mcp handbook.cover

      coverset mcp handbook.cover --config servers.json

      coverset mcp --config servers.json --http --port 8321
    """
    # Before the server is made, which otherwise sets up logging in its own way.
    logging.basicConfig(level="WARNING", format="coverset mcp: %(message)s")
    logging.getLogger("coverset.mcp").setLevel("INFO")
    require("mcp", "mcp", run=False)
    from coverset.integrations.mcp.library import Library
    from coverset.integrations.mcp.server import CoversetServer
    from coverset.retriever import Retriever

    if store is None and config is None:
        raise ValueError("name a STORE to search, or MCP servers to find tools of with --config, or both")
    address = _address(http, host, port, keys)
    toolbox = None
    if config is not None:
        toolbox = make_toolbox(config, encoder, make(decoder or DEFAULT, given), share, parts)
    documents = None
    if store is not None:
        retriever = Retriever.open(store, create=False)
        if share is not None:
            retriever.snapshot().sharing(share)  # a store without words refuses it now, not at every search
        documents = Library(retriever, changed(retriever.decoder, decoder, given), share=share, parts=parts)
    server = CoversetServer(toolbox, documents)
    if address is not None:
        from coverset.integrations.mcp.http import serve

        serve(server, *address, lambda where: typer.echo(f"Coverset is at {where}"))
        return
    server.run()


def make_toolbox(config: Path, encoder: str, decoder: Decoder, share: float | None, parts: bool) -> Toolbox:
    """Return the servers that a file names, and the catalogue of their tools, whose vectors are kept."""
    from coverset.encoders import load_encoder
    from coverset.encoders.cache import default_folder
    from coverset.indexes.memory.index import SHARE
    from coverset.integrations.mcp.config import read_config
    from coverset.integrations.mcp.tool_index import Catalogue
    from coverset.integrations.mcp.toolbox import Toolbox
    from coverset.integrations.shelf import Shelf

    kept = default_folder() / "tools"
    shelf = Shelf(load_encoder(encoder), decoder, kept, share=SHARE if share is None else share, parts=parts)
    return Toolbox(read_config(config), Catalogue(shelf))


def _address(http: bool, host: str | None, port: int | None, keys: Path | None) -> tuple[str, int, Keys] | None:
    """Return where to listen and for whom, or None for stdin and stdout."""
    from coverset.server.keys import keys_for

    if not http:
        for name, value in (("--host", host), ("--port", port), ("--keys", keys)):
            if value is not None:
                raise ValueError(f"{name} has no effect without --http")
        return None
    where = host or "127.0.0.1"
    return where, 8000 if port is None else port, keys_for(where, os.environ, keys)
