"""Coverset in LangChain's agents: the model is handed only the tools that a request needs.

from langchain.agents import create_agent
from coverset.integrations.langchain_agents import ToolsNeeded

create_agent(model, tools, middleware=[ToolsNeeded(k=5, always=["ask_user"])])
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from coverset.extras import require

require("langchain", "langchain-agents", run=False)

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from coverset.integrations.tools import Choosing, ToolChooser

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ToolsNeeded(AgentMiddleware[AgentState[Any], Any, Any]):
    """Hands the model the tools that together do what the user last asked for; no model is asked which.

    Tools that were called since then stay, and so do those that a provider runs itself.

    Parameters
    ----------
    k
        How many tools.
    how
        `always`, `encoder` and `decoder`, as `ToolChooser` has them.
    """

    def __init__(self, k: int = 5, **how: Unpack[Choosing]) -> None:
        super().__init__()
        self._chooser = ToolChooser(k, **how)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with the tools that are needed."""
        return handler(self._narrowed(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Call the model with the tools that are needed; others are served meanwhile."""
        return await handler(await asyncio.to_thread(self._narrowed, request))

    def _narrowed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        asked, called = _asked(request.messages)
        return request.override(tools=self._chooser.choose(asked, request.tools, keep=called))


def _asked(messages: list[AnyMessage]) -> tuple[str, set[str]]:
    """Return what the user last asked for, and the tools that were called since."""
    called: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return message.text, called
        if isinstance(message, AIMessage):
            called.update(call["name"] for call in message.tool_calls)
    return "", called
