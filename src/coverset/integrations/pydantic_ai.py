"""Coverset in pydantic-ai: the model is handed only the tools that a request needs.

from pydantic_ai import Agent
from coverset.integrations.pydantic_ai import ToolsNeeded

Agent(model, tools=tools, capabilities=[ToolsNeeded(k=5, always=["ask_user"])])
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from coverset.extras import require

require("pydantic_ai", "pydantic-ai", run=False)

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from coverset.integrations.tools import Choosing, ToolChooser

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ToolsNeeded(AbstractCapability[Any]):
    """Hands the model the tools that together do what the user last asked for; no model is asked which.

    Tools that were called since then stay.

    Parameters
    ----------
    k
        How many tools.
    how
        `always`, `encoder` and `decoder`, as `ToolChooser` has them.
    """

    def __init__(self, k: int = 5, **how: Unpack[Choosing]) -> None:
        self._chooser = ToolChooser(k, **how)

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return the tools that are needed."""
        asked, called = _asked(ctx.messages)
        asked = asked or _text(ctx.prompt)
        return await asyncio.to_thread(self._chooser.choose, asked, tool_defs, keep=called)


def _asked(messages: list[ModelMessage]) -> tuple[str, set[str]]:
    """Return what the user last asked for, and the tools that were called since."""
    called: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            called.update(part.tool_name for part in message.parts if isinstance(part, ToolCallPart))
        elif isinstance(message, ModelRequest):
            prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
            if prompts:
                return "\n".join(_text(part.content) for part in prompts), called
    return "", called


def _text(content: Iterable[object] | str | None) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(part for part in content if isinstance(part, str))
