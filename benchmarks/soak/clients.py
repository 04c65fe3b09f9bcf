"""Good clients beside stalled ones, to see whether they are answered, and how much later."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import signal
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.load import Served
from benchmarks.soak.memory import fill
from coverset.demo.catalogue import catalogue

GOOD, STALLED = 100, 300
# Seconds between two requests of a good client, at most: together they ask for less than the service can do, and
# at times that have nothing to do with each other.
PAUSE = 2.0
IDS = list(catalogue())


async def good(address: str, number: int, until: float, times: list[float], statuses: Counter[str]) -> None:
    """Ask for a document, wait, ask again, over a new connection each time."""
    where, rng = urlsplit(address), random.Random(number)
    await asyncio.sleep(rng.random() * PAUSE)
    while time.perf_counter() < until:
        start = time.perf_counter()
        try:
            reader, writer = await asyncio.open_connection(where.hostname, where.port)
            line = f"GET /v1/documents/{rng.choice(IDS)} HTTP/1.1"
            writer.write(f"{line}\r\nHost: {where.netloc}\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            statuses[answer.split(b" ", 2)[1].decode()] += 1
        except (OSError, IndexError):
            statuses["broken"] += 1
        times.append(1000 * (time.perf_counter() - start))
        await asyncio.sleep(rng.random() * PAUSE)


async def stalled(address: str, until: float) -> None:
    """Begin a request and never finish it; once cut off, begin again."""
    where = urlsplit(address)
    while time.perf_counter() < until:
        try:
            reader, writer = await asyncio.open_connection(where.hostname, where.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
            await asyncio.wait_for(reader.read(), max(0.1, until - time.perf_counter()))
            writer.close()
        except (OSError, asyncio.TimeoutError):
            await asyncio.sleep(0.1)


async def dripping(address: str, until: float) -> None:
    """Send a body that is too large a byte at a time."""
    where = urlsplit(address)
    while time.perf_counter() < until:
        try:
            _, writer = await asyncio.open_connection(where.hostname, where.port)
            head = f"POST /v1/search HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: 99999999\r\n\r\n"
            writer.write(head.encode() + b"x" * 9_000_000)
            while time.perf_counter() < until:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.05)
        except OSError:
            continue


def hostile(address: str, seconds: float) -> None:
    """All of those who mean no good, for some time."""

    async def together() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(stalled(address, until) for _ in range(STALLED)), dripping(address, until))

    asyncio.run(together())


def clients(folder: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Measure half of the time without stalled clients, and half with them."""
    fill(folder / "s.cover")
    served = Served(folder / "s.cover")
    found: dict[str, Any] = {"good": GOOD, "stalled": STALLED}

    async def phase() -> dict[str, Any]:
        until, times, statuses = time.perf_counter() + seconds / 2, [], Counter()
        await asyncio.gather(*(good(served.address, seed + n, until, times, statuses) for n in range(GOOD)))
        cuts = statistics.quantiles(times, n=100)
        return {"answers": dict(statuses), "p50_ms": round(cuts[49], 1), "p99_ms": round(cuts[98], 1)}

    # A process of their own: what they do is not to hold up those who take the time.
    others = multiprocessing.get_context("spawn").Process(target=hostile, args=(served.address, seconds / 2))
    try:
        asyncio.run(phase())  # to warm up
        found["alone"] = asyncio.run(phase())
        others.start()
        found["beside_stalled"] = asyncio.run(phase())
        others.join()
    finally:
        served.end(signal.SIGTERM)
    return found
