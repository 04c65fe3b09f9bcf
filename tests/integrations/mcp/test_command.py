"""What `coverset mcp` cannot use, it refuses before it serves: exit code 2, and a message with the reason."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from typer.testing import CliRunner

from coverset import NNN, Retriever
from coverset.commands import app
from coverset.integrations.mcp.config import read_config
from coverset.integrations.mcp.library import FoundDocuments, Library
from tests.integrations.mcp.conftest import DOCUMENTS, ROOT


def refusal(*arguments: str, **env: str) -> str:
    """What the command says as it exits with 2."""
    done = CliRunner().invoke(app, ["mcp", *arguments], env={"COLUMNS": "300", **env})
    assert done.exit_code == 2, done
    assert done.stdout == ""
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"mcpServers": {', "is not JSON"),
        ("[]", "mcpServers must be an object"),
        ('{"servers": {}}', "mcpServers must be an object"),
        ('{"mcpServers": {}}', "names no server that is enabled"),
        ('{"mcpServers": {"a": {"command": "x", "disabled": true}}}', "names no server that is enabled"),
        ('{"mcpServers": {"a": 1}}', "mcpServers.a must be an object"),
        ('{"mcpServers": {"a/b": {"command": "x"}}}', "mcpServers.a/b: a server's name must not"),
        ('{"mcpServers": {"a": {}}}', "mcpServers.a must have either command"),
        ('{"mcpServers": {"a": {"command": ""}}}', "mcpServers.a.command must be the program to start"),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "mcpServers.a.args must be a list of strings"),
        (
            '{"mcpServers": {"a": {"command": "x", "env": {"K": 1}}}}',
            "mcpServers.a.env must be an object of strings",
        ),
        (
            '{"mcpServers": {"a": {"command": "x", "arg": []}}}',
            "mcpServers.a.arg is not known; a server has: command",
        ),
        ('{"mcpServers": {"a": {"url": "ftp://x"}}}', "mcpServers.a.url must be an address that begins with"),
        ('{"mcpServers": {"a": {"url": "http://x", "command": "y"}}}', "must have either command"),
        ('{"mcpServers": {"a": {"url": "http://x", "args": []}}}', "mcpServers.a.args has no effect"),
        ('{"mcpServers": {"a": {"command": "x", "headers": {}}}}', "mcpServers.a.headers has no effect"),
        ('{"mcpServers": {"a": {"command": "x", "type": "sse"}}}', 'mcpServers.a.type must be "stdio"'),
        (
            '{"mcpServers": {"a": {"url": "http://x", "type": "ws"}}}',
            'mcpServers.a.type must be "stdio" or "http"',
        ),
        (
            '{"mcpServers": {"a": {"url": "http://x", "headers": {"K": "${COVERSET_NO_SUCH}"}}}}',
            "mcpServers.a.headers.K names the environment variable COVERSET_NO_SUCH, which is not set",
        ),
        ('{"mcpServers": {"a": {"command": "x", "deny": "y"}}}', "mcpServers.a.deny must be a list of patterns"),
        ('{"mcpServers": {"a": {"command": "x"}}, "allow": 1}', "allow must be a list of patterns"),
        ('{"mcpServers": {"a": {"command": "x"}}, "limits": {"results": 1}}', "limits.results is not known"),
        (
            '{"mcpServers": {"a": {"command": "x"}}, "limits": {"result": 0}}',
            "limits.result must be a whole number",
        ),
    ],
)
def test_a_bad_configuration_is_refused_by_file_and_key(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "servers.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: .*{re.escape(message)}"):
        read_config(path)


def test_the_command_says_what_is_wrong_and_exits_with_2(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    assert "name a STORE" in refusal()
    assert "servers.json: cannot be read: No such file" in refusal("--config", str(path))
    path.write_text('{"mcpServers": {"a": {"comand": "x"}}}', encoding="utf-8")
    assert "servers.json: mcpServers.a.comand is not known" in refusal("--config", str(path))
    assert "there is no store at" in refusal(str(tmp_path / "nothing"))
    assert not (tmp_path / "nothing").exists()


def test_a_store_is_searched_as_its_options_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, query = Retriever.open(tmp_path / "s.cover"), "thirty days of leave, and refunded tickets"
    store.add(DOCUMENTS)
    Retriever.open(tmp_path / "bare.cover", words=None).add(DOCUMENTS)
    answers: list[FoundDocuments] = []

    class Served:
        def __init__(self, _toolbox: object, documents: Library) -> None:
            self.documents = documents

        def run(self) -> None:
            answers.append(anyio.run(self.documents.search, query))

    monkeypatch.setattr("coverset.integrations.mcp.server.CoversetServer", Served)
    for options, expected in (
        ([], store.answer(query)),
        (["--share", "0"], store.answer(query, share=0.0)),
        (["--no-parts"], store.answer(query, parts=None)),
        (["--no-fill", "--l1", "0.3", "--l2", "0.1"], store.answer(query, decoder=NNN(0.3, 0.1, fill=False))),
    ):
        done = CliRunner().invoke(app, ["mcp", str(store.folder), *options])
        assert done.exit_code == 0, done.output
        assert [(found.id, found.score) for found in answers[-1].documents] == [
            (hit.id, pytest.approx(hit.score)) for hit in expected.hits
        ]
        assert list(answers[-1].steps) == [part.text for part in expected.parts]
    assert "share must be None: the store" in refusal(str(tmp_path / "bare.cover"), "--share", "0.5")


def test_a_refusal_reaches_the_shell_and_leaves_the_channel_to_the_client_empty(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "coverset", "mcp", "--config", str(tmp_path / "servers.json")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be read" in done.stderr


def test_a_server_that_names_itself_does_not_start_itself_without_end(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    path.write_text('{"mcpServers": {"a": {"command": "x"}}}', encoding="utf-8")
    assert "starts coverset mcp --config again" in refusal("--config", str(path), COVERSET_MCP="1")


def test_secrets_of_a_configuration_are_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    path.write_text('{"mcpServers": {"a": {"command": "x", "env": {"KEY": "hush", "B": 1}}}}', encoding="utf-8")
    assert "hush" not in refusal("--config", str(path))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_the_servers_behind_it_while_the_client_still_holds_on(
    tmp_path: Path, signum: signal.Signals
) -> None:
    code = (
        "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); "
        "from tests.integrations.mcp.servers.numbers import server; server.run()"
    )
    behind = {"command": sys.executable, "args": ["-c", code, str(tmp_path / "pid")], "cwd": str(ROOT)}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"numbers": behind}}), encoding="utf-8")
    command = [sys.executable, "-m", "coverset", "mcp", "--config", str(tmp_path / "servers.json")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None
        assert "server numbers: ready" in process.stderr.readline()
        process.send_signal(signum)
        assert process.wait(timeout=30) == 128 + signum
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text(encoding="utf-8")), 0)
