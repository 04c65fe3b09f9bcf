"""A server that lists its tools three to a page, and does not keep its word.

python -m tests.integrations.mcp.servers.pages
"""

from __future__ import annotations

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

PAGE = 3
TOOLS = [
    Tool(
        name=f"tool_{n}",
        input_schema={"type": "object"},
        output_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    )
    for n in range(8)
]


async def list_tools(_: ServerRequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
    start = int(params.cursor) if params and params.cursor else 0
    following = str(start + PAGE) if start + PAGE < len(TOOLS) else None
    return ListToolsResult(tools=TOOLS[start : start + PAGE], next_cursor=following)


async def call_tool(_: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=params.name)], structured_content={"n": "not a number"})


async def main() -> None:
    server = Server("pages", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
