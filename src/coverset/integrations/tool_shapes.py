"""Tools in the shapes that people have them in: OpenAI's, Anthropic's, MCP's, and those of agent frameworks.

What text stands for a tool was measured by `benchmarks/tool_text.py`: names help, the tool's and its server's,
written as words. Parameters help where descriptions are bare and change little where they are full, so they only
stand in for one that is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from coverset.plain import Foreign

# Where a tool says what its arguments are.
SCHEMAS = ("inputSchema", "input_schema", "parameters", "parameters_json_schema", "params_json_schema", "args")


def tool_name(tool: Foreign) -> str | None:
    """Return the name of a tool; None for one that has none, as tools that a provider runs itself.

    Plain data and functions are no tools: they would all come along as if a provider ran them.
    """
    if not isinstance(tool, Mapping) and type(tool).__module__ == "builtins":
        raise ValueError(
            "tools must be dicts in OpenAI's, Anthropic's or MCP's shape, or objects with a name and a "
            f"description, got {tool!r}"
        )
    name = _says(tool, "name")
    return name if isinstance(name, str) and name else None


def text_of(tool: Foreign, server: str = "") -> str:
    """Return the names as words and the description: "weather get forecast: The weather of a city."."""
    said = (_says(tool, key) for key in ("description", "title"))
    about = next((text.strip() for text in said if isinstance(text, str) and text.strip()), parameters(tool))
    name = words(f"{server} {tool_name(tool) or ''}")
    return f"{name}: {about}" if about else name


def words(name: str) -> str:
    """Return a name as the words it is made of: getWeather_now and get-weather.now are both get weather now."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+", " ", name)
    return " ".join(spaced.split()).lower()


def parameters(tool: Foreign) -> str:
    """Return the names of a tool's parameters, as words."""
    for key in SCHEMAS:
        schema = _says(tool, key)
        if isinstance(schema, Mapping):
            properties = schema.get("properties", {} if "type" in schema else schema)
            return ", ".join(words(str(name)) for name in properties) if isinstance(properties, Mapping) else ""
    return ""


def _says(tool: Foreign, key: str) -> Foreign:
    """Return what a tool says under a key. OpenAI's chat tools, and LlamaIndex's, say it one level down."""
    if isinstance(tool, Mapping):
        inner = tool.get("function", tool)
        return inner.get(key) if isinstance(inner, Mapping) else None
    return getattr(getattr(tool, "metadata", None) if not hasattr(tool, key) else tool, key, None)
