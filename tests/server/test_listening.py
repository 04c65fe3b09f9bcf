"""What the service listens on."""

from __future__ import annotations

import asyncio
import socket

import pytest

from coverset.server.listening import listen


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_are_sent_at_once(host: str) -> None:
    """Without this, a body waits until the other side has acknowledged the head: 40 ms on a kept connection."""
    try:
        listener, address = listen(host, 0)
    except ValueError as error:
        pytest.skip(str(error))
    waits: list[int] = []

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waits.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def ask() -> None:
        async with await asyncio.start_server(serve, sock=listener):
            reader, writer = await asyncio.open_connection(host, listener.getsockname()[1])
            assert await reader.read() == b""
            writer.close()

    asyncio.run(ask())
    assert len(waits) == 1
    assert waits[0] != 0
    assert address.startswith(f"http://{'[::1]' if ':' in host else host}:")
