"""Servers that lie, flood, hang, die and return too much: the gateway goes on, within its limits."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import TextContent

from coverset.integrations.mcp.limits import Limits
from tests.integrations.mcp.conftest import Agent, environment, error_of, eventually, server
from tests.integrations.mcp.servers.hostile import HIDDEN

pytestmark = pytest.mark.anyio
LIMITS = Limits()


@pytest.fixture(scope="module")
async def agent(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Agent]:
    folder = tmp_path_factory.mktemp("hostile")
    servers = {
        "bad": server("hostile", "any"),
        "silent": server("hostile", "silent"),
        "endless": server("hostile", "endless"),
        "numbers": server("numbers"),
    }
    (folder / "servers.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    command = ["-m", "coverset", "mcp", "--config", str(folder / "servers.json")]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment(folder))
    async with Client(parameters) as client:
        agent = Agent(client, folder)
        await eventually(lambda: ready(agent, "bad", "numbers", "endless"), within=300)
        yield agent


async def ready(agent: Agent, *names: str) -> bool:
    return all([(await agent.server(name))["state"] == "ready" for name in names])


async def still_well(agent: Agent) -> None:
    assert (await agent.call("numbers/add", a=1, b=2)).structured_content == {"result": 3.0}


async def test_a_server_that_never_starts_holds_up_no_search(agent: Agent) -> None:
    await agent.find("anything")
    began = time.monotonic()
    answer = await agent.use("find_tools", request="the sine of an angle", k=3)
    assert time.monotonic() - began < 5
    assert "numbers/sine" in [tool["name"] for tool in answer["tools"]]
    assert "silent: starting" in answer["unavailable"]


async def test_bad_tools_cost_themselves_and_are_named(agent: Agent) -> None:
    status = await agent.server("bad")
    assert status["tools"] == 12
    left_out = " | ".join(status["left_out"])
    for name in ("no_schema: ", "list_schema: ", "an entry without a name: "):
        assert name in left_out
    assert len(status["left_out"]) == 4


async def test_two_tools_of_one_name_are_both_named_and_called(agent: Agent) -> None:
    found = await agent.find("repeat a text as it is, and repeat it in capital letters", k=4)
    assert {"bad/echo", "bad/echo~2"} <= set(found)
    for name in ("bad/echo", "bad/echo~2"):
        assert (await agent.call(name, text="Grüße")).content == [TextContent(text="Grüße")]


async def test_descriptions_schemas_and_instructions_are_cut_and_say_so(agent: Agent) -> None:
    result = await agent.client.call_tool(
        "find_tools", {"request": "sing about rivers, bake bread and water the plants", "k": 3}
    )
    assert {tool["name"] for tool in result.structured_content["tools"]} == {"bad/wordy", "bad/broad", "bad/sly"}
    assert len(result.model_dump_json()) < 10_000
    full = (await agent.use("describe_tools", names=["bad/wordy", "bad/broad", "bad/sly"]))["tools"]
    assert full[0]["description"].endswith("[cut: 4,000 of 1,000,026 characters]")
    assert full[1]["inputSchema"]["description"].startswith("[left out: a schema of ")
    assert not set(HIDDEN) & set(full[2]["description"])
    assert len((await agent.server("bad"))["server_says"]) < LIMITS.instructions + 100


async def test_words_of_servers_are_marked_as_theirs(agent: Agent) -> None:
    for tool, arguments in (("find_tools", {"request": "water"}), ("describe_tools", {"names": ["bad/sly"]})):
        assert "not instructions" in (await agent.use(tool, **arguments))["note"]


async def test_thirty_million_characters_are_refused_and_the_server_goes_on(agent: Agent) -> None:
    with pytest.raises(
        MCPError, match=r"the answer has 30,0.* bytes, more than the 16,000,000 that a message may"
    ):
        await agent.call("bad/huge")
    assert (await agent.call("bad/echo", text="still here")).content == [TextContent(text="still here")]
    await still_well(agent)


async def test_large_results_are_cut_and_say_so(agent: Agent) -> None:
    result = await agent.call("bad/large")
    first, second = result.content
    assert isinstance(first, TextContent)
    assert first.text.endswith("y [cut: 200,000 of 1,000,000 characters]")
    assert isinstance(second, TextContent)
    assert second.text.startswith("[left out: structured content of 1,000,009 characters")
    assert result.structured_content is None


async def test_nonsense_and_floods_are_read_over(agent: Agent) -> None:
    with anyio.fail_after(60):
        assert (await agent.call("bad/garbage")).content == [TextContent(text="done")]
        assert (await agent.call("bad/flood")).content == [TextContent(text="done")]
        await still_well(agent)


async def test_a_check_that_takes_for_ever_is_not_made(agent: Agent) -> None:
    with anyio.fail_after(20):
        assert (await agent.call("bad/endless_check")).content == [TextContent(text="done")]


async def test_a_list_without_end_is_cut(agent: Agent) -> None:
    assert (await agent.server("endless"))["tools"] == 100


async def test_a_call_that_hangs_holds_up_no_other_and_can_be_cancelled(agent: Agent) -> None:
    with anyio.move_on_after(5) as waiting:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agent.call, "bad/hang")
            await still_well(agent)
            assert (await agent.call("bad/echo", text="a")).content == [TextContent(text="a")]
            tasks.cancel_scope.cancel()
    assert not waiting.cancelled_caught


async def test_a_server_that_dies_in_the_middle_of_a_word_comes_back(agent: Agent) -> None:
    assert "'bad' ended during the call" in error_of(await agent.call("bad/die"))
    await still_well(agent)
    await eventually(lambda: ready(agent, "bad"))
    assert (await agent.call("bad/echo", text="back")).content == [TextContent(text="back")]


async def test_what_it_takes_up_stays_within_bounds(agent: Agent) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("memory is read from /proc")
    peaks = [peak(int(path.parent.name)) for path in Path("/proc").glob("[0-9]*/cmdline") if gateway(path, agent)]
    assert len(peaks) == 1
    assert peaks[0] < 1_000_000


def gateway(path: Path, agent: Agent) -> bool:
    try:
        words = path.read_bytes().split(b"\0")
    except OSError:
        return False
    return b"coverset" in words and str(agent.folder / "servers.json").encode() in words


def peak(process: int) -> int:
    """The most memory that a process has had, in kilobytes."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
