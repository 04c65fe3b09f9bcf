"""The text that stands for a tool when it is looked for.

Measured by `benchmarks/tool_text.py`: names help, the tool's and the server's, written as words. Parameters help
where descriptions are bare and change little where they are full, so they only stand in for one that is missing.
"""

from __future__ import annotations

from mcp.types import Tool

from coverset.integrations.tool_shapes import parameters, text_of, words

__all__ = ["parameters", "tool_text", "words"]


def tool_text(server: str, tool: Tool) -> str:
    """Return server and name as words, and the description: "weather get forecast: The weather of a city."."""
    return f"{words(server)} {text_of(tool)}".strip()
