"""One MCP server behind this one: started, kept in step with, and restarted a few times if it fails."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Literal

import anyio
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.dispatcher import ProgressFnT
from mcp.types import CONNECTION_CLOSED, CallToolResult, Implementation, Tool, ToolListChangedNotification

import coverset

logger = logging.getLogger("coverset.mcp")

# A server must have started and listed its tools within this time: some are downloaded first.
START = 60.0
# Restarted after these pauses, then given up; a server that was up for STABLE has its restarts back.
PAUSES = (1.0, 2.0, 4.0)
STABLE = 60.0
# A list of tools that never ends is cut.
PAGES = 100

State = Literal["starting", "ready", "restarting", "failed"]


class Upstream:
    """A server's process and what is known of it.

    Parameters
    ----------
    name
        What the configuration calls it.
    parameters
        How to start it.
    changed
        Awaited whenever its state or its tools are others.
    """

    def __init__(
        self, name: str, parameters: StdioServerParameters, changed: Callable[[Upstream], Awaitable[None]]
    ) -> None:
        self.name, self.parameters, self._changed = name, parameters, changed
        self.state: State = "starting"
        self.tools: list[Tool] = []
        self.error: str | None = None
        self.instructions: str | None = None
        self.settled = anyio.Event()
        self._stale = anyio.Event()
        self._client: Client | None = None

    @property
    def trouble(self) -> str:
        """What to say to whoever asks for a tool while it is not ready, whether or not it is still listed."""
        return f"the server {self.name!r} is {self.state}: {self.error or 'not ready yet'}"

    async def run(self) -> None:
        """Keep the server up, until cancelled or until it has failed too often."""
        failures = 0
        while True:
            began = anyio.current_time()
            try:
                await self._live()
            except Exception as error:
                await self._down(_reason(error))
            if anyio.current_time() - began > STABLE:
                failures = 0
            if failures == len(PAUSES):
                break
            logger.warning("server %s: %s; restart in %g s", self.name, self.error, PAUSES[failures])
            await anyio.sleep(PAUSES[failures])
            failures += 1
        logger.error("server %s: %s; given up after %d restarts", self.name, self.error, failures)
        self.state = "failed"
        await self._changed(self)

    async def call(self, tool: str, arguments: dict[str, Any], progress: ProgressFnT) -> CallToolResult:
        """Call one of its tools. Cancelling this cancels the call; protocol errors come through as they are."""
        client = self._client
        if client is None:
            raise ToolError(self.trouble)
        try:
            return await client.call_tool(tool, arguments, progress_callback=progress)
        except MCPError as error:
            if error.code != CONNECTION_CLOSED:
                raise
            # Whoever looks after this answer finds the server down, even if its end has not been noticed yet.
            if self._client is client:
                await self._down("its process ended")
            raise ToolError(
                f"the server {self.name!r} ended during the call; it may have done its work"
            ) from error
        except RuntimeError as error:
            raise ToolError(f"the server {self.name!r} broke its word: {error}") from error

    async def _live(self) -> None:
        """Start the server and keep in step with it until its process has ended."""
        ended = anyio.Event()
        client = Client(
            _process(self.parameters, ended),
            message_handler=self._on_message,
            client_info=Implementation(name="coverset", version=coverset.__version__),
            cache=None,
        )
        with anyio.fail_after(START) as starting:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(client)
                await _subscribe(client, stack)
                self.tools, self.instructions = await _list_tools(client), client.instructions
                starting.deadline = math.inf
                self._client, self.state, self.error = client, "ready", None
                logger.info("server %s: ready, %d tools", self.name, len(self.tools))
                await self._changed(self)
                self.settled.set()
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._keep_in_step, client)
                    await ended.wait()
                    tasks.cancel_scope.cancel()
                if self._client is client:
                    await self._down("its process ended")

    async def _down(self, error: str) -> None:
        """Take note that the server cannot be used for now, nor its tools be found."""
        self._client, self.tools, self.state, self.error = None, [], "restarting", error
        await self._changed(self)
        self.settled.set()

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._stale.set()

    async def _keep_in_step(self, client: Client) -> None:
        """List the tools again after each word that they changed; many words at once make one list."""
        while True:
            await self._stale.wait()
            self._stale = anyio.Event()
            try:
                self.tools = await _list_tools(client)
            except MCPError as error:
                logger.warning("server %s: its tools changed, but could not be listed: %s", self.name, error)
                continue
            logger.info("server %s: its tools changed, now %d", self.name, len(self.tools))
            await self._changed(self)


@asynccontextmanager
async def _process(parameters: StdioServerParameters, ended: anyio.Event) -> AsyncIterator[Any]:
    """The transport to a new process, which also says when the process has ended, asked or not."""
    send, receive = anyio.create_memory_object_stream[Any](0)

    async def pump() -> None:
        async with send:
            async for message in read:
                await send.send(message)
            ended.set()

    async with stdio_client(parameters) as (read, write), anyio.create_task_group() as tasks:
        tasks.start_soon(pump)
        yield receive, write
        tasks.cancel_scope.cancel()


async def _subscribe(client: Client, stack: AsyncExitStack) -> None:
    """Ask to be told of changes: since 2026-07-28, servers only tell those who listen; before, anyone."""
    capability = client.server_capabilities.tools
    if capability is not None and capability.list_changed:
        with suppress(ListenNotSupportedError):
            await stack.enter_async_context(client.listen(tools_list_changed=True))


async def _list_tools(client: Client) -> list[Tool]:
    """Return all of a server's tools, page by page; none if it has no tools to offer."""
    if client.server_capabilities.tools is None:
        return []
    tools: list[Tool] = []
    cursor: str | None = None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return tools


def _reason(error: BaseException) -> str:
    """Say in a line why a server failed: the first cause, if there are several."""
    while causes := getattr(error, "exceptions", None):
        error = causes[0]
    if isinstance(error, TimeoutError):
        return f"it did not answer within {START:g} s"
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return "its process ended before it answered"
    return f"{type(error).__name__}: {error}"
