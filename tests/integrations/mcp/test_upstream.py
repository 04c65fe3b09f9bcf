"""A server behind: listed to its last page, given up when it hangs, never left running."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from coverset.integrations.mcp import upstream as module
from coverset.integrations.mcp.config import Behind
from coverset.integrations.mcp.limits import Limits
from coverset.integrations.mcp.upstream import Upstream
from tests.integrations.mcp.conftest import server

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def running(parameters: StdioServerParameters) -> AsyncIterator[tuple[Upstream, list[tuple[str, int]]]]:
    """A server behind that is running, and the states and numbers of tools it went through."""
    seen: list[tuple[str, int]] = []

    async def changed() -> None:
        seen.append((upstream.state, len(upstream.tools)))

    async def index(upstream: Upstream) -> None:
        indexed.append(len(upstream.tools))

    indexed: list[int] = []
    upstream = Upstream("server", Behind(parameters), Limits(), index, changed)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(upstream.run)
        with anyio.fail_after(60):
            await upstream.settled.wait()
        yield upstream, seen
        tasks.cancel_scope.cancel()


async def test_tools_are_listed_to_the_last_page_and_a_broken_promise_is_an_error() -> None:
    async with running(StdioServerParameters.model_validate(server("pages"))) as (upstream, seen):
        assert [tool.name for tool in upstream.tools] == [f"tool_{n}" for n in range(8)]
        assert seen == [("ready", 8)]
        with pytest.raises(ToolError, match="'server' broke its word: Invalid structured content"):
            await upstream.ask(Context(), lambda client: client.call_tool("tool_1"))


async def test_after_a_crash_every_answer_says_at_once_that_the_server_is_restarting() -> None:
    """The catalogue takes its time to forget the tools: a call that comes meanwhile is told the same."""
    async with running(StdioServerParameters.model_validate(server("words"))) as (upstream, _seen):
        with pytest.raises(ToolError, match="'server' ended during the call"):
            await upstream.ask(Context(), lambda client: client.call_tool("crash"))
        assert (upstream.state, upstream.tools) == ("restarting", [])
        with pytest.raises(ToolError, match="'server' is restarting: its process ended"):
            await upstream.ask(Context(), lambda client: client.call_tool("count_words", {"text": "a"}))


async def test_a_server_that_hangs_is_given_up_and_its_process_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "START", 1.0)
    monkeypatch.setattr(module, "PAUSES", (0.1,))
    code = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()} '); time.sleep(600)"
    parameters = StdioServerParameters(command=sys.executable, args=["-c", code, str(tmp_path / "pids")])
    async with running(parameters) as (upstream, seen):
        with anyio.fail_after(30):
            while upstream.state != "failed":
                await anyio.sleep(0.05)
    assert upstream.error == "it did not answer within 1 s"
    assert seen == [("restarting", 0), ("restarting", 0), ("failed", 0)]
    pids = (tmp_path / "pids").read_text(encoding="utf-8").split()
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
