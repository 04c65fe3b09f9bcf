"""Coverset in the OpenAI Agents SDK: the model is handed only the tools that a request needs.

from agents import Agent
from coverset.integrations.openai_agents import tools_needed

Agent(name="assistant", tools=tools_needed(tools, k=5, always=["ask_user"]))
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from coverset.extras import require

require("agents", "openai-agents", run=False)

from agents import AgentBase, FunctionTool, RunContextWrapper, Tool

from coverset.integrations.tools import Choosing, ToolChooser

if TYPE_CHECKING:
    from typing_extensions import Unpack


def tools_needed(tools: Sequence[Tool], k: int = 5, **how: Unpack[Choosing]) -> list[Tool]:
    """Return the tools, each of which is enabled only for requests that need it; no model is asked which.

    Tools that are not functions, which the provider runs itself, are returned as they are.

    Parameters
    ----------
    tools
        All tools.
    k
        How many of them the model is handed.
    how
        `always`, `encoder` and `decoder`, as `ToolChooser` has them.
    """
    chooser = ToolChooser(k, **how)
    functions = [tool for tool in tools if isinstance(tool, FunctionTool) and tool.is_enabled is not False]
    needed = _Needed(chooser, functions)
    return [needed.only(tool) if isinstance(tool, FunctionTool) else tool for tool in tools]


class _Needed:
    """Answers for each tool whether a request needs it. The SDK asks for all at once; they are chosen once."""

    def __init__(self, chooser: ToolChooser, tools: list[FunctionTool]) -> None:
        self._chooser, self._tools = chooser, tools
        self._last: tuple[str, asyncio.Task[frozenset[str]]] | None = None

    def only(self, tool: FunctionTool) -> FunctionTool:
        """Return the tool, enabled only where it is needed and was enabled before."""
        enabled = tool.is_enabled

        async def is_enabled(context: RunContextWrapper[Any], agent: AgentBase) -> bool:
            before = enabled if isinstance(enabled, bool) else enabled(context, agent)
            if inspect.isawaitable(before):
                before = await before
            return bool(before) and tool.name in await self._names(_asked(context.turn_input))

        return replace(tool, is_enabled=is_enabled)

    async def _names(self, asked: str) -> frozenset[str]:
        loop = asyncio.get_running_loop()
        if self._last is None or self._last[0] != asked or self._last[1].get_loop() is not loop:
            self._last = (asked, loop.create_task(self._choose(asked)))
        return await asyncio.shield(self._last[1])

    async def _choose(self, asked: str) -> frozenset[str]:
        chosen = await asyncio.to_thread(self._chooser.choose, asked, self._tools)
        return frozenset(tool.name for tool in chosen)


def _asked(items: Sequence[Any]) -> str:
    """Return what the user last asked for."""
    for item in reversed(items):
        if isinstance(item, dict) and item.get("role") == "user":
            content = item.get("content")
            if isinstance(content, str):
                return content
            return "\n".join(str(part["text"]) for part in content or () if "text" in part)
    return ""
