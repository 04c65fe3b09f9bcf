"""An agent's session with `coverset mcp`: it finds tools that complement each other and calls them through."""

from __future__ import annotations

import hashlib
import json
import math
import statistics
from pathlib import Path

import anyio
import pytest
from mcp import MCPError
from mcp.types import ImageContent, TextContent

from tests.integrations.mcp.conftest import DOCUMENTS, Agent, error_of, eventually
from tests.integrations.mcp.servers import words

pytestmark = pytest.mark.anyio


async def test_it_has_few_tools_of_its_own_and_more_than_60_behind_them(agent: Agent) -> None:
    await agent.find("anything")
    tools = {tool.name: tool for tool in (await agent.client.list_tools(cache_mode="bypass")).tools}
    assert set(tools) == {"find_tools", "describe_tools", "call_tool", "list_servers", "search"}
    assert "numbers (36 tools), words (34 tools), absent (" in (tools["find_tools"].description or "")
    assert tools["find_tools"].annotations is not None
    assert tools["find_tools"].annotations.read_only_hint
    assert tools["call_tool"].annotations is not None
    assert tools["call_tool"].annotations.destructive_hint


async def test_it_finds_the_tools_that_together_do_a_job(agent: Agent) -> None:
    found = await agent.find("the sine of an angle given in degrees, rounded to two decimal places")
    assert {"numbers/sine", "numbers/degrees_to_radians", "numbers/round_to_decimals"} <= set(found)
    found = await agent.find("extract the numbers from a text, average them and round to one decimal")
    assert {"words/find_numbers", "numbers/mean", "numbers/round_to_decimals"} <= set(found)


async def test_a_plan_finds_tools_step_by_step_and_says_what_none_does(agent: Agent) -> None:
    steps = ["extract the numbers from a text", "round to one decimal place", "bake a chocolate cake"]
    answer = await agent.use("find_tools", request="what do we spend on average?", steps=steps, k=4)
    assert list(answer["steps"]) == steps
    assert answer["steps"][steps[0]][0] == "words/find_numbers"
    assert answer["steps"][steps[1]][0] == "numbers/round_to_decimals"
    assert answer["steps"][steps[2]] == []
    assert answer["unserved"] == [steps[2]]
    assert "answered" not in answer
    baked = await agent.use("find_tools", request=steps[2], k=2)
    assert (baked["answered"], len(baked["tools"])) == (False, 2)
    small = await agent.use("find_tools", request="what do we spend on average?", steps=steps, k=1)
    first = {step: names[:1] for step, names in answer["steps"].items()}
    assert (small["steps"], small["unserved"]) == (first, [steps[2]])
    assert {"words/count_words", "numbers/mean"} <= set(answer["siblings"]) | {t["name"] for t in answer["tools"]}
    assert "steps must not be empty" in await agent.fail("find_tools", request="a", steps=["b", " "])


async def test_an_answer_is_compact_and_the_rest_is_described_on_demand(agent: Agent) -> None:
    result = await agent.client.call_tool("find_tools", {"request": "the sine of an angle", "k": 3})
    (text,) = result.content
    assert isinstance(text, TextContent)
    assert json.loads(text.text) == result.structured_content
    assert "\n" not in text.text
    assert '"title"' not in text.text
    (named,) = (await agent.use("describe_tools", names=["numbers/cosine"]))["tools"]
    assert named["description"] == "Cosine of an angle given in radians."
    assert named["inputSchema"]["required"] == ["value"]
    (unknown,) = (await agent.use("describe_tools", names=["numbers/cosin"]))["unknown"]
    assert unknown.startswith("there is no tool 'numbers/cosin'; did you mean numbers/cosine, ")


async def test_what_it_finds_can_be_called_as_it_stands(agent: Agent) -> None:
    answer = await agent.use("find_tools", request="convert a temperature from Celsius to Fahrenheit", k=1)
    (tool,) = answer["tools"]
    assert tool["description"] == "Convert a temperature from Celsius to Fahrenheit."
    (argument,) = tool["inputSchema"]["required"]
    assert tool["inputSchema"]["properties"][argument]["type"] == "number"
    assert tool["weight"] > 0
    result = await agent.call(tool["name"], **{argument: 100})
    assert result.structured_content == {"result": 212.0}


async def test_results_are_those_of_plain_python(agent: Agent) -> None:
    sine = await agent.call("numbers/sine", value=0.5)
    assert sine.structured_content == {"result": math.sin(0.5)}
    checksum = await agent.call("words/sha256_checksum", text="Grüße")
    assert checksum.structured_content == {"result": hashlib.sha256("Grüße".encode()).hexdigest()}


async def test_content_structure_and_meta_of_a_result_come_through_as_they_are(agent: Agent) -> None:
    result = await agent.call("words/draw_dot")
    expected = words.draw_dot()
    assert result.content == expected.content
    assert isinstance(result.content[0], ImageContent)
    assert result.structured_content == {"width": 1, "height": 1}
    assert result.meta is not None
    assert result.meta["example.org/shade"] == "black"


async def test_errors_of_a_tool_come_through_as_its_errors(agent: Agent) -> None:
    assert "the divisor must not be 0" in error_of(await agent.call("numbers/divide", dividend=1, divisor=0))
    assert "Field required" in error_of(await agent.call("numbers/sine", valu=1))


async def test_progress_comes_through(agent: Agent) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    arguments = {"name": "numbers/count_slowly", "arguments": {"steps": 3}}
    result = await agent.client.call_tool("call_tool", arguments, progress_callback=note)
    assert result.structured_content == {"result": 3}
    assert seen == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


async def test_cancelling_a_call_cancels_the_tool(agent: Agent) -> None:
    mark = agent.folder / "mark"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agent.call, "words/wait_for_ever")
        await eventually(lambda: says(mark, "began"))
        tasks.cancel_scope.cancel()
    await eventually(lambda: says(mark, "cancelled"))


async def says(mark: Path, text: str) -> bool:
    return mark.exists() and mark.read_text(encoding="utf-8") == text


async def test_bad_arguments_and_unknown_tools_are_refused_with_a_reason(agent: Agent) -> None:
    assert "request must not be empty" in await agent.fail("find_tools", request="  ")
    assert "greater than or equal to 1" in await agent.fail("find_tools", request="add", k=0)
    assert "request" in await agent.fail("find_tools")
    assert "did you mean numbers/sine" in await agent.fail("call_tool", name="numbers/sin")
    assert "there is no tool 'nobody/nothing'" in await agent.fail("call_tool", name="nobody/nothing")
    assert "arguments" in await agent.fail("call_tool", name="numbers/sine", arguments=[1])


async def test_more_tools_than_there_are_is_all_of_them_once(agent: Agent) -> None:
    found = await agent.find("whatever", k=100)
    assert len(found) == len(set(found)) == (await agent.server("numbers"))["tools"] + 34


async def test_a_tool_added_while_the_server_runs_is_found_and_the_client_is_told(agent: Agent) -> None:
    request = "the median of a list of numbers"
    assert "numbers/median" not in await agent.find(request)
    before = len(agent.changes)
    await agent.call("numbers/learn_statistics")

    async def found() -> bool:
        return "numbers/median" in await agent.find(request)

    await eventually(found)
    result = await agent.call("numbers/median", numbers=[3, 1, 10])
    assert result.structured_content == {"result": statistics.median([3, 1, 10])}
    assert len(agent.changes) > before
    tools = (await agent.client.list_tools(cache_mode="bypass")).tools
    assert any("numbers (38 tools)" in (tool.description or "") for tool in tools)


async def test_a_server_that_crashes_is_reported_and_restarted_and_the_others_go_on(agent: Agent) -> None:
    held = agent.folder / "mark.held"
    held.touch()
    assert "the server 'words' ended during the call" in error_of(await agent.call("words/crash"))
    assert await agent.server("words") == {
        "name": "words",
        "state": "restarting",
        "tools": 0,
        "error": "its process ended",
    }
    assert "'words' is restarting: its process ended" in error_of(await agent.call("words/count_words", text="a"))
    answer = await agent.use("find_tools", request="count the words of a text")
    assert not any(tool["name"].startswith("words/") for tool in answer["tools"])
    assert "words: its process ended" in answer["unavailable"]
    assert (await agent.call("numbers/add", a=1, b=2)).structured_content == {"result": 3.0}
    held.unlink()

    async def ready() -> bool:
        return bool((await agent.server("words"))["state"] == "ready")

    await eventually(ready)
    assert "words/count_words" in await agent.find("count the words of a text")


async def test_servers_that_cannot_start_are_given_up_with_the_reason(agent: Agent) -> None:
    async def failed() -> bool:
        return all([(await agent.server(name))["state"] == "failed" for name in ("absent", "broken")])

    await eventually(failed)
    assert "No such file" in (await agent.server("absent"))["error"]
    assert (await agent.server("broken"))["error"] == "it ended before it answered"
    assert (await agent.server("numbers"))["server_says"].startswith("Angles are in radians")


async def test_documents_of_a_store_are_found_as_a_set_and_read_as_resources(agent: Agent) -> None:
    answer = await agent.use("search", query="how much paid leave is there, and are taxis refunded?", k=2)
    assert {hit["id"] for hit in answer["documents"]} in ({"leave", "train"}, {"holiday", "train"})
    (hit,) = (await agent.use("search", query="where are the keys?", k=3, where={"part": "house"}))["documents"]
    assert (hit["id"], hit["meta"]) == ("a/b ../ü?#", {"part": "house"})
    (contents,) = (await agent.client.read_resource(hit["uri"])).contents
    assert contents.text == hit["text"] == DOCUMENTS[3]["text"]  # type: ignore[union-attr]
    (template,) = (await agent.client.list_resource_templates()).resource_templates
    assert template.uri_template == "coverset://documents/{id}"


async def test_a_search_says_which_document_serves_which_step_and_whether_it_answers(agent: Agent) -> None:
    steps = ["how much paid leave there is", "who refunds train tickets", "where the keys are"]
    answer = await agent.use("search", query="what a new employee asks", steps=steps, k=1)
    served = {hit["part"]: hit["id"] for hit in answer["documents"]}
    assert served[steps[0]] in ("leave", "holiday")
    assert (served[steps[1]], served[steps[2]]) == ("train", "a/b ../ü?#")
    assert answer["steps"] == {step: [served[step]] for step in steps}
    assert (answer["answered"], answer["unserved"]) == (True, [])
    assert all(0 < hit["score"] <= 1 for hit in answer["documents"])
    nothing = await agent.use("search", query="the orbital period of Jupiter's moons", k=3)
    assert (nothing["answered"], len(nothing["documents"])) == (False, 1)
    assert "steps must not be empty" in await agent.fail("search", query="a", steps=["b", "b"])


async def test_bad_searches_and_missing_documents_are_refused_with_a_reason(agent: Agent) -> None:
    assert "query must not be empty" in await agent.fail("search", query="")
    assert "where['part']" in await agent.fail("search", query="keys", where={"part": {"$like": 1}})
    with pytest.raises(MCPError, match="there is no document 'nothing'"):
        await agent.client.read_resource("coverset://documents/nothing")
