"""A client's call, made anew on the server behind.

Since 2026-07-28 a server that needs to know more answers a call with its questions, and the client calls again
with its answers. Clients of that kind get the questions as they are; for others they are asked by the relay.
"""

from __future__ import annotations

from typing import Any

from mcp import Client
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, GetPromptResult, InputRequiredResult, ReadResourceResult
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from coverset.plain import Foreign, Json

# The request of a client for which the server behind is called.
Calling = Context[Any, Any]


async def call_tool(
    client: Client, name: str, arguments: Json, context: Calling
) -> CallToolResult | InputRequiredResult:
    """Call a tool. Cancelling this cancels the call."""
    server, told = _asked(client, context)
    result: CallToolResult | InputRequiredResult = await server.call_tool(
        name, arguments, progress_callback=context.report_progress, **told
    )
    return result


async def get_prompt(
    client: Client, name: str, arguments: dict[str, str] | None, context: Calling
) -> GetPromptResult | InputRequiredResult:
    """Fill in a prompt."""
    server, told = _asked(client, context)
    result: GetPromptResult | InputRequiredResult = await server.get_prompt(name, arguments, **told)
    return result


async def read_resource(client: Client, uri: str, context: Calling) -> ReadResourceResult | InputRequiredResult:
    """Read a resource."""
    server, told = _asked(client, context)
    result: ReadResourceResult | InputRequiredResult = await server.read_resource(uri, **told)
    return result


def _asked(client: Client, context: Calling) -> tuple[Foreign, Json]:
    """Return whom to ask, and what goes with it where the client is of the kind that is handed questions."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return client, {}
    return client.session, {
        "input_responses": context.input_responses,
        "request_state": context.request_state,
        "allow_input_required": True,
    }
