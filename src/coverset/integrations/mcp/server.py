"""The MCP server itself: which tools, prompts and resources it has, and how it tells that they changed."""

from __future__ import annotations

import inspect
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import ServerSession, stdio_server
from mcp.server import MCPServer, NotificationOptions, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, ResourceSecurity
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp.types import (
    GetPromptResult,
    InputRequiredResult,
    Prompt,
    Resource,
    ResourceTemplate,
    Tool,
    ToolAnnotations,
)
from pydantic import AnyUrl

import coverset
from coverset.integrations.mcp.library import TEMPLATE, Library
from coverset.integrations.mcp.passing import Passing
from coverset.integrations.mcp.toolbox import Toolbox
from coverset.plain import Json

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
# It does whatever the tool behind it does, so it is to be treated as the most dangerous of them.
CALLS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)
# Clients of old who are told of changes; of more than these, the ones who were there first no longer are.
LISTENERS = 1000
# How it is told that tools, prompts and resources are others: to those who subscribed, and to clients of old.
CHANGES: tuple[tuple[ServerEvent, Callable[[ServerSession], Awaitable[None]]], ...] = (
    (ToolsListChanged(), ServerSession.send_tool_list_changed),
    (PromptsListChanged(), ServerSession.send_prompt_list_changed),
    (ResourcesListChanged(), ServerSession.send_resource_list_changed),
)


class CoversetServer(MCPServer[None]):
    """Tools to be found and called, and documents to be found and read, for agents, over stdio or HTTP."""

    def __init__(self, toolbox: Toolbox | None, documents: Library | None) -> None:
        self._toolbox, self._documents = toolbox, documents
        self._passing = Passing({} if toolbox is None else toolbox.upstreams)
        self._bus = InMemorySubscriptionBus()
        self._listeners: dict[str, ServerSession] = {}
        self._told: tuple[str, list[Prompt], list[Resource]] = ("", [], [])
        super().__init__(
            "coverset",
            version=coverset.__version__,
            lifespan=_lifespan,
            subscriptions=self._bus,
            middleware=[self._remember_who_listed],
        )
        if toolbox is not None:
            self._offer(toolbox.find_tools, READS)
            self._offer(toolbox.describe_tools, READS)
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

    async def list_prompts(self) -> list[Prompt]:
        """Return the prompts of the servers behind."""
        return self._passing.prompts()

    async def get_prompt(
        self, name: str, arguments: Json | None = None, context: Context[None, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt of a server behind, filled in."""
        if context is None:
            return await super().get_prompt(name, arguments, context)
        return await self._passing.prompt(name, arguments, context)

    async def list_resources(self) -> list[Resource]:
        """Return the resources of the servers behind; documents have a template."""
        return self._passing.resources()

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """Return the template of documents and those of the servers behind."""
        return await super().list_resource_templates() + self._passing.templates()

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[None, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Return a document, or a resource of a server behind."""
        try:
            return await super().read_resource(uri, context)
        except ResourceNotFoundError:
            if context is None or str(uri).startswith(TEMPLATE.partition("{")[0]):
                raise
            return await self._passing.read(str(uri), context)

    async def run_stdio_async(self) -> None:
        """Serve over stdin and stdout; like the method it replaces, but promising to tell of changes."""
        server = self._lowlevel_server
        told = NotificationOptions(tools_changed=True, prompts_changed=True, resources_changed=True)
        options = server.create_initialization_options(told)
        async with stdio_server() as (read, write):
            signum = await _unless_stopped(lambda: server.run(read, write, options))
            if signum is not None:
                # The servers behind are down by now; the thread that reads stdin cannot be interrupted.
                os._exit(128 + signum)

    def _offer(self, tool: Callable[..., Any], effect: ToolAnnotations) -> None:
        self.add_tool(tool, description=inspect.getdoc(tool), annotations=effect)

    async def _tell(self) -> None:
        """Tell the clients what is another now, in the way of their version of the protocol."""
        assert self._toolbox is not None
        before = self._told
        self._told = (self._toolbox.summary, self._passing.prompts(), self._passing.resources())
        for now, then, (changed, tell) in zip(self._told, before, CHANGES, strict=True):
            if now != then:
                await self._bus.publish(changed)
                await self._tell_listeners(tell)

    async def _tell_listeners(self, tell: Callable[[ServerSession], Awaitable[None]]) -> None:
        for key, session in list(self._listeners.items()):
            try:
                await tell(session)
            except Exception:  # whoever is gone need not be told
                self._listeners.pop(key, None)

    async def _remember_who_listed(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if ctx.method in ("tools/list", "prompts/list", "resources/list"):
            key = "" if ctx.request is None else ctx.request.headers.get("mcp-session-id")
            if key is not None:
                self._listeners.pop(key, None)
                self._listeners[key] = ctx.session
                while len(self._listeners) > LISTENERS:
                    self._listeners.pop(next(iter(self._listeners)))
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
