"""What an agent sees of the servers behind: `find_tools`, `describe_tools`, `call_tool`, `list_servers`."""

from __future__ import annotations

import difflib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated

import anyio
from anyio.to_thread import run_sync
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import Field

from coverset.integrations.mcp import answers
from coverset.integrations.mcp.config import Configuration
from coverset.integrations.mcp.forwarding import call_tool
from coverset.integrations.mcp.limits import bounded_result
from coverset.integrations.mcp.tool_index import Catalogue
from coverset.integrations.mcp.upstream import Upstream
from coverset.integrations.shelf import as_steps
from coverset.plain import Json

# How long after the start a request still waits for servers that have not answered yet.
PATIENCE = 10.0
# How long it waits for tools that are listed already and are still being encoded.
INDEXING = 120.0
# How many tools are described at a time.
DESCRIBED = 50

Name = Annotated[str, Field(description="The tool's name, server/tool, as find_tools returned it.")]


class Toolbox:
    """The servers behind this one, and the catalogue of their tools."""

    def __init__(self, configuration: Configuration, catalogue: Catalogue) -> None:
        self._configuration, self._catalogue = configuration, catalogue
        self.upstreams: dict[str, Upstream] = {}
        self._began = 0.0

    @asynccontextmanager
    async def running(self, changed: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """Run the servers while the context lasts; `changed` is awaited whenever what they offer is another."""

        async def index(upstream: Upstream) -> None:
            await run_sync(self._catalogue.replace, upstream.name, upstream.tools, limiter=indexing)

        # Threads of their own: servers that start by the dozen leave those of requests free.
        indexing = anyio.CapacityLimiter(max(1, len(self._configuration.servers)))
        self._began = anyio.current_time()
        async with anyio.create_task_group() as tasks:
            for name, behind in self._configuration.servers.items():
                self.upstreams[name] = Upstream(name, behind, self._configuration.limits, index, changed)
                tasks.start_soon(self.upstreams[name].run)
            yield
            tasks.cancel_scope.cancel()

    @property
    def summary(self) -> str:
        """The servers in one line, with what they have: "files (12 tools), mail (failed)"."""
        upstreams = self.upstreams.values()
        return ", ".join(f"{u.name} ({_count(u) if u.state == 'ready' else u.state})" for u in upstreams)

    async def find_tools(
        self,
        request: Annotated[str, Field(description="What is to be done, in plain words, with all of its steps.")],
        steps: Annotated[
            list[str] | None,
            Field(description="Your plan: what each tool is to do, a step each, in plain words.", max_length=16),
        ] = None,
        k: Annotated[
            int, Field(description="How many tools to return at most; at least one a step.", ge=1, le=100)
        ] = 5,
    ) -> CallToolResult:
        """Find the few tools that together do a job, out of all tools of all servers.

        Describe the whole job in one request, and hand in your plan as steps: tools are found far better with it.
        The answer says which tool serves which step, and which step none serves; siblings are names of further
        tools of the same servers, which describe_tools explains. Use a tool by call_tool, with its name and
        arguments for its inputSchema.
        """
        if not request.strip():
            raise ToolError("request must not be empty: say in plain words what is to be done")
        await self._settle()
        try:
            plan = as_steps(steps or ())
            found = await run_sync(self._catalogue.find, request, k, plan)
        except ValueError as error:
            raise ToolError(str(error)) from error
        waiting = (upstream for upstream in self.upstreams.values() if upstream.state != "ready")
        found.unavailable = [f"{upstream.name}: {upstream.error or upstream.state}" for upstream in waiting]
        return found.result()

    async def describe_tools(
        self,
        names: Annotated[
            list[str], Field(description="Names of tools, server/tool.", min_length=1, max_length=DESCRIBED)
        ],
    ) -> CallToolResult:
        """Tell all about tools whose names are known: their whole descriptions and inputSchemas."""
        await self._settle()
        entries = {name: self._catalogue.get(name) for name in names}
        return answers.DescribedTools(
            tools=[entry.described() for entry in entries.values() if entry is not None],
            unknown=[self._unknown(name) for name, entry in entries.items() if entry is None],
            note=answers.MARK,
        ).result()

    async def call_tool(
        self,
        name: Name,
        context: Context,
        arguments: Annotated[Json | None, Field(description="Its arguments, as its inputSchema asks for.")] = None,
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool that find_tools returned, and return its result as it is."""
        entry = self._catalogue.get(name)
        if entry is None:
            raise ToolError(self._unknown(name))
        upstream, tool = self.upstreams[entry.server], entry.tool.name
        result = await upstream.ask(context, lambda client: call_tool(client, tool, arguments or {}, context))
        return bounded_result(result, upstream.limits) if isinstance(result, CallToolResult) else result

    async def list_servers(self) -> CallToolResult:
        """Tell which servers stand behind find_tools, how they are doing, and how they want to be used."""
        return answers.ServerList(servers=[answers.status(u) for u in self.upstreams.values()]).result()

    async def _settle(self) -> None:
        """Give servers that were only just started a moment to list their tools, and not more than that."""
        with anyio.move_on_after(max(0.0, self._began + PATIENCE - anyio.current_time())):
            for upstream in self.upstreams.values():
                await upstream.answered.wait()
        with anyio.move_on_after(INDEXING):
            for upstream in self.upstreams.values():
                if upstream.answered.is_set():
                    await upstream.settled.wait()

    def _unknown(self, name: str) -> str:
        server = self.upstreams.get(name.partition("/")[0])
        if server is not None and server.state != "ready":
            return server.trouble
        if server is not None and not server.behind.permits(name):
            return f"the tool {name!r} must not be used: the configuration does not allow it"
        near = difflib.get_close_matches(name, self._catalogue.names, 3, 0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "find_tools returns names that are"
        return f"there is no tool {name!r}; {hint}"


def _count(upstream: Upstream) -> str:
    return f"{len(upstream.tools)} tool{'' if len(upstream.tools) == 1 else 's'}"
