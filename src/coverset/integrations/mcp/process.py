"""A server's process: started, spoken with line by line, and ended. No line is longer than a limit."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import StdioServerParameters
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp.types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

logger = logging.getLogger("coverset.mcp")

# Seconds that a process gets to end by itself once nobody speaks to it any more, and after each signal.
GRACE = 2.0
# What is kept of either end of a line that is too long, to find out what it answers.
ENDS = 2_000
ANSWERED = re.compile(rb'"id"\s*:\s*(?:(\d{1,18})|"([^"\\]{1,200})")')

Received = MemoryObjectReceiveStream[SessionMessage | Exception]
Sent = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def process(parameters: StdioServerParameters, limit: int) -> AsyncIterator[tuple[Received, Sent]]:
    """The transport to a new process. Lines of more than `limit` bytes are answered with an error, unread."""
    env = get_default_environment() | (parameters.env or {})
    command = shutil.which(parameters.command, path=env.get("PATH")) or parameters.command
    running = await anyio.open_process(
        [command, *parameters.args],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
        cwd=parameters.cwd,
        start_new_session=True,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    received, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, sent = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, running.stdout, received, limit)
        tasks.start_soon(_write, running.stdin, sent, received)
        try:
            yield read, write
        finally:
            with anyio.CancelScope(shield=True):
                read.close()
                write.close()
                await _end(running)
                tasks.cancel_scope.cancel()


async def _read(
    stdout: ByteReceiveStream, received: MemoryObjectSendStream[SessionMessage | Exception], limit: int
) -> None:
    """Pass on the messages until the process closes its side; what is no message is left out, and said once."""
    strange = 0
    async with received:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            async for line, size in _lines(stdout, limit):
                try:
                    message = _too_long(line, size, limit) if size > limit else _parsed(line)
                except ValueError as error:
                    strange += 1
                    if strange == 1:
                        logger.warning("a server wrote a line that is no message: %s", str(error).split("\n")[0])
                    continue
                await received.send(message)


async def _lines(stdout: ByteReceiveStream, limit: int) -> AsyncIterator[tuple[bytes, int]]:
    """Yield each line that is not empty and its length; of one that is too long, its two ends."""
    head, tail, size = bytearray(), b"", 0
    async for chunk in stdout:
        *ended, rest = chunk.split(b"\n")
        for number, piece in enumerate([*ended, rest]):
            head += piece[: limit - len(head)] if size <= limit else b""
            size += len(piece)
            if size > limit:
                tail = (tail + piece)[-ENDS:]
                del head[ENDS:]
            if number < len(ended):
                if size:
                    yield bytes(head) + tail, size
                head, tail, size = bytearray(), b"", 0


def _parsed(line: bytes) -> SessionMessage:
    return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))


def _too_long(ends: bytes, size: int, limit: int) -> SessionMessage:
    """Return an error in place of an answer that is too long, so that whoever waits for it is told."""
    found = ANSWERED.search(ends)
    if found is None:
        raise ValueError(f"{size:,} bytes, more than the {limit:,} that a message may have")
    request = int(found[1]) if found[1] else found[2].decode()
    error = ErrorData(
        code=INTERNAL_ERROR,
        message=f"the answer has {size:,} bytes, more than the {limit:,} that a message may have",
    )
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=error))


async def _write(
    stdin: ByteSendStream,
    sent: MemoryObjectReceiveStream[SessionMessage],
    received: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    """Hand messages to the process. One that no longer listens is as good as ended, so nobody waits for it."""
    async with sent:
        with suppress(anyio.ClosedResourceError):
            try:
                async for message in sent:
                    line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await stdin.send(line.encode() + b"\n")
            except (anyio.BrokenResourceError, OSError):
                await received.aclose()


async def _end(running: Process) -> None:
    """Say goodbye by closing its input, then by signals to it and all that it started."""
    assert running.stdin is not None
    assert running.stdout is not None
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await running.stdin.aclose()
    for signum in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if signum is not None:
            _signal(running, signum)
        with anyio.move_on_after(GRACE):
            while running.returncode is None:
                await anyio.sleep(0.01)
        if running.returncode is not None:
            break
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await running.stdout.aclose()
    with anyio.move_on_after(GRACE):
        await running.wait()


def _signal(running: Process, signum: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            running.kill()
        else:
            os.killpg(running.pid, signum)
