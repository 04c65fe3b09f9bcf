"""docs/mcp.md tells the truth: its configurations are read, its figures are measured, its links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from coverset.integrations.mcp.config import BEHIND, Remote, read_config
from coverset.integrations.mcp.limits import Limits

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")


def test_its_configurations_are_read(tmp_path: Path) -> None:
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    assert len(blocks) == 4
    path = tmp_path / "servers.json"
    path.write_text(json.dumps(blocks[1]), encoding="utf-8")
    servers = read_config(path).servers
    assert list(servers) == ["files", "git", "tracker"]
    git, tracker = servers["git"].start, servers["tracker"].start
    assert isinstance(git, StdioServerParameters)
    assert isinstance(tracker, Remote)
    assert git.args == ["mcp-server-git"]
    assert git.env == {"GIT_AUTHOR_NAME": "Me", BEHIND: "1"}
    assert tracker.headers == {"Authorization": "Bearer none"}
    assert [servers["git"].permits(f"git/{tool}") for tool in ("git_log", "git_reset", "delete_tag")] == [
        True,
        False,
        False,
    ]
    assert blocks[2]["mcpServers"]["coverset"]["args"] == blocks[3]["servers"]["coverset"]["args"]


def test_the_two_minutes_are_as_they_are_told(tmp_path: Path) -> None:
    """Every word of them: the files are saved under their names, and the last one says what the page says."""
    files = re.findall(r"[Ss]ave\s+as `([a-z.]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert [name for name, _ in files] == ["office.py", "servers.json", "agent.py"]
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    scripts = tmp_path / "bin"
    scripts.mkdir()
    for name, words in (("python", ""), ("coverset", " -m coverset")):
        paths = f"export PYTHONPATH={os.pathsep.join(sys.path)!r} XDG_CACHE_HOME={str(tmp_path)!r}"
        (scripts / name).write_text(f'#!/bin/sh\n{paths}\nexec {sys.executable}{words} "$@"\n', encoding="utf-8")
        (scripts / name).chmod(0o755)
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["python", "agent.py"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    (said,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert done.stdout == said, done.stderr


def test_its_limits_are_the_real_ones() -> None:
    shown = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) ", PAGE, re.MULTILINE))
    assert {name: int(value.replace(",", "")) for name, value in shown.items()} == asdict(Limits())


@pytest.mark.parametrize("name", ["tool_text", "livemcp"])
def test_its_figures_are_the_measured_ones(name: str) -> None:
    assert (ROOT / f"benchmarks/results/{name}.md").read_text(encoding="utf-8").strip() in PAGE
