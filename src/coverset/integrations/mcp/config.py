"""Which MCP servers stand behind this one: the usual JSON file, `{"mcpServers": {name: {"command": ...}}}`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters

# Set for the servers that this one starts: among them must not be another like it.
BEHIND = "COVERSET_MCP"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_strings(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


# What a server's entry may hold, and how to tell that it is right.
KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "command": (_is_text, "the program to start"),
    "args": (lambda value: isinstance(value, list) and _are_strings(value), "a list of strings"),
    "env": (lambda value: isinstance(value, dict) and _are_strings(value.values()), "an object of strings"),
    "cwd": (_is_text, "the folder to start it in"),
    "type": (lambda value: value == "stdio", '"stdio": servers that are started by a command'),
    "disabled": (lambda value: isinstance(value, bool), "true or false"),
}


def read_config(path: Path) -> dict[str, StdioServerParameters]:
    """Return how to start each server that the file names and does not disable, by name."""
    if BEHIND in os.environ:
        raise ValueError(f"{path}: names a server that starts coverset mcp --config again, without end")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: is not JSON: {error}") from error
    servers = content.get("mcpServers") if isinstance(content, dict) else None
    if not isinstance(servers, dict):
        raise ValueError(f'{path}: mcpServers must be an object, as in {{"mcpServers": {{"name": {{...}}}}}}')
    for name, entry in servers.items():
        _check(f"{path}: mcpServers.{name}", name, entry)
    enabled = {
        name: StdioServerParameters(
            command=entry["command"],
            args=entry.get("args", []),
            env={**entry.get("env", {}), BEHIND: "1"},
            cwd=entry.get("cwd"),
        )
        for name, entry in servers.items()
        if not entry.get("disabled")
    }
    if not enabled:
        raise ValueError(f"{path}: mcpServers names no server that is enabled")
    return enabled


def _check(where: str, name: str, entry: Any) -> None:
    """Raise ValueError if this is not how to start a server. Values are not repeated: `env` may hold secrets."""
    if not name.strip() or "/" in name:
        raise ValueError(f"{where}: a server's name must not be empty and not hold a '/'")
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be an object, got {type(entry).__name__}")
    for key, value in entry.items():
        if key not in KEYS:
            raise ValueError(f"{where}.{key} is not known; a server has: {', '.join(KEYS)}")
        accepts, what = KEYS[key]
        if not accepts(value):
            raise ValueError(f"{where}.{key} must be {what}")
    if "command" not in entry:
        raise ValueError(f"{where}.command is missing: the program to start")
