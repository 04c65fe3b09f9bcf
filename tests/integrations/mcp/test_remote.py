"""Servers elsewhere: reached by HTTP with credentials that are never told, and reached anew; agents, too."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ListRootsResult,
    Root,
    TextContent,
)

from tests.integrations.mcp.conftest import ROOT, Agent, environment, error_of, eventually, server
from tests.integrations.mcp.test_command import refusal

pytestmark = pytest.mark.anyio
TOKEN = "token-that-nobody-may-see"
KEY = "key-of-an-agent-0123456789"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def elsewhere(kind: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A server that is reached by HTTP."""
    command = [sys.executable, "-m", "tests.integrations.mcp.servers.asking", kind, str(port), TOKEN]
    with subprocess.Popen(command, cwd=ROOT) as running:
        try:
            yield running
        finally:
            running.kill()


def config(folder: Path, servers: dict[str, Any], **more: Any) -> Path:
    path = folder / "servers.json"
    path.write_text(json.dumps({"mcpServers": servers, **more}), encoding="utf-8")
    return path


def gateway(folder: Path, path: Path, **env: str) -> StdioServerParameters:
    command = ["-m", "coverset", "mcp", "--config", str(path)]
    return StdioServerParameters(command=sys.executable, args=command, env={**environment(folder), **env})


class User:
    """Whoever sits before the client, and their answers."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.callbacks: dict[str, Any] = {
            "elicitation_callback": self._elicit,
            "sampling_callback": self._sample,
            "list_roots_callback": self._roots,
        }

    async def _elicit(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult(action="accept", content={"name": "Ada"})

    async def _sample(self, context: Any, params: CreateMessageRequestParams) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", content=TextContent(text="June"), model="scripted")

    async def _roots(self, context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri="file:///home/ada")])


def ready(agent: Agent, name: str) -> Any:
    async def is_ready() -> bool:
        return bool((await agent.server(name))["state"] == "ready")

    return is_ready


@pytest.mark.parametrize(
    ("kind", "entry"),
    [
        ("streamable-http", {"url": "http://127.0.0.1:{port}/mcp"}),
        ("streamable-http", {"url": "http://127.0.0.1:{port}/mcp", "type": "http"}),
        ("sse", {"url": "http://127.0.0.1:{port}/sse"}),
        ("sse", {"url": "http://127.0.0.1:{port}/sse", "type": "sse"}),
    ],
)
async def test_a_server_elsewhere_is_used_like_one_here(tmp_path: Path, kind: str, entry: dict[str, str]) -> None:
    port = free_port()
    entry = {**entry, "url": entry["url"].format(port=port)}
    headers = {"Authorization": "Bearer ${ASKING_TOKEN}"}
    path = config(tmp_path, {"far": {**entry, "headers": headers}})
    with elsewhere(kind, port):
        async with Client(gateway(tmp_path, path, ASKING_TOKEN=TOKEN)) as client:
            agent = Agent(client, tmp_path)
            await eventually(ready(agent, "far"), within=300)
            assert "far/erase_disk" in await agent.find("erase a whole disk", k=1)
            assert (await agent.call("far/erase_disk")).structured_content == {"result": "erased"}
            (prompt,) = (await client.list_prompts()).prompts
            assert prompt.name == "far/review"


async def test_a_server_elsewhere_that_went_away_is_reached_anew(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    path = config(tmp_path, {"far": {"url": url, "headers": {"Authorization": f"Bearer {TOKEN}"}}})
    async with Client(gateway(tmp_path, path)) as client:
        agent = Agent(client, tmp_path)
        with elsewhere("streamable-http", port):
            await eventually(ready(agent, "far"), within=300)
        result = await agent.call("far/erase_disk")
        assert result.is_error
        assert (await agent.server("far"))["state"] == "restarting"
        with elsewhere("streamable-http", port):
            await eventually(ready(agent, "far"), within=120)
            assert (await agent.call("far/erase_disk")).structured_content == {"result": "erased"}


async def test_credentials_are_never_told(tmp_path: Path) -> None:
    port = free_port()
    secret = "query-that-nobody-may-see"
    entries = {
        "refused": {
            "url": f"http://127.0.0.1:{port}/mcp?key={secret}",
            "headers": {"Authorization": "Bearer wrong-token-of-ours"},
        },
        "absent": {"url": f"http://127.0.0.1:{free_port()}/mcp?key={secret}", "headers": {"X-Key": TOKEN}},
    }
    path = config(tmp_path, entries)
    log = tmp_path / "log"
    with elsewhere("streamable-http", port), log.open("w") as errors:
        parameters = gateway(tmp_path, path)
        async with Client(stdio_client(parameters, errlog=errors)) as client:
            agent = Agent(client, tmp_path)

            async def both_failed() -> bool:
                return all([(await agent.server(name)).get("error") for name in entries])

            await eventually(both_failed, within=120)
            told = json.dumps(await agent.use("list_servers")) + str(await agent.use("find_tools", request="any"))
    told += log.read_text(encoding="utf-8")
    assert "refused" in told
    for hidden in (secret, TOKEN, "wrong-token-of-ours"):
        assert hidden not in told


@contextmanager
def served(folder: Path, *options: str, **env: str) -> Iterator[str]:
    """`coverset mcp --http`, and its address."""
    servers = {"numbers": server("numbers"), "words": {**server("words"), "deny": ["md5_*"]}}
    path = config(folder, servers, deny=["*/crash"])
    command = [sys.executable, "-m", "coverset", "mcp", "--config", str(path), "--http", "--port", "0", *options]
    variables = {**os.environ, **environment(folder), **env}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().removeprefix("Coverset is at ").strip()
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_agents_are_served_by_http(tmp_path: Path, mode: str) -> None:
    with served(tmp_path) as url:
        async with Client(url, mode=mode) as client, Client(url, mode=mode) as second:
            agents = Agent(client, tmp_path), Agent(second, tmp_path)
            for agent in agents:
                await eventually(ready(agent, "words"), within=300)
                await eventually(ready(agent, "numbers"), within=300)
                assert "words/count_words" in await agent.find("count the words of a text", k=2)
                assert (await agent.call("numbers/add", a=1, b=2)).structured_content == {"result": 3.0}
            assert "must not be used" in await agents[0].fail("call_tool", name="words/crash")
            assert "words/md5_checksum" not in await agents[0].find("the MD5 fingerprint of a text", k=100)
            assert (await agents[0].server("words"))["tools"] == 32


async def test_with_keys_only_who_has_one_is_served(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text(f"write {KEY}\nread another-key-0123456789\n", encoding="utf-8")
    with served(tmp_path, "--keys", str(keys)) as url:
        for headers in ({}, {"Authorization": "Bearer another-key-0123456789"}):
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(urllib.request.Request(url, b"{}", headers), timeout=30)
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert {tool.name for tool in (await client.list_tools()).tools} >= {"find_tools", "call_tool"}


async def test_a_web_page_of_another_site_is_not_served(tmp_path: Path) -> None:
    with served(tmp_path) as url:
        request = urllib.request.Request(url, b"{}", {"Origin": "http://evil.example", "Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match=r"4[02][0-9]"):
            urllib.request.urlopen(request, timeout=30)


def test_other_machines_are_served_only_with_keys(tmp_path: Path) -> None:
    path = str(config(tmp_path, {"numbers": server("numbers")}))
    assert "can be reached from other machines" in refusal("--config", path, "--http", "--host", "0.0.0.0")
    assert "--port has no effect without --http" in refusal("--config", path, "--port", "1")


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
@pytest.mark.parametrize("far", [False, True])
async def test_what_servers_ask_prompts_and_resources_are_passed_on(tmp_path: Path, mode: str, far: bool) -> None:
    port = free_port()
    http = {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"Authorization": f"Bearer {TOKEN}"}}
    path = config(tmp_path, {"asking": http if far else server("asking")})
    user = User()
    with elsewhere("streamable-http", port):
        async with Client(gateway(tmp_path, path), mode=mode, **user.callbacks) as client:
            agent = Agent(client, tmp_path)
            await eventually(ready(agent, "asking"), within=300)
            assert (await agent.call("asking/greet_user")).content == [TextContent(text="hello Ada")]
            assert user.asked == ["asking: What is your name?" if mode == "legacy" else "What is your name?"]
            answer = await client.get_prompt("asking/review", {"language": "Python"})
            assert answer.messages[0].content == TextContent(text="Review this Python code.")
            (resource,) = (await client.list_resources()).resources
            assert (resource.uri, resource.name) == ("notes://today", "asking/today")
            assert (await client.read_resource(resource.uri)).contents[0].text == "water the plants"
            assert (await client.read_resource("pages://7")).contents[0].text == "page 7"
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == "pages://{number}"
            (tool,) = (await agent.use("describe_tools", names=["asking/erase_disk"]))["tools"]
            assert tool["destructive"]


async def test_servers_of_old_ask_clients_of_old(tmp_path: Path) -> None:
    path = config(tmp_path, {"asking": server("asking", "legacy")})
    user = User()
    async with Client(gateway(tmp_path, path), mode="legacy", **user.callbacks) as client:
        agent = Agent(client, tmp_path)
        await eventually(ready(agent, "asking"), within=300)
        assert (await agent.call("asking/greet_user")).content == [TextContent(text="hello Ada")]
        assert user.asked == ["asking: What is your name?"]
        assert (await agent.call("asking/rhyme")).structured_content == {"result": "June"}
        assert (await agent.call("asking/where_am_i")).structured_content == {"result": ["file:///home/ada"]}


@pytest.mark.parametrize(("era", "mode"), [("legacy", "legacy"), ("both", "legacy"), ("legacy", "2026-07-28")])
async def test_who_cannot_answer_is_not_asked(tmp_path: Path, era: str, mode: str) -> None:
    path = config(tmp_path, {"asking": server("asking", *(["legacy"] if era == "legacy" else []))})
    callbacks = User().callbacks if mode != "legacy" else {}
    async with Client(gateway(tmp_path, path), mode=mode, **callbacks) as client:
        agent = Agent(client, tmp_path)
        await eventually(ready(agent, "asking"), within=300)
        with anyio.fail_after(30):
            try:
                said = error_of(await agent.call("asking/greet_user"))
            except MCPError as error:
                said = str(error)
        assert "the client cannot answer that" in said
