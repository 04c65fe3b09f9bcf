"""Agents with 500 tools: their models are handed only those that a request needs, in every framework."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from coverset.integrations import tools as module
from coverset.integrations.tools import ChosenTools, ToolChooser, choose_tools

REQUEST = "convert a temperature from Celsius to Fahrenheit, then send the result by e-mail"
NEEDED = {
    "celsius_to_fahrenheit": "Convert a temperature from Celsius to Fahrenheit.",
    "send_email": "Send a message by e-mail to an address.",
}
FILLER = {
    f"{verb}_{thing}": f"{verb.capitalize()} the {thing} of a garden."
    for verb in ("paint", "weigh", "sketch", "rent", "guard", "sing_about", "photograph", "catalogue")
    for thing in [f"{colour}_{plant}" for colour in ("red", "blue", "white", "old", "tall", "wild", "small", "odd")
                  for plant in ("rose", "oak", "fern", "tulip", "moss", "ivy", "lily", "birch")]
}  # fmt: skip
CATALOGUE = {**dict(list(FILLER.items())[:497]), **NEEDED, "ask_user": "Put a question to somebody."}
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("cache")
    patch.setattr(module, "default_folder", lambda: folder)
    yield
    patch.undo()


def openai_chat(name: str, description: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": SCHEMA}}


def openai_responses(name: str, description: str) -> dict[str, Any]:
    return {"type": "function", "name": name, "description": description, "parameters": SCHEMA}


def anthropic(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": SCHEMA}


def mcp(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": SCHEMA}


def mcp_object(name: str, description: str) -> Any:
    from mcp.types import Tool

    return Tool(name=name, description=description, input_schema=SCHEMA)


@pytest.mark.parametrize("shape", [openai_chat, openai_responses, anthropic, mcp, mcp_object])
def test_tools_of_every_shape_are_chosen_and_returned_as_they_are(shape: Callable[[str, str], Any]) -> None:
    assert len(CATALOGUE) == 500
    tools = [shape(name, description) for name, description in CATALOGUE.items()]
    chosen = choose_tools(REQUEST, tools, k=4)
    assert len(chosen) == 4
    assert all(any(tool is each for each in tools) for tool in chosen)
    needed = [shape(name, description) for name, description in NEEDED.items()]
    assert all(tool in chosen for tool in needed)
    assert isinstance(chosen, list)


def test_a_tool_without_a_description_is_found_by_its_parameters() -> None:
    tools = [mcp(name, description) for name, description in CATALOGUE.items() if name not in NEEDED]
    bare = {"name": "convert", "inputSchema": {"type": "object", "properties": {"celsius": {}, "fahrenheit": {}}}}
    assert bare in choose_tools("from Celsius to Fahrenheit", [*tools, bare], k=3)


def test_few_tools_and_a_turn_without_text_leave_all() -> None:
    tools = [anthropic(name, description) for name, description in list(CATALOGUE.items())[:4]]
    assert choose_tools(REQUEST, tools, k=4) == tools
    assert ToolChooser(1).choose("  ", tools) == tools
    assert choose_tools(REQUEST, [], k=1) == []


def test_tools_that_always_come_along_do_not_count_and_those_without_a_name_stay() -> None:
    tools = [{"type": "web_search"}, *(openai_responses(*each) for each in CATALOGUE.items())]
    chosen = ToolChooser(2, always=["ask_user"]).choose(REQUEST, tools)
    assert [tool.get("name") for tool in chosen[:2]] == [None, "ask_user"]
    assert {tool["name"] for tool in chosen[2:]} == set(NEEDED)


def test_steps_say_which_tool_serves_which_and_which_none_does() -> None:
    tools = [anthropic(*each) for each in CATALOGUE.items()]
    steps = ["convert Celsius to Fahrenheit", "send a message by e-mail", "negotiate a peace treaty"]
    chosen = choose_tools("tell them how warm it is", tools, k=3, steps=steps)
    assert chosen.steps == {steps[0]: ["celsius_to_fahrenheit"], steps[1]: ["send_email"], steps[2]: []}
    assert chosen.unserved == [steps[2]]
    assert json.loads(json.dumps(chosen)) == list(chosen)


def test_a_small_k_leaves_no_step_without_its_tool() -> None:
    tools = [anthropic(*each) for each in CATALOGUE.items()]
    steps = ["convert Celsius to Fahrenheit", "send a message by e-mail", "put a question to somebody"]
    chosen = choose_tools("tell them how warm it is", tools, k=1, steps=steps)
    assert {tool["name"] for tool in chosen} == {*NEEDED, "ask_user"}
    assert chosen.unserved == []


def test_stated_steps_are_heeded_without_a_request() -> None:
    tools = [anthropic(*each) for each in CATALOGUE.items()]
    steps = ["convert Celsius to Fahrenheit", "send a message by e-mail"]
    chosen = choose_tools(" ", tools, k=2, steps=steps)
    assert {tool["name"] for tool in chosen} == set(NEEDED)
    assert chosen.steps == {steps[0]: ["celsius_to_fahrenheit"], steps[1]: ["send_email"]}
    none: ChosenTools[dict[str, str]] = choose_tools("", [], k=2, steps=steps)
    assert (none.answered, none.unserved) == (False, steps)


def test_where_no_tool_does_what_is_asked_for_the_nearest_are_returned_and_it_is_said() -> None:
    tools = [anthropic(*each) for each in CATALOGUE.items()]
    assert choose_tools(REQUEST, tools, k=2).answered
    walked = choose_tools("walk the dog", tools, k=2)
    assert (walked.answered, len(walked)) == (False, 2)
    assert choose_tools("walk the dog", tools, k=2, steps=["send a message by e-mail"]).answered


def test_misspelt_names_and_impossible_numbers_are_errors() -> None:
    with pytest.raises(ValueError, match="always names tools that are not among the tools: ask_usr"):
        ToolChooser(2, always=["ask_usr"]).choose(REQUEST, [mcp(*each) for each in CATALOGUE.items()])
    with pytest.raises(ValueError, match="always must be names of tools, as"):
        ToolChooser(2, always="ask_user")
    with pytest.raises(ValueError, match="k must be"):
        choose_tools(REQUEST, [], k=0)
    tools = [mcp(*each) for each in CATALOGUE.items()]
    steps: Any
    for steps in ("read", [5], [["read"]]):
        with pytest.raises(ValueError, match="steps must be a list of texts"):
            choose_tools(REQUEST, tools, steps=steps)
    with pytest.raises(ValueError, match="steps must not be empty nor equal"):
        choose_tools(REQUEST, tools, steps=["read", " "])
    with pytest.raises(ValueError, match="request must not be empty"):
        choose_tools(" ", tools)
    for wrong in (5, "read_file", None, mcp):
        with pytest.raises(ValueError, match=r"tools must be dicts .* or objects with a name and a description"):
            choose_tools(REQUEST, [*tools, wrong])


def test_choosers_of_ever_other_sizes_are_not_all_kept() -> None:
    for k in range(1, 40):
        choose_tools(REQUEST, [], k)
    assert module._chooser.cache_info().currsize <= module.REMEMBERED


@pytest.mark.parametrize("wait", [False, True])
def test_langchain(wait: bool) -> None:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import StructuredTool

    from coverset.integrations.langchain_agents import ToolsNeeded

    handed: list[list[str]] = []

    class Scripted(FakeMessagesListChatModel):
        def bind_tools(self, tools: Sequence[Any], **_: Any) -> Scripted:
            handed.append([tool.name for tool in tools])
            return self

    def run(text: str = "") -> str:
        return "212"

    tools = [StructuredTool.from_function(run, name=n, description=d) for n, d in CATALOGUE.items()]
    call = {"name": "celsius_to_fahrenheit", "args": {"text": "100"}, "id": "1", "type": "tool_call"}
    model = Scripted(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")])
    agent = create_agent(model, tools, middleware=[ToolsNeeded(k=3, always=["ask_user"])])
    asked = {"messages": [HumanMessage(REQUEST)]}
    answer = asyncio.run(agent.ainvoke(asked)) if wait else agent.invoke(asked)
    assert [message.content for message in answer["messages"][2:]] == ["212", "done"]
    first, second = handed
    assert len(first) == 4
    assert first[0] == "ask_user"
    assert {"ask_user", *NEEDED} <= set(first) & set(second)
    assert len(second) <= 5


def test_pydantic_ai() -> None:
    from pydantic_ai import Agent, Tool
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from coverset.integrations.pydantic_ai import ToolsNeeded

    handed: list[list[str]] = []

    def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        handed.append([tool.name for tool in info.function_tools])
        if len(handed) == 1:
            return ModelResponse(parts=[ToolCallPart("celsius_to_fahrenheit", {"text": "100"})])
        return ModelResponse(parts=[TextPart("done")])

    def run(text: str = "") -> str:
        return "212"

    tools = [Tool(run, name=name, description=description) for name, description in CATALOGUE.items()]
    agent = Agent(FunctionModel(scripted), tools=tools, capabilities=[ToolsNeeded(k=3, always=["ask_user"])])
    answer = asyncio.run(agent.run(REQUEST))
    assert answer.output == "done"
    first, second = handed
    assert len(first) == 4
    assert {"ask_user", *NEEDED} <= set(first) & set(second)


def test_openai_agents() -> None:
    from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, Runner, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    from coverset.integrations.openai_agents import tools_needed

    handed: list[list[str]] = []

    class Scripted(Model):
        async def get_response(self, *arguments: Any, tools: list[Any] | None = None, **_: Any) -> ModelResponse:
            handed.append([tool.name for tool in (tools if tools is not None else arguments[3])])
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            message = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            call = ResponseFunctionToolCall(
                call_id="1", name="celsius_to_fahrenheit", arguments='{"text": "100"}', type="function_call"
            )
            return ModelResponse(output=[call if len(handed) == 1 else message], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    async def run(_: Any, arguments: str) -> str:
        return str(json.loads(arguments)["text"])

    def tool(name: str, description: str, enabled: bool = True) -> FunctionTool:
        return FunctionTool(name, description, dict(SCHEMA), run, strict_json_schema=False, is_enabled=enabled)

    tools = [tool(*each) for each in CATALOGUE.items()]
    off = tool("fahrenheit", "Convert a temperature from Celsius to Fahrenheit.", enabled=False)
    agent = Agent(name="a", tools=tools_needed([*tools, off], k=4, always=["ask_user"]), model=Scripted())
    answer = asyncio.run(Runner.run(agent, REQUEST, run_config=RunConfig(tracing_disabled=True)))
    assert answer.final_output == "done"
    first, second = handed
    assert first == second
    assert "fahrenheit" not in first
    assert {"ask_user", *NEEDED} <= set(first)
    assert len(first) <= 5


@pytest.mark.filterwarnings(
    "ignore::pydantic.warnings.PydanticDeprecatedSince20",
    "ignore::pydantic.warnings.PydanticDeprecatedSince211",
)
def test_llamaindex() -> None:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.llms.mock import MockFunctionCallingLLM
    from llama_index.core.tools import FunctionTool

    from coverset.integrations.llamaindex import ToolsNeeded

    tools = [FunctionTool.from_defaults(lambda text: text, name=n, description=d) for n, d in CATALOGUE.items()]
    retriever = ToolsNeeded(tools, k=3, always=["ask_user"])
    agent = FunctionAgent(llm=MockFunctionCallingLLM(), tool_retriever=retriever)
    handed = [tool.metadata.name for tool in asyncio.run(agent.get_tools(REQUEST))]
    assert len(handed) == 4
    assert {"ask_user", *NEEDED} <= set(handed)
    assert [tool.metadata.name for tool in retriever.retrieve(REQUEST)] == handed


def run_text(text: str) -> str:
    return text


def test_haystack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    from haystack import Pipeline, component
    from haystack.tools import Tool

    from coverset.integrations.haystack import ToolsNeeded

    @component
    class Scripted:
        def __init__(self) -> None:
            component.set_input_types(self, tools=list[Tool])

        @component.output_types(handed=list[str])
        def run(self, **inputs: Any) -> dict[str, list[str]]:
            return {"handed": [tool.name for tool in inputs["tools"]]}

    tools = [Tool(n, d, {**SCHEMA}, function=run_text) for n, d in CATALOGUE.items()]
    pipeline = Pipeline()
    pipeline.add_component("needed", ToolsNeeded(tools, top_k=3, always=["ask_user"]))
    pipeline.add_component("llm", Scripted())
    pipeline.connect("needed.tools", "llm.tools")
    handed = pipeline.run({"needed": {"query": REQUEST}})["llm"]["handed"]
    assert len(handed) == 4
    assert {"ask_user", *NEEDED} <= set(handed)
    plain = Pipeline()
    plain.add_component("needed", ToolsNeeded(tools[:9], top_k=2, always=[tools[0].name]))
    trusted = ["coverset.integrations.haystack", __name__]
    asked = {"needed": {"query": "paint"}}
    assert Pipeline.loads(plain.dumps(), allowed_modules=trusted).run(asked) == plain.run(asked)


def test_vectors_are_kept_for_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "default_folder", lambda: tmp_path)
    tools = [mcp(*each) for each in list(CATALOGUE.items())[:20]]
    ToolChooser(2).choose("paint a rose", tools)
    assert len(list((tmp_path / "tools").glob("*/*.npz"))) == 1
