"""Memory of the service over many requests, to see whether it reaches a plateau.

    python -m benchmarks.soak.memory --requests 200000 --out benchmarks/results

Searches with a query of their own each, by all decoders, with and without explanations, filters and shares of
words, documents by id, and a write now and then. Resident memory is read after every hundredth part, in two:
`own` is what the process has allocated, `files` what it has mapped: mostly the encoder's weights, which come into
memory page by page as words are met for the first time, up to the size of the file.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.load import Served
from coverset import Retriever
from coverset.demo.catalogue import catalogue

CLIENTS, PARTS = 4, 100
WORDS = ["sort", "round", "sine", "file", "matrix", "mean", "text", "date", "sum", "join", "split", "count"]


def fill(folder: Path) -> None:
    """Make a store of numpy's functions."""
    Retriever.open(folder).add(
        {"id": name, "text": text, "meta": {"n": len(text) % 5}} for name, text in catalogue().items()
    )


def request(rng: random.Random, ids: list[str]) -> tuple[str, str, dict[str, Any] | None]:
    """Return method, path and body of the next request."""
    kind = rng.random()
    if kind < 0.3:
        return "GET", f"/v1/documents/{rng.choice(ids)}", None
    query = " ".join(rng.choices(WORDS, k=rng.randint(2, 12))) + f" {rng.random():.6f}"
    body: dict[str, Any] = {"query": query, "k": rng.randint(1, 20)}
    body["decoder"] = rng.choice(["nnn", "dense", "mmr"])
    if kind < 0.5:
        body["where"] = {"n": rng.randrange(5)}
    if kind < 0.6:
        body["explain"] = True
    if kind > 0.9:
        body["share"] = round(rng.random(), 4)
    return "POST", "/v1/search", body


def client(served: Served, number: int, requests: int, done: list[int], wrong: list[int]) -> None:
    """Ask so often."""
    rng, ids = random.Random(number), list(catalogue())
    with served.client() as http:
        for n in range(requests):
            method, path, body = request(rng, ids)
            answer = http.request(method, path, json=body)
            if answer.status_code != 200:
                wrong.append(answer.status_code)
            if number == 0 and n % 500 == 499:
                document = {"id": "changing", "text": f"A document that changes, now {n}."}
                wrong += [] if http.post("/v1/documents", json={"documents": [document]}).is_success else [0]
            done[number] += 1


def memory(served: Served) -> tuple[float, float]:
    """Return the service's own resident memory and that of files it has mapped, in MiB."""
    lines = Path(f"/proc/{served.process.pid}/status").read_text().splitlines()
    found = {name: line.split()[0] for name, _, line in (line.partition(":") for line in lines) if line.strip()}
    return int(found["RssAnon"]) / 1024, int(found["RssFile"]) / 1024


def measure(folder: Path, requests: int) -> dict[str, Any]:
    """Return resident memory along the way."""
    fill(folder)
    served = Served(folder)
    done, wrong = [0] * CLIENTS, []
    threads = [
        threading.Thread(target=client, args=(served, n, requests // CLIENTS, done, wrong), daemon=True)
        for n in range(CLIENTS)
    ]
    found = [(0, *memory(served))]
    start = time.perf_counter()
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            if sum(done) >= found[-1][0] + requests // PARTS:
                found.append((sum(done), *memory(served)))
    finally:
        served.end(signal.SIGTERM)
    return {
        "requests": sum(done),
        "seconds": round(time.perf_counter() - start),
        "failed": len(wrong),
        "mib": [{"requests": n, "own": round(own, 1), "files": round(files, 1)} for n, own, files in found],
    }


def main() -> None:
    """Measure, and write `memory.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder) / "s.cover", options.requests)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "memory.json").write_text(json.dumps(found, indent=2) + "\n")
    for row in found["mib"][:: PARTS // 20]:
        print(f"{row['requests']:>8,} requests  {row['own']:7.1f} MiB own  {row['files']:7.1f} MiB of files")


if __name__ == "__main__":
    main()
