"""Coverset in pydantic-ai: the model is handed only the tools that a request needs.

from pydantic_ai import Agent
from coverset.integrations.pydantic_ai import ToolsNeeded

Agent(model, tools=tools, capabilities=[ToolsNeeded(k=5, always=["ask_user"])])
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from coverset.extras import require

require("pydantic_ai", "pydantic-ai", run=False)

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from coverset.decoders import Decoder
from coverset.encoders.encoder import Encoder
from coverset.integrations.tools import ToolChooser


class ToolsNeeded(AbstractCapability[Any]):
    """Hands the model the tools that together do what the user last asked for; no model is asked which.

    Tools that were called since then stay.

    Parameters
    ----------
    k
        How many tools.
    always
        Names of tools that come along in any case, beside the k.
    encoder
        Makes vectors; default: the one that comes along.
    decoder
        Picks; default: NNN.
    """

    def __init__(
        self,
        k: int = 5,
        *,
        always: Iterable[str] = (),
        encoder: Encoder | None = None,
        decoder: Decoder | None = None,
    ) -> None:
        self._chooser = ToolChooser(k, always=always, encoder=encoder, decoder=decoder)

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
