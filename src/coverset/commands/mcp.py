"""`coverset mcp`: tools and documents for agents."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from coverset.commands.app import EncoderName, app, bad_input
from coverset.commands.evaluate import make_decoder
from coverset.encoders import load_encoder
from coverset.extras import require


@app.command("mcp")
def mcp(
    config: Annotated[Path, typer.Option(help="The MCP servers whose tools are to be found: the usual JSON.")],
    l1: Annotated[float | None, typer.Option(help="How much a tool must still explain to be let in.")] = None,
    l2: Annotated[float | None, typer.Option(help="How evenly tools that are alike share their weight.")] = None,
    encoder: EncoderName = "all-MiniLM-L6-v2",
) -> None:
    """Be the one MCP server of an agent with hundreds of tools, and find it the few that together do the job.

    [bold]Example[/]

      coverset mcp --config servers.json
    """
    require("mcp", "mcp", run=False)
    from coverset.integrations.mcp.config import read_config
    from coverset.integrations.mcp.server import CoversetServer

    # Before the server is made, which otherwise sets up logging in its own way.
    logging.basicConfig(level="WARNING", format="coverset mcp: %(message)s")
    logging.getLogger("coverset.mcp").setLevel("INFO")
    with bad_input():
        decoder = make_decoder("nnn", {k: v for k, v in (("l1", l1), ("l2", l2)) if v is not None})
        server = CoversetServer(read_config(config), load_encoder(encoder), decoder)
    server.run()
