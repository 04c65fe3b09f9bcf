"""What a server behind asks of the client (sampling, elicitation, roots), handed on to the one who can answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from mcp import MCPError
from mcp.client.session import ClientRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    INVALID_REQUEST,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequest,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    ListRootsRequest,
    ListRootsResult,
    ServerRequest,
)
from pydantic import BaseModel

from coverset.integrations.mcp.forwarding import Calling

Result = TypeVar("Result", bound=BaseModel)


class Relay:
    """Hands the requests of one server on to the client whose call it is working on.

    A server says nothing of the call for which it asks. Where the protocol tells, that call's client is asked;
    else the one whose call is the only one under way, so that no client is ever asked about another's. The user is
    shown the server's name.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._own: ContextVar[Calling | None] = ContextVar(f"call of {name}", default=None)
        self._under_way: list[Calling] = []

    @contextmanager
    def during(self, context: Calling) -> Iterator[None]:
        """Answer the server's requests by this call's client meanwhile."""
        self._under_way.append(context)
        token = self._own.set(context)
        try:
            yield
        finally:
            self._own.reset(token)
            self._under_way.remove(context)

    async def sample(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | CreateMessageResultWithTools | ErrorData:
        """Have the client's model answer."""
        request = CreateMessageRequest(params=params.model_copy(update={"meta": None}))
        if params.tools is not None or params.tool_choice is not None:
            return await self._ask(request, CreateMessageResultWithTools, lambda client: client.sampling)
        return await self._ask(request, CreateMessageResult, lambda client: client.sampling)

    async def elicit(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        """Have the user answer, who is told which server asks."""
        named = {"message": f"{self._name}: {params.message}", "meta": None}
        request = ElicitRequest(params=params.model_copy(update=named))
        return await self._ask(request, ElicitResult, lambda client: client.elicitation)

    async def roots(self, context: ClientRequestContext) -> ListRootsResult | ErrorData:
        """Have the client say where it works."""
        return await self._ask(ListRootsRequest(), ListRootsResult, lambda client: client.roots)

    async def _ask(
        self, request: ServerRequest, answer: type[Result], ability: Callable[[ClientCapabilities], Any]
    ) -> Result | ErrorData:
        context = self._own.get() or (self._under_way[0] if len(self._under_way) == 1 else None)
        if context is None:
            return _refused(f"{request.method}: {len(self._under_way)} calls are under way, not one")
        abilities = context.client_capabilities
        if abilities is None or ability(abilities) is None or not context.session.can_send_request:
            return _refused(f"{request.method}: the client cannot answer that")
        try:
            related = ServerMessageMetadata(related_request_id=context.request_id)
            result: Result = await context.session.send_request(request, answer, metadata=related)
            return result
        except MCPError as error:
            return error.error


def _refused(message: str) -> ErrorData:
    return ErrorData(code=INVALID_REQUEST, message=message)
