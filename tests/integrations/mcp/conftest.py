"""A real client session over stdio: `coverset mcp` in front of two real servers and two that cannot start."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError
from mcp.types import CallToolResult, TextContent, ToolListChangedNotification

from coverset import Retriever

ROOT = Path(__file__).parents[3]

DOCUMENTS = [
    {"id": "leave", "text": "Employees have thirty days of paid leave in a year.", "meta": {"part": "time"}},
    {"id": "holiday", "text": "Staff may take 30 days of paid holiday each year.", "meta": {"part": "time"}},
    {"id": "sick", "text": "Send a doctor's note on the third day of an illness.", "meta": {"part": "health"}},
    {"id": "a/b ../ü?#", "text": "Keys are handed out at the front desk.", "meta": {"part": "house"}},
    {"id": "train", "text": "Train tickets are refunded, taxis only at night.", "meta": {"part": "travel"}},
]


@dataclass
class Agent:
    """A client of `coverset mcp`, and what it has been told."""

    client: Client
    folder: Path
    changes: list[IncomingMessage] = field(default_factory=list)

    async def use(self, tool: str, **arguments: Any) -> Any:
        """Use a tool of the server itself, and return its structured answer; an error fails the test."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result
        return result.structured_content

    async def fail(self, tool: str, **arguments: Any) -> str:
        """Use a tool of the server itself, which must refuse, and return what it says."""
        return error_of(await self.client.call_tool(tool, arguments))

    async def call(self, name: str, **arguments: Any) -> CallToolResult:
        """Call a tool of a server behind it."""
        return await self.client.call_tool("call_tool", {"name": name, "arguments": arguments})

    async def find(self, request: str, k: int = 5) -> list[str]:
        """Return the names of the tools found."""
        return [tool["name"] for tool in (await self.use("find_tools", request=request, k=k))["tools"]]

    async def server(self, name: str) -> dict[str, Any]:
        """Return the status of a server behind it."""
        (status,) = (s for s in (await self.use("list_servers"))["servers"] if s["name"] == name)
        return status  # type: ignore[no-any-return]


def error_of(result: CallToolResult) -> str:
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def eventually(condition: Callable[[], Awaitable[bool]], within: float = 60.0) -> None:
    """Wait until a condition holds."""
    with anyio.fail_after(within):
        while not await condition():
            await anyio.sleep(0.05)


def environment(folder: Path) -> dict[str, str]:
    """What a process of ours needs: this code, and a cache of its own."""
    return {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(folder / "cache")}


def server(module: str, *arguments: str) -> dict[str, Any]:
    """The configuration of a server of ours."""
    return {
        "command": sys.executable,
        "args": ["-m", f"tests.integrations.mcp.servers.{module}", *arguments],
        "cwd": str(ROOT),
    }


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=["2026-07-28", "legacy"])
async def agent(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Agent]:
    folder = tmp_path_factory.mktemp("mcp")
    Retriever.open(folder / "handbook").add(DOCUMENTS)
    servers = {
        "numbers": server("numbers"),
        "words": server("words", str(folder / "mark")),
        "absent": {"command": str(folder / "no-such-program")},
        "broken": {"command": sys.executable, "args": ["-c", "raise SystemExit(1)"]},
        "off": {"command": "unused", "disabled": True},
    }
    (folder / "servers.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    command = ["-m", "coverset", "mcp", str(folder / "handbook"), "--config", str(folder / "servers.json")]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment(folder))
    changes: list[IncomingMessage] = []

    async def note(message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            changes.append(message)

    async with Client(parameters, mode=request.param, message_handler=note) as client, AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(client.listen(tools_list_changed=True))
        except ListenNotSupportedError:
            await client.list_tools()
        yield Agent(client, folder, changes)
