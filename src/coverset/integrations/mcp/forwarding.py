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

from coverset.plain import Json

# The request of a client for which the server behind is called.
Calling = Context[Any, Any]


def answers_questions(context: Calling) -> bool:
    """Say whether the client is of the kind that is handed questions."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


async def call_tool(
    client: Client, name: str, arguments: Json, context: Calling
) -> CallToolResult | InputRequiredResult:
    """Call a tool. Cancelling this cancels the call."""
    if not answers_questions(context):
        return await client.call_tool(name, arguments, progress_callback=context.report_progress)
    return await client.session.call_tool(
        name,
        arguments,
        progress_callback=context.report_progress,
        input_responses=context.input_responses,
        request_state=context.request_state,
        allow_input_required=True,
    )


async def get_prompt(
    client: Client, name: str, arguments: dict[str, str] | None, context: Calling
) -> GetPromptResult | InputRequiredResult:
    """Fill in a prompt."""
    if not answers_questions(context):
        return await client.get_prompt(name, arguments)
    return await client.session.get_prompt(
        name,
        arguments,
        input_responses=context.input_responses,
        request_state=context.request_state,
        allow_input_required=True,
    )


async def read_resource(client: Client, uri: str, context: Calling) -> ReadResourceResult | InputRequiredResult:
    """Read a resource."""
    if not answers_questions(context):
        return await client.read_resource(uri)
    return await client.session.read_resource(
        uri,
        input_responses=context.input_responses,
        request_state=context.request_state,
        allow_input_required=True,
    )
