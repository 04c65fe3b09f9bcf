"""`coverset mcp --http`: agents served by streamable HTTP, on this machine unless they have keys."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from coverset.integrations.mcp.server import CoversetServer
from coverset.server.keys import Keys
from coverset.server.listening import UVICORN, listen

PATH = "/mcp"


def serve(server: CoversetServer, host: str, port: int, keys: Keys, announce: Callable[[str], None]) -> None:
    """Serve until told to stop; `announce` is told the address once connections are accepted."""
    listener, address = listen(host, port)
    app = server.streamable_http_app(streamable_http_path=PATH, host=host)
    config = uvicorn.Config(_Guard(app, keys) if keys else app, **UVICORN)
    announce(f"{address}{PATH.removeprefix('/')}")
    uvicorn.Server(config).run(sockets=[listener])


class _Guard:
    """Lets in who has a key that may write: a call may do anything that a tool behind can."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app, said = self._app, Headers(raw=scope.get("headers", [])).get("authorization", "")
        if scope["type"] != "lifespan" and self._keys.allowed(said) != "write":
            problem = {"error": "a key that may write is needed: Authorization: Bearer KEY"}
            app = JSONResponse(problem, 401, {"WWW-Authenticate": "Bearer"})
        await app(scope, receive, send)
