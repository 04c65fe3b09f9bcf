"""How much of what a server behind says is taken in, and how it is said that something was cut."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp.types import (
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    Prompt,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
)

from coverset.plain import Foreign, Json

# Keywords of an output schema that let a server make the check of its own results last as long as it likes.
COSTLY = {"$ref", "$dynamicRef", "pattern", "patternProperties", "propertyNames", "format"}

Listed = TypeVar("Listed", Tool, Prompt, Resource, ResourceTemplate)


@dataclass(frozen=True)
class Limits:
    """What one server may take up; characters, unless said otherwise.

    Parameters
    ----------
    description
        Of a tool, a prompt or a resource.
    schema
        Of a tool's arguments, as JSON.
    instructions
        Of a server.
    result
        Text and structure that a call, a prompt or a resource returns.
    media
        Pictures, sound and other files that it returns, in base64.
    message
        Bytes of one message of the server, whatever it holds.
    listed
        How many tools, how many prompts, and how many resources.
    """

    description: int = 4_000
    schema: int = 20_000
    instructions: int = 4_000
    result: int = 200_000
    media: int = 8_000_000
    message: int = 16_000_000
    listed: int = 2_000


def shortened(text: str, limit: int) -> str:
    """Return a text that is not longer than the limit, or its beginning and a word that it was cut."""
    return text if len(text) <= limit else f"{text[:limit]} [cut: {limit:,} of {len(text):,} characters]"


def plain(text: str) -> str:
    """Return a text without characters that cannot be seen, in which orders to a model are hidden."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cn", "Cs"))


def words_of(text: str | None, limit: int) -> str | None:
    """Return what a server says of itself, fit to be shown."""
    return text and plain(shortened(text, limit))


def bounded(item: Listed, limits: Limits) -> Listed:
    """Return what a server lists with its description, and a tool's schema, within the limits."""
    changed: Json = {
        "description": words_of(item.description, limits.description),
        "title": words_of(item.title, limits.description),
        "icons": None,
        "meta": None,
    }
    if isinstance(item, Tool) and (length := len(json.dumps(item.input_schema))) > limits.schema:
        told = f"[left out: a schema of {length:,} characters]"
        changed["input_schema"] = {"type": "object", "description": told}
    return item.model_copy(update=changed)


def tame(schema: Foreign) -> Foreign:
    """Return an output schema without what could make checking against it endless."""
    if isinstance(schema, dict):
        return {key: tame(value) for key, value in schema.items() if key not in COSTLY}
    return [tame(value) for value in schema] if isinstance(schema, list) else schema


class _Room:
    """What is left of a result's limits, as its parts are taken in one by one."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._text, self._media = limits, limits.result, limits.media

    def text(self, text: str) -> str:
        kept = shortened(text, max(self._text, 0))
        self._text -= len(text)
        return kept

    def media(self, data: str) -> str | None:
        """Return why the data do not fit, if they do not."""
        self._media -= len(data)
        if self._media >= 0:
            return None
        return f"[left out: {len(data):,} characters of base64, more than the {self._limits.media:,} of a result]"

    def block(self, block: ContentBlock) -> ContentBlock:
        if isinstance(block, TextContent):
            return block.model_copy(update={"text": self.text(block.text)})
        if isinstance(block, EmbeddedResource):
            return block.model_copy(update={"resource": self.contents(block.resource)})
        data = getattr(block, "data", None)
        reason = self.media(data) if isinstance(data, str) else None
        return block if reason is None else TextContent(text=reason)

    def contents(
        self, contents: TextResourceContents | BlobResourceContents
    ) -> TextResourceContents | BlobResourceContents:
        if isinstance(contents, TextResourceContents):
            return contents.model_copy(update={"text": self.text(contents.text)})
        reason = self.media(contents.blob)
        return contents if reason is None else TextResourceContents(uri=contents.uri, text=reason)

    def structure(self, structure: object) -> tuple[Any, str | None]:
        length = len(json.dumps(structure))
        if length <= self._limits.result:
            return structure, None
        return None, f"[left out: structured content of {length:,} characters, more than {self._limits.result:,}]"


def bounded_result(result: CallToolResult, limits: Limits) -> CallToolResult:
    """Return a result within the limits: as it is, or with a word in place of what was cut."""
    room = _Room(limits)
    content = [room.block(block) for block in result.content[: limits.listed]]
    if len(result.content) > limits.listed:
        content.append(TextContent(text=f"[cut: {limits.listed:,} of {len(result.content):,} blocks]"))
    structure, reason = room.structure(result.structured_content)
    if reason is not None:
        content.append(TextContent(text=reason))
    return result.model_copy(update={"content": content, "structured_content": structure})


def bounded_contents(
    contents: Iterable[TextResourceContents | BlobResourceContents], limits: Limits
) -> list[TextResourceContents | BlobResourceContents]:
    """Return the contents of a resource within the limits."""
    room = _Room(limits)
    return [room.contents(each) for each in list(contents)[: limits.listed]]


def bounded_messages(result: GetPromptResult, limits: Limits) -> GetPromptResult:
    """Return a prompt within the limits."""
    room = _Room(limits)
    messages = [
        message.model_copy(update={"content": room.block(message.content)})
        for message in result.messages[: limits.listed]
    ]
    return result.model_copy(
        update={"messages": messages, "description": words_of(result.description, limits.description)}
    )
