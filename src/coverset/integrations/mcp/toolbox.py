"""What an agent sees of the servers behind this one: `find_tools`, `call_tool`, `list_servers`."""

from __future__ import annotations

import difflib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

import anyio
from anyio.to_thread import run_sync
from mcp import StdioServerParameters
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from coverset.integrations.mcp.catalogue import Catalogue
from coverset.integrations.mcp.upstream import State, Upstream

# How long a request waits for servers that are still starting.
PATIENCE = 30.0


class FoundTool(BaseModel):
    """A tool that is part of the answer."""

    name: str = Field(description="The name to give to call_tool.")
    description: str
    input_schema: dict[str, Any] = Field(alias="inputSchema", description="JSON schema of its arguments.")
    weight: float = Field(description="How much of the request this tool explains; 0: it only fills up to k.")


class FoundTools(BaseModel):
    """The answer to a request: a set, best first."""

    tools: list[FoundTool]
    unavailable: list[str] = Field(description="Servers whose tools could not be considered, and why.")


class ServerStatus(BaseModel):
    """How a server is doing."""

    name: str
    state: State
    tools: int
    error: str | None = Field(description="Why it is not ready.")
    instructions: str | None = Field(description="What the server says about the use of its tools.")


class ServerList(BaseModel):
    """All servers."""

    servers: list[ServerStatus]


class Toolbox:
    """The servers behind this one, and the catalogue of their tools.

    Parameters
    ----------
    servers
        How to start each server, by name.
    catalogue
        Where their tools are found.
    """

    def __init__(self, servers: Mapping[str, StdioServerParameters], catalogue: Catalogue) -> None:
        self._parameters, self._catalogue = servers, catalogue
        self._upstreams: dict[str, Upstream] = {}

    @asynccontextmanager
    async def running(self, changed: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """Run the servers while the context lasts; `changed` is awaited whenever `summary` says something else."""
        told = ""

        async def keep_in_step(upstream: Upstream) -> None:
            nonlocal told
            await run_sync(self._catalogue.replace, upstream.name, upstream.tools)
            before, told = told, self.summary
            if told != before:
                await changed()

        async with anyio.create_task_group() as tasks:
            for name, parameters in self._parameters.items():
                self._upstreams[name] = Upstream(name, parameters, keep_in_step)
                tasks.start_soon(self._upstreams[name].run)
            told = self.summary
            yield
            tasks.cancel_scope.cancel()

    @property
    def summary(self) -> str:
        """Which servers there are, for the description of `find_tools`."""
        upstreams = self._upstreams.values()
        return ", ".join(f"{u.name} ({_count(u) if u.state == 'ready' else u.state})" for u in upstreams)

    async def find_tools(
        self,
        request: Annotated[str, Field(description="What is to be done, in plain words, with all of its steps.")],
        k: Annotated[int, Field(description="How many tools to return at most.", ge=1, le=100)] = 5,
    ) -> FoundTools:
        """Find the few tools that together do a job, out of all tools of all servers.

        Describe the whole job in one request. The answer is a set whose tools complement each other, not a
        list of tools that are alike. Then use call_tool with a tool's name and arguments for its inputSchema.
        """
        if not request.strip():
            raise ToolError("request must not be empty: say in plain words what is to be done")
        with anyio.move_on_after(PATIENCE):
            for upstream in self._upstreams.values():
                await upstream.settled.wait()
        found = await run_sync(self._catalogue.find, request, k)
        return FoundTools(
            tools=[
                FoundTool(
                    name=entry.name,
                    description=entry.tool.description or "",
                    inputSchema=entry.tool.input_schema,
                    weight=weight,
                )
                for entry, weight in found
            ],
            unavailable=[
                f"{u.name}: {u.error or u.state}" for u in self._upstreams.values() if u.state != "ready"
            ],
        )

    async def call_tool(
        self,
        name: Annotated[str, Field(description="The tool's name, server/tool, as find_tools returned it.")],
        context: Context,
        arguments: Annotated[
            dict[str, Any] | None, Field(description="Its arguments, as its inputSchema asks for.")
        ] = None,
    ) -> CallToolResult:
        """Call a tool that find_tools returned, and return its result as it is."""
        entry = self._catalogue.get(name)
        if entry is None:
            raise ToolError(self._unknown(name))
        return await self._upstreams[entry.server].call(entry.tool.name, arguments or {}, context.report_progress)

    async def list_servers(self) -> ServerList:
        """Tell which servers stand behind find_tools, how they are doing, and how they want to be used."""
        return ServerList(
            servers=[
                ServerStatus(
                    name=u.name, state=u.state, tools=len(u.tools), error=u.error, instructions=u.instructions
                )
                for u in self._upstreams.values()
            ]
        )

    def _unknown(self, name: str) -> str:
        server = self._upstreams.get(name.partition("/")[0])
        if server is not None and server.state != "ready":
            return server.trouble
        near = difflib.get_close_matches(name, self._catalogue.names, 3, 0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "find_tools returns names that are"
        return f"there is no tool {name!r}; {hint}"


def _count(upstream: Upstream) -> str:
    return f"{len(upstream.tools)} tool{'' if len(upstream.tools) == 1 else 's'}"
