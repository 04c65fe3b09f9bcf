"""The way of someone new, timed: from a wheel and nothing else to an answer, a page and an agent.

    python -m benchmarks.newcomer --out benchmarks/results

A wheel is built and installed into an empty environment, at the versions of constraints.txt. Then the steps of
docs/index.md: a folder of mixed files, a question, the page, an agent that asks over MCP. The second question
tells what compiling cost the first. Packages come from wherever pip gets them, which is most of the first step.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = {
    "sorting.md": "# Sorting\nSort the rows. Equal ones keep their order.\n\n## Duplicates\nDrop them then.\n",
    "functions.json": json.dumps(
        [
            {"id": "np.sort", "text": "Return a sorted copy of an array.", "year": 2024},
            {"id": "np.unique", "text": "Find the unique elements of an array.", "year": 2025},
        ]
    ),
    "rounding.html": "<html><body><main><h1>Rounding</h1><p>Round half to even, as the standard says, so that "
    "sums of rounded numbers do not drift away from the sums of the numbers themselves.</p></main></body></html>",
    "table.csv": "id,text,year\nnp.round,Round an array to the given number of decimals.,2025\n",
    "notes.txt": "Missing values sort last. Take them out before you look for duplicates.\n",
}
QUESTION = "sort an array and remove the duplicates"
AGENT = """
import asyncio, sys
from mcp import Client, StdioServerParameters

async def ask():
    async with Client(StdioServerParameters(command=sys.argv[1], args=["mcp", sys.argv[2]])) as agent:
        print((await agent.call_tool("search", {"query": sys.argv[3]})).content[0].text[:80])

asyncio.run(ask())
"""


def steps(home: Path, wheel: Path) -> Iterator[tuple[str, float]]:
    """Go the way in an empty folder, and yield each step and its seconds."""
    here = {"PATH": os.defpath, "HOME": str(home)}
    tell = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}

    def run(*command: str | Path) -> float:
        start = time.perf_counter()
        done = subprocess.run(command, cwd=home, env=here | tell, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return time.perf_counter() - start

    start = time.perf_counter()
    venv.create(home / "env", with_pip=True)
    python, coverset = home / "env/bin/python", home / "env/bin/coverset"
    pip = (python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt")
    run(*pip, f"{wheel}[app,documents,mcp]")
    yield 'pip install "coverset[app,documents,mcp]"', time.perf_counter() - start
    (home / "notes").mkdir()
    for name, text in FILES.items():
        (home / "notes" / name).write_text(text, encoding="utf-8")
    yield "coverset add notes.cover notes/", run(coverset, "add", "notes.cover", "notes/")
    question = (coverset, "search", "notes.cover", QUESTION, "-k", "2", "--explain")
    yield "coverset search ... --explain, the first", run(*question)
    yield "coverset search ... --explain, the second", run(*question)
    with _served(coverset, home, here) as seconds:
        yield "coverset serve, until the page is there", seconds
    yield (
        "an agent's first answer from coverset mcp",
        run(python, "-c", AGENT, coverset, home / "notes.cover", QUESTION),
    )


@contextmanager
def _served(coverset: Path, home: Path, here: dict[str, str]) -> Iterator[float]:
    """Serve a store until its page has been read, and give the seconds that it took."""
    start = time.perf_counter()
    command = [coverset, "serve", "notes.cover", "--port", "0"]
    served = subprocess.Popen(command, cwd=home, env=here, stdout=subprocess.PIPE, text=True)
    try:
        assert served.stdout is not None
        address = next(word for line in served.stdout for word in line.split() if word.startswith("http://"))
        with urllib.request.urlopen(address) as page:
            assert b"<html" in page.read()
        yield time.perf_counter() - start
    finally:
        served.terminate()
        served.wait()


def main() -> None:
    """Go the way, and write newcomer.json and newcomer.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, str(ROOT)]
        subprocess.run(build, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        home = Path(folder) / "home"
        home.mkdir()
        found = []
        for name, seconds in steps(home, wheel):
            found.append({"step": name, "seconds": round(seconds, 1)})
            print(found[-1], flush=True)
    (out / "newcomer.json").write_text(json.dumps(found, indent=1) + "\n")
    lines = ["| step | s |", "|---|--:|", *(f"| `{row['step']}` | {row['seconds']} |" for row in found)]
    (out / "newcomer.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
