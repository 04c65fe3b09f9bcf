"""The service under load, killed, and met for the first time.

    python -m benchmarks.service --out benchmarks/results

Load: 200 clients for 60 s on a store of 10,000 documents while another client writes. Half of them ask Dense,
half NNN, every request with a query of its own. Who is told 429 comes back when told to. Clients and service
share this machine, so its times are an upper bound.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from benchmarks.load import Served, load
from coverset import Retriever
from coverset.demo.catalogue import REQUESTS, catalogue

KILLS = 8


def kills(folder: Path) -> dict[str, Any]:
    """Kill the service at random moments while it is written to; count acknowledged writes that are lost."""
    Retriever.open(folder)
    rng, acknowledged, lost = random.Random(0), 0, 0
    for round_ in range(KILLS):
        served, there = Served(folder), set()

        def add(served: Served = served, there: set[str] = there, round_: int = round_) -> None:
            with served.client() as client:
                for n in range(10**9):
                    document = {"id": f"{round_}-{n}", "text": f"text {n}"}
                    try:
                        if client.post("/v1/documents", json={"documents": [document]}).status_code == 200:
                            there.add(document["id"])
                    except httpx.HTTPError:
                        return

        thread = threading.Thread(target=add)
        thread.start()
        thread.join(rng.uniform(0.3, 2.0))
        served.end(signal.SIGKILL)
        thread.join()
        acknowledged += len(there)
        lost += len(there - set(Retriever.open(folder).ids()))
    return {"kills": KILLS, "acknowledged": acknowledged, "lost": lost}


def first_answer(folder: Path) -> dict[str, Any]:
    """Time a new user: `coverset add` of 500 documents, `coverset serve`, and the first answer on the page."""
    from playwright.sync_api import sync_playwright

    lines = [json.dumps({"id": name, "text": what}) for name, what in list(catalogue().items())[:500]]
    (folder / "tools.jsonl").write_text("\n".join(lines))
    store = folder / "tools.cover"
    steps, start = {}, time.perf_counter()

    def step(name: str) -> None:
        steps[name] = round(time.perf_counter() - start - sum(steps.values()), 2)

    command = [sys.executable, "-m", "coverset", "add", str(store), str(folder / "tools.jsonl")]
    subprocess.run(command, check=True, capture_output=True)
    step("coverset add, 500 documents")
    served = Served(store)
    step("coverset serve, until ready")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        step("the browser starts")
        page.goto(served.address)
        page.get_by_label("What do you need?").fill(REQUESTS[0])
        page.keyboard.press("Enter")
        page.locator("#nnn .hit").nth(4).wait_for()
        step("the page opens, a request is answered")
        browser.close()
    served.end(signal.SIGTERM)
    return {"seconds": round(sum(steps.values()), 2), "steps": steps}


def table(found: dict[str, Any]) -> str:
    """Write the figures as Markdown."""
    loaded, killed, first = found["load"], found["kills"], found["first_answer"]
    rows = [
        f"| {name} | {loaded[key]['count']:,} | {loaded[key]['p50']:,.0f} | {loaded[key]['p99']:,.0f} |"
        for name, key in (("Dense", "dense_ms"), ("NNN, exact and certified", "nnn_ms"), ("a write", "write_ms"))
    ]
    errors = sum(n for status, n in loaded["answers"].items() if status not in ("200", "429"))
    memory, turned_away = loaded["memory_mib"], loaded["answers"].get("429", 0)
    steps = "; ".join(f"{name}: {seconds:.1f} s" for name, seconds in first["steps"].items())
    load_ = loaded["load_average"]
    of = f"{killed['acknowledged']} acknowledged writes, {killed['lost']} lost"
    where = f"{loaded['documents']:,} documents, with writes going on"
    return f"""| | answered | p50 ms | p99 ms |
|---|--:|--:|--:|
{chr(10).join(rows)}

{loaded["clients"]} clients at once for {loaded["seconds"]:.0f} s on {where}.
Clients and service share {found["cores"]} cores, and other work was on them (load average {load_:.0f}).
{turned_away:,} requests were told 429 and when to come back; other errors: {errors}.
Processor time of the service an answer, all else it did included: {loaded["cpu_ms_an_answer"]:.0f} ms.
Memory: {memory["after a third"]:.0f} MiB after 20 s, {memory["at the end"]:.0f} MiB at the end.

`kill -9` {killed["kills"]} times while writing: {of}.

From nothing to the first answer on the page: {first["seconds"]:.0f} s ({steps}).

Made by `python -m benchmarks.service --out benchmarks/results`.
"""


def main() -> None:
    """Measure, and write `service.json` and `service.md`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    found: dict[str, Any] = {"python": platform.python_version(), "cores": len(os.sched_getaffinity(0))}
    with tempfile.TemporaryDirectory() as folder:
        found["first_answer"] = first_answer(Path(folder))
        found["load"] = load(Path(folder) / "load.cover")
        found["kills"] = kills(Path(folder) / "kills.cover")
    out.mkdir(parents=True, exist_ok=True)
    (out / "service.json").write_text(json.dumps(found, indent=2) + "\n")
    (out / "service.md").write_text(table(found))
    print(table(found))


if __name__ == "__main__":
    main()
