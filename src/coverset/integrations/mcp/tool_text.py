"""The text that stands for a tool when it is looked for.

Measured by `benchmarks/tool_text.py`: names help, the tool's and the server's, written as words. Parameters help
where descriptions are bare and change little where they are full, so they only stand in for one that is missing.
"""

from __future__ import annotations

import re

from mcp.types import Tool


def tool_text(server: str, tool: Tool) -> str:
    """Return server and name as words, and the description: "weather get forecast: The weather of a city."."""
    name = f"{words(server)} {words(tool.name)}".strip()
    about = tool.description or tool.title or parameters(tool)
    return f"{name}: {about.strip()}" if about.strip() else name


def words(name: str) -> str:
    """Return a name as the words it is made of: getWeather_now and get-weather.now are both get weather now."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+", " ", name)
    return " ".join(spaced.split()).lower()


def parameters(tool: Tool) -> str:
    """Return the names of a tool's parameters, as words."""
    return ", ".join(words(name) for name in tool.input_schema.get("properties", {}))
