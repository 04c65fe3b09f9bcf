"""One MCP server behind this one: reached, kept in step with, and reached anew when it fails."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Literal, TypeVar

import anyio
from mcp import Client, MCPError
from mcp.client.session import IncomingMessage
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    CONNECTION_CLOSED,
    Implementation,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    Tool,
    ToolListChangedNotification,
)

import coverset
from coverset.integrations.mcp.config import Behind, Kind, Remote
from coverset.integrations.mcp.forwarding import Calling
from coverset.integrations.mcp.limits import Limits, words_of
from coverset.integrations.mcp.offer import Offer, list_offer, subscribe
from coverset.integrations.mcp.process import process
from coverset.integrations.mcp.relay import Relay
from coverset.integrations.mcp.remote import remote
from coverset.integrations.mcp.screening import Screen
from coverset.plain import Foreign

logger = logging.getLogger("coverset.mcp")

# A server must have started and listed its tools within this time: some are downloaded first.
START = 60.0
# How long after its connection the end of a process may be noticed.
NOTICED = 1.0
# A process is started again after these pauses, then given up; one that was up for STABLE has its restarts back.
# A server elsewhere is tried again for ever, after the last pause at the latest.
PAUSES = (1.0, 2.0, 4.0)
REMOTE_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0)
STABLE = 60.0
# How often a server elsewhere is listed anew: nothing else tells that it is gone.
CHECK = 60.0
# A server that says without end that it changed is listed no more often than this.
CALM = 1.0

State = Literal["starting", "ready", "restarting", "failed"]
CHANGES = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)
Result = TypeVar("Result")


class Upstream:
    """A server, as the configuration names it, and what is known of it.

    `index` is awaited before its tools count as ready, whenever they are others; `changed` whenever its state or
    what it offers is another.
    """

    def __init__(
        self,
        name: str,
        behind: Behind,
        limits: Limits,
        index: Callable[[Upstream], Awaitable[None]],
        changed: Callable[[], Awaitable[None]],
    ) -> None:
        self.name, self.behind, self.limits = name, behind, limits
        self._index, self._changed = index, changed
        self.state: State = "starting"
        self.offer = Offer()
        self.error: str | None = None
        self.instructions: str | None = None
        # It has answered, or failed to; and then: what it offers can be found.
        self.answered, self.settled = anyio.Event(), anyio.Event()
        self._stale = anyio.Event()
        self._ended = anyio.Event()
        self._client: Client | None = None
        self._relay = Relay(name)
        self._elsewhere = isinstance(behind.start, Remote)

    @property
    def tools(self) -> list[Tool]:
        """Those of its tools that may be used."""
        return [tool for tool in self.offer.tools if self.behind.permits(f"{self.name}/{tool.name}")]

    @property
    def trouble(self) -> str:
        """What to say to whoever asks for a tool while it is not ready, whether or not it is still listed."""
        return f"the server {self.name!r} is {self.state}: {self.error or 'not ready yet'}"

    async def run(self) -> None:
        """Keep the server up, until cancelled or until its process has failed too often."""
        failures = 0
        pauses = REMOTE_PAUSES if self._elsewhere else PAUSES
        while True:
            began = anyio.current_time()
            try:
                await self._live()
            except Exception as error:
                await self._down(_reason(error))
            if anyio.current_time() - began > STABLE:
                failures = 0
            if failures == len(pauses) and not self._elsewhere:
                break
            pause = pauses[min(failures, len(pauses) - 1)]
            logger.warning("server %s: %s; again in %g s", self.name, self.error, pause)
            await anyio.sleep(pause)
            failures += 1
        logger.error("server %s: %s; given up after %d restarts", self.name, self.error, failures)
        self.state = "failed"
        await self._changed()

    async def ask(self, context: Calling, send: Callable[[Client], Awaitable[Result]]) -> Result:
        """Send something for a client, whom the server may ask back; protocol errors come through as they are."""
        client = self._client
        if client is None:
            raise ToolError(self.trouble)
        try:
            with self._relay.during(context):
                return await send(client)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED and not self._elsewhere:
                with anyio.move_on_after(NOTICED):
                    await self._ended.wait()
            # Servers use this code for errors of their own, too.
            if error.code != CONNECTION_CLOSED or not (self._ended.is_set() or self._elsewhere):
                raise
            if self._ended.is_set() and self._client is client:
                await self._down(self._goodbye)
            self._stale.set()
            raise ToolError(
                f"the server {self.name!r} ended during the call; it may have done its work"
            ) from error
        except (RuntimeError, ValueError) as error:
            raise ToolError(f"the server {self.name!r} broke its word: {str(error)[:500]}") from error

    async def _live(self) -> None:
        """Reach the server and keep in step with it until the connection has ended."""
        start = self.behind.start
        if not isinstance(start, Remote):
            await self._connected(process(start, self.limits.message))
            return
        kinds: tuple[Kind, ...] = ("http", "sse") if start.kind is None else (start.kind,)
        errors: list[Exception] = []
        for kind in kinds:
            try:
                await self._connected(remote(start, kind, self.limits.message))
            except Exception as error:
                errors.append(error)
            if self.state == "ready" or not errors:
                break
        if errors:
            # What the first way says counts: the second is for servers of old.
            raise errors[0]

    async def _connected(self, transport: AbstractAsyncContextManager[Any]) -> None:
        ended = self._ended = anyio.Event()
        screen = Screen(self.limits, lambda: _version(client))
        client = Client(
            _screened(transport, screen, ended),
            message_handler=self._on_message,
            sampling_callback=self._relay.sample,
            elicitation_callback=self._relay.elicit,
            list_roots_callback=self._relay.roots,
            client_info=Implementation(name="coverset", version=coverset.__version__),
            cache=None,
        )
        with anyio.fail_after(START) as starting:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(client)
                await subscribe(client, stack)
                offer = await list_offer(client, self.limits, screen.left_out)
                starting.deadline = math.inf
                await self._up(client, offer)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._keep_in_step, client, screen)
                    await ended.wait()
                    tasks.cancel_scope.cancel()
                if self._client is client:
                    await self._down(self._goodbye)

    @property
    def _goodbye(self) -> str:
        return "the connection ended" if self._elsewhere else "its process ended"

    async def _up(self, client: Client, offer: Offer) -> None:
        self.answered.set()
        self.offer, self.instructions = offer, words_of(client.instructions, self.limits.instructions)
        await self._index(self)
        self._client, self.state, self.error = client, "ready", None
        logger.info("server %s: ready, %d tools", self.name, len(offer.tools))
        for reason in offer.left_out:
            logger.warning("server %s: left out %s", self.name, reason)
        await self._changed()
        self.settled.set()

    async def _down(self, error: str) -> None:
        """Take note that the server cannot be used for now, nor its tools be found."""
        if self.settled.is_set():  # who asks meanwhile waits until its tools are no longer found
            self.settled = anyio.Event()
        self._client, self.offer, self.state = None, Offer(), "restarting"
        self.error, self.instructions = self.behind.redact(error), None
        self.answered.set()
        await self._index(self)
        await self._changed()
        self.settled.set()

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, CHANGES):
            self._stale.set()

    async def _keep_in_step(self, client: Client, screen: Screen) -> None:
        """List anew after each word of a change, many words at once as one; a server elsewhere also in between."""
        while True:
            with anyio.move_on_after(CHECK if self._elsewhere else math.inf):
                await self._stale.wait()
            self._stale = anyio.Event()
            with anyio.fail_after(START):
                try:
                    offer = await list_offer(client, self.limits, screen.left_out)
                except MCPError as error:
                    if self._elsewhere:
                        raise
                    logger.warning("server %s: changed, but could not be listed: %s", self.name, error)
                    continue
            if self._client is client and offer != self.offer:
                self.offer = offer
                logger.info("server %s: changed, now %d tools", self.name, len(offer.tools))
                await self._index(self)
                await self._changed()
            await anyio.sleep(CALM)


@asynccontextmanager
async def _screened(
    transport: AbstractAsyncContextManager[Any], screen: Screen, ended: anyio.Event
) -> AsyncIterator[Foreign]:
    """The transport, screened; it also says when the connection has ended, asked or not."""
    send, receive = anyio.create_memory_object_stream[Any](0)

    async def pump() -> None:
        async with send:
            async for message in read:
                await send.send(screen(message))
            ended.set()

    async with transport as (read, write), anyio.create_task_group() as tasks:
        tasks.start_soon(pump)
        yield receive, write
        tasks.cancel_scope.cancel()


def _version(client: Client) -> str | None:
    try:
        return client.protocol_version
    except RuntimeError:
        return None


def _reason(error: BaseException) -> str:
    """Say in a line why a server failed: the first cause, if there are several."""
    while causes := getattr(error, "exceptions", None):
        error = causes[0]
    if isinstance(error, TimeoutError):
        return f"it did not answer within {START:g} s"
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return "it ended before it answered"
    return f"{type(error).__name__}: {error}"[:500]
