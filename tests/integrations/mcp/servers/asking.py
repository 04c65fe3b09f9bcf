"""A server that asks back, with prompts and resources, over stdio or HTTP.

    python -m tests.integrations.mcp.servers.asking                      over stdio, in both eras of the protocol
    python -m tests.integrations.mcp.servers.asking legacy               over stdio, as servers before 2026-07-28
    python -m tests.integrations.mcp.servers.asking KIND PORT TOKEN      over HTTP; KIND: streamable-http or sse

Over HTTP it wants the token in the header Authorization.
"""

from __future__ import annotations

import sys
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolResult,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

server = MCPServer("asking", log_level="WARNING")
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Name(BaseModel):
    name: str


@server.tool()
async def greet_user(context: Context) -> CallToolResult | InputRequiredResult:
    """Greet the user by the name that they give when asked."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        asked = await context.elicit("What is your name?", Name)
        return said(f"hello {asked.data.name}" if asked.action == "accept" else asked.action)
    if not context.input_responses:
        params = ElicitRequestFormParams(message="What is your name?", requested_schema=SCHEMA)
        return InputRequiredResult(input_requests={"name": ElicitRequest(params=params)}, request_state="asked")
    answer = context.input_responses["name"]
    assert isinstance(answer, ElicitResult)
    assert context.request_state == "asked"
    return said(f"hello {(answer.content or {})['name']}" if answer.action == "accept" else answer.action)


@server.tool()
async def rhyme(context: Context) -> str:
    """Have the client's language model find a rhyme."""
    message = SamplingMessage(role="user", content=TextContent(text="What rhymes with moon?"))
    result: CreateMessageResult = await context.session.create_message(
        [message], max_tokens=10, related_request_id=context.request_id
    )
    assert isinstance(result.content, TextContent)
    return result.content.text


@server.tool()
async def where_am_i(context: Context) -> list[str]:
    """The folders in which the client works."""
    return [str(root.uri) for root in (await context.session.list_roots()).roots]


@server.tool(annotations={"destructiveHint": True})
def erase_disk() -> str:
    """Erase a whole disk."""
    return "erased"


@server.prompt()
def review(language: str) -> str:
    """Have a piece of code reviewed."""
    return f"Review this {language} code."


@server.resource("notes://today")
def today() -> str:
    """What is to be done today."""
    return "water the plants"


@server.resource("pages://{number}")
def page(number: str) -> str:
    """A page of a book."""
    return f"page {number}"


def said(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)])


class Guard:
    """Lets in who has the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = dict(scope.get("headers", [])).get(b"authorization") == f"Bearer {self._token}".encode()
        if scope["type"] == "http" and not known:
            await PlainTextResponse("who are you?", 401)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def legacy() -> None:
    low = server._lowlevel_server
    async with stdio_server() as (read, write):
        await serve_loop(low, read, write, lifespan_state={}, init_options=low.create_initialization_options())


if __name__ == "__main__":
    if len(sys.argv) == 1:
        server.run()
    elif sys.argv[1] == "legacy":
        anyio.run(legacy)
    else:
        app = server.sse_app() if sys.argv[1] == "sse" else server.streamable_http_app()
        uvicorn.run(Guard(app, sys.argv[3]), port=int(sys.argv[2]), log_level="error", ws="none")
