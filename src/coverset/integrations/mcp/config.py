"""Which MCP servers stand behind this one: the usual JSON file, `{"mcpServers": {name: {"command": ...}}}`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from mcp import StdioServerParameters

from coverset.integrations.mcp.limits import Limits
from coverset.plain import Fields

# Set for the servers that this one starts: among them must not be another like it.
BEHIND = "COVERSET_MCP"
# ${NAME}, ${env:NAME} and ${NAME:-default}: values of the environment, so that secrets need not be in the file.
VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}")

Kind = Literal["http", "sse"]
KINDS: dict[str, Kind | None] = {"stdio": None, "http": "http", "streamable-http": "http", "sse": "sse"}


@dataclass(frozen=True)
class Remote:
    """A server that runs elsewhere; its headers, credentials among them, go with every request.

    `kind` is streamable HTTP, SSE, or None: whichever it has.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    kind: Kind | None = None


@dataclass(frozen=True)
class Rules:
    """Which tools may be used: those that `allow` names, or all, without those that `deny` names.

    Both are patterns over `server/tool`, as in a shell: `files/read_*`, `*/delete_*`.
    """

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()

    def permit(self, name: str) -> bool:
        """Say whether the tool of that name may be used."""
        allowed = self.allow is None or any(fnmatchcase(name, pattern) for pattern in self.allow)
        return allowed and not any(fnmatchcase(name, pattern) for pattern in self.deny)


@dataclass(frozen=True)
class Behind:
    """A server behind this one: how it is reached, which of its tools may be used, and what must not be told."""

    start: StdioServerParameters | Remote
    rules: tuple[Rules, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def permits(self, name: str) -> bool:
        """Say whether its tool of that name, `server/tool`, may be used."""
        return all(rules.permit(name) for rules in self.rules)

    def redact(self, text: str) -> str:
        """Return a text without the secrets of this server."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


@dataclass(frozen=True)
class Configuration:
    """All servers that are enabled, by name, and what each may take up."""

    servers: Mapping[str, Behind]
    limits: Limits = field(default_factory=Limits)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_strings(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and _are_strings(value)


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and _are_strings(value.values())


def _is_url(value: object) -> bool:
    return isinstance(value, str) and (urlsplit(value).scheme in ("http", "https") or value.startswith("${"))


# What a server's entry may hold, and how to tell that it is right.
KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "command": (_is_text, "the program to start"),
    "args": (_is_list, "a list of strings"),
    "env": (_is_object, "an object of strings"),
    "cwd": (_is_text, "the folder to start it in"),
    "url": (_is_url, "an address that begins with http:// or https://"),
    "headers": (_is_object, "an object of strings"),
    "type": (lambda value: value in KINDS, " or ".join(f'"{kind}"' for kind in KINDS)),
    "allow": (_is_list, "a list of patterns, as read_*"),
    "deny": (_is_list, "a list of patterns, as delete_*"),
    "disabled": (lambda value: isinstance(value, bool), "true or false"),
}
PROCESS, REMOTE = ("args", "env", "cwd"), ("headers",)


def read_config(path: Path) -> Configuration:
    """Return how to reach each server that the file names and does not disable."""
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
    rules = _rules(f"{path}: ", content, "")
    enabled = {
        name: _behind(f"{path}: mcpServers.{name}", name, entry, rules)
        for name, entry in servers.items()
        if not entry.get("disabled")
    }
    if not enabled:
        raise ValueError(f"{path}: mcpServers names no server that is enabled")
    return Configuration(enabled, _limits(path, content.get("limits", {})))


def _check(where: str, name: str, entry: object) -> None:
    """Raise ValueError if this is not how to reach a server. Values are not repeated: they may hold secrets."""
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
    if ("command" in entry) == ("url" in entry):
        raise ValueError(f"{where} must have either command, the program to start, or url, where it is reached")
    kind = entry.get("type", "stdio" if "command" in entry else "http")
    if (kind == "stdio") != ("command" in entry):
        raise ValueError(f'{where}.type must be "stdio" with a command, and "http" or "sse" with a url')
    for key in REMOTE if "command" in entry else PROCESS:
        if key in entry:
            raise ValueError(
                f"{where}.{key} has no effect on a server with a {'command' if key in REMOTE else 'url'}"
            )


def _behind(where: str, name: str, entry: Fields, rules: Rules) -> Behind:
    secrets: list[str] = []

    def value(key: str, text: str) -> str:
        return _expanded(f"{where}.{key}", text, secrets)

    start: StdioServerParameters | Remote
    if "url" in entry:
        headers = {header: value(f"headers.{header}", text) for header, text in entry.get("headers", {}).items()}
        start = Remote(value("url", entry["url"]), headers, KINDS[entry["type"]] if "type" in entry else None)
        address = urlsplit(start.url)
        secrets += [*headers.values(), *(part for part in (address.password, address.query) if part)]
    else:
        env = {variable: value(f"env.{variable}", text) for variable, text in entry.get("env", {}).items()}
        secrets += env.values()
        start = StdioServerParameters(
            command=value("command", entry["command"]),
            args=[value("args", text) for text in entry.get("args", [])],
            env={**env, BEHIND: "1"},
            cwd=entry.get("cwd"),
        )
    # Short values occur everywhere by chance, and the longest first, so that none is left in part.
    hidden = sorted({secret for secret in secrets if len(secret) >= 6}, key=len, reverse=True)
    return Behind(start, (rules, _rules(f"{where}.", entry, f"{name}/")), tuple(hidden))


def _expanded(where: str, text: str, secrets: list[str]) -> str:
    """Return a text with the variables it names; what they hold is noted as secret."""

    def value(found: re.Match[str]) -> str:
        name, default = found.groups()
        held = os.environ.get(name, default)
        if held is None:
            raise ValueError(f"{where} names the environment variable {name}, which is not set")
        secrets.append(held)
        return held

    return VARIABLE.sub(value, text)


def _rules(where: str, entry: Fields, prefix: str) -> Rules:
    for key in ("allow", "deny"):
        if key in entry and not _is_list(entry[key]):
            raise ValueError(f"{where}{key} must be a list of patterns, as files/read_*")
    patterns = {key: tuple(prefix + each for each in entry[key]) for key in ("allow", "deny") if key in entry}
    return Rules(**patterns)


def _limits(path: Path, given: object) -> Limits:
    names = [each.name for each in fields(Limits)]
    if not isinstance(given, dict):
        raise ValueError(f"{path}: limits must be an object of {', '.join(names)}")
    for key, value in given.items():
        if key not in names:
            raise ValueError(f"{path}: limits.{key} is not known; there are: {', '.join(names)}")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{path}: limits.{key} must be a whole number of at least 1, got {value!r}")
    return Limits(**given)
