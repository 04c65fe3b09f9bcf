"""A server that is reached by HTTP: streamable, or by SSE where it still has that. Answers are bounded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from coverset.integrations.mcp.config import Kind, Remote
from coverset.plain import Foreign

# Seconds to connect and to be answered; a stream may be silent for longer.
TIMEOUT = httpx2.Timeout(30.0, read=300.0)


def remote(server: Remote, kind: Kind, limit: int) -> AbstractAsyncContextManager[Any]:
    """The transport to a server elsewhere; answers of more than `limit` bytes are not read to their end."""
    return _sse(server, limit) if kind == "sse" else _streamable(server, limit)


@asynccontextmanager
async def _streamable(server: Remote, limit: int) -> AsyncIterator[Foreign]:
    async with (
        _client(server, limit) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=limit) as streams,
    ):
        yield streams


@asynccontextmanager
async def _sse(server: Remote, limit: int) -> AsyncIterator[Foreign]:
    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return _client(server, limit)

    async with sse_client(server.url, httpx_client_factory=client) as streams:
        yield streams


def _client(server: Remote, limit: int) -> httpx2.AsyncClient:
    transport = _Bounded(httpx2.AsyncHTTPTransport(), limit)
    return httpx2.AsyncClient(headers=dict(server.headers), timeout=TIMEOUT, transport=transport)


class _Bounded(httpx2.AsyncBaseTransport):
    """Answers that end with an error where they become too large. Streams of events are bounded event by event."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, limit: int) -> None:
        self._inner, self._limit = inner, limit

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _BoundedStream(response.stream, self._limit)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner, self._limit = inner, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > self._limit:
                raise httpx2.StreamError(f"more than the {self._limit:,} bytes that a message may have")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
