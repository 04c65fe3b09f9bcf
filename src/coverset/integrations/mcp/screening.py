"""What comes from a server, screened before anything reads it: one bad tool costs that tool, not its server."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse
from mcp.types.methods import parse_server_result
from pydantic import ValidationError

from coverset.integrations.mcp.limits import Limits, tame
from coverset.plain import Foreign, Json

# What is listed under which key, and the method that lists it.
LISTS = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
}
# Where an entry says what it is called.
NAMES = ("name", "uri", "uriTemplate")


class Screen:
    """Takes out of a server's lists what is not as the protocol says, and notes it.

    `version` says which version of the protocol is spoken, once that is known.
    """

    def __init__(self, limits: Limits, version: Callable[[], str | None]) -> None:
        self._limits, self._version = limits, version
        self.left_out: dict[str, list[str]] = {}

    def __call__(self, message: SessionMessage | Exception) -> SessionMessage | Exception:
        """Return the message, its lists screened."""
        if not isinstance(message, SessionMessage) or not isinstance(message.message, JSONRPCResponse):
            return message
        result = message.message.result
        for key, method in LISTS.items():
            if isinstance(result.get(key), list) and "content" not in result:
                kept = self._screened(method, key, result)
                response = message.message.model_copy(update={"result": {**result, key: kept}})
                return SessionMessage(response, metadata=message.metadata)
        return message

    def _screened(self, method: str, key: str, result: Json) -> list[Any]:
        version = self._version() or "2025-11-25"
        around = {name: value for name, value in result.items() if name != key}
        kept, left_out = [], []
        for entry in result[key][: self._limits.listed]:
            entry = _tamed(entry, self._limits)
            try:
                parse_server_result(method, version, {**around, key: [entry]})
            except (ValidationError, RecursionError) as error:
                left_out.append(f"{_name(entry)}: {_why(error)}")
            else:
                kept.append(entry)
        if len(result[key]) > self._limits.listed:
            left_out.append(
                f"{len(result[key]) - self._limits.listed:,} more than the {self._limits.listed:,} of a list"
            )
        self.left_out.setdefault(method, []).extend(left_out)
        return kept


def _tamed(entry: object, limits: Limits) -> Foreign:
    """Return a tool whose output can be checked in bounded time; other entries as they are."""
    if not isinstance(entry, dict) or "outputSchema" not in entry:
        return entry
    schema = entry["outputSchema"]
    if len(json.dumps(schema)) > limits.schema:
        return {key: value for key, value in entry.items() if key != "outputSchema"}
    return {**entry, "outputSchema": tame(schema)}


def _name(entry: object) -> str:
    names = [entry.get(key) for key in NAMES] if isinstance(entry, dict) else []
    return next((name[:100] for name in names if isinstance(name, str)), "an entry without a name")


def _why(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return "nested too deeply"
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
    return f"{place}: {first['msg']}"[:200]
