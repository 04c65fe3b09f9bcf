"""A small MCP server of text functions, which can crash when told to.

    python -m tests.integrations.mcp.servers.words [MARK]

It serves only clients that begin with the `initialize` handshake, as servers before 2026-07-28 do. With a file
MARK, the call of `wait_for_ever` writes there that it began, and that it was cancelled. It does not start while
there is a file MARK.held.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import sys
import textwrap
import time
import unicodedata
import urllib.parse
from collections import Counter
from pathlib import Path

import anyio
from mcp.server import NotificationOptions
from mcp.server.mcpserver import MCPServer
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ImageContent, TextContent

from tests.integrations.mcp.servers.functions import Functions, add_tools

# The smallest GIF there is.
DOT = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")

server = MCPServer("words", log_level="WARNING")

TEXT: Functions = {
    "to_upper_case": (str.upper, "Write all letters of a text as capitals."),
    "to_lower_case": (str.lower, "Write all letters of a text as small letters."),
    "to_title_case": (str.title, "Capitalise the first letter of every word."),
    "reverse_text": (lambda text: text[::-1], "Turn a text around so that its last character comes first."),
    "trim_whitespace": (str.strip, "Remove spaces at the beginning and the end of a text."),
    "collapse_whitespace": (
        lambda text: " ".join(text.split()),
        "Replace runs of spaces and line breaks by one space.",
    ),
    "remove_punctuation": (
        lambda text: re.sub(r"[^\w\s]", "", text),
        "Delete commas, full stops and other marks.",
    ),
    "remove_accents": (
        lambda text: "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)),
        "Replace letters with accents by plain letters.",
    ),
    "escape_html": (html.escape, "Make a text safe to show on a web page."),
    "unescape_html": (html.unescape, "Turn HTML entities back into characters."),
    "url_encode": (urllib.parse.quote, "Percent-encode a text for use in a web address."),
    "url_decode": (urllib.parse.unquote, "Undo the percent-encoding of a web address."),
    "base64_encode": (lambda text: base64.b64encode(text.encode()).decode(), "Encode a text as Base64."),
    "base64_decode": (lambda text: base64.b64decode(text).decode(), "Decode a text from Base64."),
    "sha256_checksum": (lambda text: hashlib.sha256(text.encode()).hexdigest(), "SHA-256 fingerprint of a text."),
    "md5_checksum": (lambda text: hashlib.md5(text.encode()).hexdigest(), "MD5 fingerprint of a text."),
    "slugify": (
        lambda text: re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"),
        "Make a short name for a web address out of a title.",
    ),
    "initials": (lambda text: "".join(word[0] for word in text.split()), "First letters of the words of a name."),
    "format_json": (lambda text: json.dumps(json.loads(text), indent=2), "Indent a JSON document for reading."),
    "first_sentence": (lambda text: re.split(r"(?<=[.!?])\s", text)[0], "The first sentence of a text."),
}
COUNTS: Functions = {
    "count_words": (lambda text: len(text.split()), "Number of words in a text."),
    "count_characters": (len, "Number of characters in a text."),
    "count_lines": (lambda text: len(text.splitlines()), "Number of lines in a text."),
    "count_vowels": (lambda text: sum(text.lower().count(v) for v in "aeiou"), "Number of vowels in a text."),
}
LISTS: Functions = {
    "split_into_words": (str.split, "Cut a text into its words."),
    "split_into_lines": (str.splitlines, "Cut a text into its lines."),
    "find_numbers": (
        lambda text: re.findall(r"-?\d+(?:\.\d+)?", text),
        "Extract all numbers that occur in a text.",
    ),
    "find_email_addresses": (
        lambda text: re.findall(r"[\w.+-]+@[\w-]+\.[\w.]+", text),
        "Extract all e-mail addresses that occur in a text.",
    ),
}

add_tools(server, TEXT, {"text": str}, str)
add_tools(server, COUNTS, {"text": str}, int)
add_tools(server, LISTS, {"text": str}, list[str])


@server.tool()
def replace_in_text(text: str, old: str, new: str) -> str:
    """Replace every occurrence of a phrase in a text by another."""
    return text.replace(old, new)


@server.tool()
def wrap_lines(text: str, width: int) -> str:
    """Break a text into lines of at most so many characters."""
    return textwrap.fill(text, width)


@server.tool()
def most_common_words(text: str, count: int = 3) -> dict[str, int]:
    """The words that occur most often in a text, and how often."""
    return dict(Counter(text.split()).most_common(count))


@server.tool()
def draw_dot() -> CallToolResult:
    """A picture of one dot, and a remark."""
    return CallToolResult(
        content=[
            ImageContent(data=base64.b64encode(DOT).decode(), mime_type="image/gif"),
            TextContent(text="a dot"),
        ],
        structured_content={"width": 1, "height": 1},
        _meta={"example.org/shade": "black"},
    )


@server.tool()
async def wait_for_ever() -> str:
    """Never return."""
    mark = Path(sys.argv[1])
    mark.write_text("began", encoding="utf-8")
    try:
        await anyio.sleep_forever()
    except BaseException:
        mark.write_text("cancelled", encoding="utf-8")
        raise
    return "never"


@server.tool()
def crash() -> str:
    """End this server at once, in the middle of a call."""
    os._exit(3)


async def main() -> None:
    low = server._lowlevel_server
    options = low.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (read, write):
        await serve_loop(low, read, write, lifespan_state={}, init_options=options)


if __name__ == "__main__":
    while sys.argv[1:] and Path(f"{sys.argv[1]}.held").exists():
        time.sleep(0.05)
    anyio.run(main)
