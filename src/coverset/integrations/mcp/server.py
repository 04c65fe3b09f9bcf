"""The MCP server itself: which tools and resources it has, and how it tells that they changed."""

from __future__ import annotations

import inspect
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import ServerSession, stdio_server
from mcp.server import MCPServer, NotificationOptions, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.mcpserver import ResourceSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged
from mcp.types import Tool, ToolAnnotations

import coverset
from coverset.integrations.mcp.documents import TEMPLATE, Documents
from coverset.integrations.mcp.toolbox import Toolbox

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
# It does whatever the tool behind it does, so it is to be treated as the most dangerous of them.
CALLS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)


class CoversetServer(MCPServer[None]):
    """Tools and documents for agents, over stdio.

    Parameters
    ----------
    toolbox
        The MCP servers whose tools are to be found and called.
    documents
        The store whose documents are to be found and read.
    """

    def __init__(self, toolbox: Toolbox | None, documents: Documents | None) -> None:
        self._toolbox, self._documents = toolbox, documents
        self._bus = InMemorySubscriptionBus()
        self._session: ServerSession | None = None
        super().__init__(
            "coverset",
            version=coverset.__version__,
            lifespan=_lifespan,
            subscriptions=self._bus,
            middleware=[self._remember_who_listed],
        )
        if toolbox is not None:
            self._offer(toolbox.find_tools, READS)
            self._offer(toolbox.call_tool, CALLS)
            self._offer(toolbox.list_servers, READS)
        if documents is not None:
            self._offer(documents.search, READS)
            # An id is not a path, so it may look like any.
            template = self.resource(TEMPLATE, name="document", security=ResourceSecurity(exempt_params={"id"}))
            template(documents.read)

    async def list_tools(self) -> list[Tool]:
        """Return this server's own tools; their descriptions say what stands behind them now."""
        tools = await super().list_tools()
        for tool in tools:
            if tool.name == "find_tools" and self._toolbox is not None:
                tool.description = f"{tool.description}\n\nServers: {self._toolbox.summary}."
            if tool.name == "search" and self._documents is not None:
                tool.description = f"{tool.description}\n\nStore: {self._documents.name}."
        return tools

    async def run_stdio_async(self) -> None:
        """Serve over stdin and stdout; like the method it replaces, but promising to tell when tools change."""
        server = self._lowlevel_server
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        async with stdio_server() as (read, write):
            signum = await _unless_stopped(lambda: server.run(read, write, options))
            if signum is not None:
                # The servers behind are down by now; the thread that reads stdin cannot be interrupted.
                os._exit(128 + signum)

    def _offer(self, tool: Callable[..., Any], effect: ToolAnnotations) -> None:
        self.add_tool(tool, description=inspect.getdoc(tool), annotations=effect)

    async def _tell(self) -> None:
        """Tell the client that `find_tools` has another description, in the way of its version of the protocol."""
        await self._bus.publish(ToolsListChanged())
        if self._session is not None:
            await self._session.send_tool_list_changed()

    async def _remember_who_listed(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if ctx.method == "tools/list":
            self._session = ctx.session
        return await call_next(ctx)


@asynccontextmanager
async def _lifespan(server: MCPServer[None]) -> AsyncIterator[None]:
    """Run the servers behind this one for as long as it runs."""
    assert isinstance(server, CoversetServer)
    if server._toolbox is None:
        yield
    else:
        async with server._toolbox.running(server._tell):
            yield


async def _unless_stopped(run: Callable[[], Awaitable[None]]) -> int | None:
    """Run to the end, or until told to stop by a signal, which is returned."""
    signum: int | None = None

    async def watch() -> None:
        nonlocal signum
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            signum = await anext(signals)
            tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        if sys.platform != "win32":
            tasks.start_soon(watch)
        await run()
        tasks.cancel_scope.cancel()
    return signum
