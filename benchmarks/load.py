"""Many clients at once on `coverset serve`, while another one writes."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from benchmarks.corpora import text
from coverset import Retriever
from coverset.demo.catalogue import catalogue

CLIENTS, SECONDS, DOCUMENTS = 200, 60.0, 10_000
ASKED = {"dense": {"decoder": "dense"}, "nnn": {"decoder": "nnn", "l1": 0.05, "l2": 0.1}}


class Served:
    """`coverset serve` in a process of its own."""

    def __init__(self, store: Path) -> None:
        command = [sys.executable, "-m", "coverset", "serve", str(store), "--port", "0", "--log-level", "warning"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1].rstrip("/")
        with self.client() as client:
            while client.get("/readyz").status_code != 200:
                time.sleep(0.02)

    def client(self) -> httpx.Client:
        """Return a client of it."""
        return httpx.Client(base_url=self.address, timeout=60.0, trust_env=False)

    def memory(self) -> float:
        """Resident memory in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def cpu(self) -> float:
        """Seconds of processor time it has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, number: int) -> None:
        """Send it a signal, and wait until it is gone."""
        self.process.send_signal(number)
        self.process.wait()


async def request(reader: Any, writer: Any, host: str, body: dict[str, Any]) -> tuple[int, dict[str, str]]:
    """Send one search over an open connection; return its status and headers."""
    content = json.dumps(body).encode()
    head = f"POST /v1/search HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
    await reader.readexactly(int(headers["content-length"]))
    return int(lines[0].split()[1]), headers


async def ask(
    number: int, address: str, until: float, times: dict[str, list[float]], statuses: Counter[int]
) -> None:
    """One client: ask, read, ask again."""
    where, rng, name = urlsplit(address), random.Random(number), ("dense", "nnn")[number % 2]
    texts = list(catalogue().values())
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    while time.perf_counter() < until:
        query = f"{rng.choice(texts)} Then: {rng.choice(texts)} {rng.random():.4f}"
        start = time.perf_counter()
        status, headers = await request(reader, writer, where.netloc, {"query": query, "k": 5, **ASKED[name]})
        statuses[status] += 1
        if status == 200:
            times[name].append(1000 * (time.perf_counter() - start))
        elif status == 429:
            writer.close()
            await asyncio.sleep(
                min(float(headers["retry-after"]) * rng.uniform(1.0, 1.5), until - time.perf_counter())
            )
            reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.close()


def write(served: Served, stop: threading.Event, statuses: Counter[int], took: list[float]) -> None:
    """Add five documents and delete them again, over and over."""
    with served.client() as client:
        for n in range(10**9):
            ids = [f"new-{n}-{m}" for m in range(5)]
            documents = [{"id": i, "text": f"Document {i}, written while others search."} for i in ids]
            for path, body in (
                ("/v1/documents", {"documents": documents}),
                ("/v1/documents/delete", {"ids": ids}),
            ):
                start = time.perf_counter()
                statuses[client.post(path, json=body).status_code] += 1
                took.append(1000 * (time.perf_counter() - start))
                if stop.wait(0.5):
                    return


def load(folder: Path) -> dict[str, Any]:
    """Put the load on, and return what was measured."""
    fill(folder)
    served = Served(folder)
    times: dict[str, list[float]] = {name: [] for name in ASKED}
    statuses: Counter[int] = Counter()
    writes: Counter[int] = Counter()
    took: list[float] = []
    memory: list[float] = []
    stop = threading.Event()

    async def run() -> None:
        until = time.perf_counter() + SECONDS
        clients = [asyncio.create_task(ask(n, served.address, until, times, statuses)) for n in range(CLIENTS)]
        while time.perf_counter() < until:
            memory.append(served.memory())
            await asyncio.sleep(1.0)
        await asyncio.gather(*clients)

    thread = threading.Thread(target=write, args=(served, stop, writes, took))
    before = served.cpu()
    thread.start()
    try:
        asyncio.run(run())
        cpu = served.cpu() - before
    finally:
        stop.set()
        thread.join()
        served.end(signal.SIGTERM)
    third = len(memory) // 3
    return {
        "documents": DOCUMENTS,
        "clients": CLIENTS,
        "seconds": SECONDS,
        "answers": {str(status): count for status, count in sorted(statuses.items())},
        "writes": {str(status): count for status, count in sorted(writes.items())},
        "write_ms": percentiles(took),
        **{f"{name}_ms": percentiles(values) for name, values in times.items()},
        "memory_mib": {
            "after a third": statistics.median(memory[third : third + 5]),
            "at the end": statistics.median(memory[-5:]),
            "peak": max(memory),
            "every 5 s": [round(value) for value in memory[::5]],
        },
        "cpu_ms_an_answer": 1000 * cpu / max(1, statuses[200]),
        "load_average": os.getloadavg()[1],
    }


def fill(folder: Path) -> None:
    """Make a store of real embeddings, repeated and perturbed, each with a text."""
    corpus, _ = text(DOCUMENTS, 384, 1)
    texts = list(catalogue().values())
    documents = (
        {"id": f"doc-{n}", "text": f"{texts[n % len(texts)]} ({n})", "vector": row} for n, row in enumerate(corpus)
    )
    Retriever.open(folder).add(documents)


def percentiles(values: list[float]) -> dict[str, float]:
    """Return how many there are, their median and their 99th percentile."""
    cuts = statistics.quantiles(values, n=100)
    return {"count": len(values), "p50": round(cuts[49], 1), "p99": round(cuts[98], 1)}
