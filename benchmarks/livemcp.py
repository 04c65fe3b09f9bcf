"""Tools for agents on a real catalogue: what `coverset mcp` finds, and how many tokens it takes.

    python -m benchmarks.livemcp DATA/livemcp [--out benchmarks/results]

All servers of the catalogue stand behind `coverset mcp`, each as a process that publishes the real names,
descriptions and schemas. An agent asks for each task over a real session, by stdio and by HTTP.

Recall@k: the share of a task's tools that are found; Comp@k: the share of tasks whose tools are all found; in
sight: whose tools are all found or named as siblings. Tokens are characters / 4 of the JSON that the model reads.
The tasks are test only: nothing here was chosen on them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from coverset.evaluation.metrics import Comp, Recall

ROOT = Path(__file__).parents[1]
DEPTHS = (5, 10)
# Spoken without asking first: seventy servers that start at once can make the answer late.
VERSION = "2026-07-28"


@dataclass(frozen=True)
class Way:
    """A way of finding tools: options of `coverset mcp`, and whether the plan is handed in."""

    name: str
    options: tuple[str, ...]
    steps: bool = False


WAYS = (
    Way("words only", ("--decoder", "dense", "--share", "1", "--no-parts")),
    Way("Dense", ("--decoder", "dense", "--share", "0", "--no-parts")),
    Way("RRF", ("--decoder", "rrf", "--no-parts")),
    Way("Coverset", ()),
    Way("Coverset, with steps", (), steps=True),
)


@dataclass(frozen=True)
class Task:
    """What is asked, the annotators' steps, and the tools that it takes."""

    request: str
    steps: list[str]
    needed: frozenset[str]


def tasks(folder: Path) -> list[Task]:
    """Return the tasks of the test split."""
    needed: dict[str, set[str]] = {}
    for line in (folder / "qrels/test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, tool, _ = line.split("\t")
        needed.setdefault(query, set()).add(tool)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Task(query["text"], list(dict.fromkeys(query["metadata"]["steps"])), frozenset(needed[query["_id"]]))
        for query in queries
        if query["_id"] in needed
    ]


def configuration(folder: Path) -> dict[str, Any]:
    """Return all servers of the catalogue, each with its stand-in."""
    path = folder / "tools.jsonl"
    with path.open(encoding="utf-8") as lines:
        servers = dict.fromkeys(json.loads(line)["server"] for line in lines)
    command = {"command": sys.executable, "cwd": str(ROOT)}
    return {name: {**command, "args": ["-m", "benchmarks.standin", str(path), name]} for name in servers}


@asynccontextmanager
async def session(transport: str, config: Path, options: tuple[str, ...]) -> AsyncIterator[Client]:
    """An agent's session with `coverset mcp`, once all servers are ready."""
    command = ["-m", "coverset", "mcp", "--config", str(config), *options]
    if transport == "stdio":
        env = {key: os.environ[key] for key in ("PYTHONPATH", "XDG_CACHE_HOME") if key in os.environ}
        gateway = StdioServerParameters(command=sys.executable, args=command, env=env)
        async with Client(gateway, mode=VERSION) as client:
            await ready(client)
            yield client
        return
    with subprocess.Popen(
        [sys.executable, *command, "--http", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().removeprefix("Coverset is at ").strip()
            async with Client(address, mode=VERSION) as client:
                await ready(client)
                yield client
        finally:
            process.terminate()


async def ready(client: Client) -> None:
    """Wait until every server has listed its tools."""
    while True:
        result = await client.call_tool("list_servers")
        if all(server["state"] == "ready" for server in result.structured_content["servers"]):
            return
        await asyncio.sleep(0.5)


async def asked(client: Client, way: Way, task: Task, k: int) -> dict[str, float]:
    """Return how good the answer to a task is, and how long."""
    arguments: dict[str, Any] = {"request": task.request, "k": k}
    if way.steps:
        arguments["steps"] = task.steps
    result = await client.call_tool("find_tools", arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    answer = json.loads(content.text)
    names = [tool["name"] for tool in answer["tools"]]
    return {
        f"recall@{k}": (Recall @ k)(names, task.needed),
        f"comp@{k}": (Comp @ k)(names, task.needed),
        f"in sight@{k}": float(task.needed <= {*names, *answer.get("siblings", [])}),
        f"tokens@{k}": len(content.text) / 4,
    }


async def measured(transport: str, config: Path, way: Way, questions: list[Task]) -> dict[str, float]:
    """Return the means over all tasks, by one way of finding."""
    async with session(transport, config, way.options) as client:
        answers = [
            {key: value for k in DEPTHS for key, value in (await asked(client, way, task, k)).items()}
            for task in questions
        ]
        own = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]
    means = {key: round(float(np.mean([answer[key] for answer in answers])), 3) for key in answers[0]}
    return {**means, "own tools": len(json.dumps(own, ensure_ascii=False)) / 4}


def whole(folder: Path) -> float:
    """Return the tokens of all tools in the prompt."""
    with (folder / "tools.jsonl").open(encoding="utf-8") as lines:
        tools = [json.loads(line) for line in lines]
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    return len(json.dumps(shown, ensure_ascii=False)) / 4


def table(results: dict[str, Any]) -> str:
    """Return the results as a table, and what they say."""
    columns = [f"{name}@{k}" for k in DEPTHS for name in ("recall", "comp", "in sight", "tokens")]
    lines = [
        "| | "
        + " | ".join(column.replace("recall", "Recall").replace("comp", "Comp") for column in columns)
        + " |",
        "|---|" + "--:|" * len(columns),
        "| all tools in the prompt | " + " | ".join(["100", "100", "100", f"{results['whole']:,.0f}"] * 2) + " |",
    ]
    for name, values in results["stdio"].items():
        cells = [f"{values[c]:,.0f}" if c.startswith("tokens") else f"{100 * values[c]:.1f}" for c in columns]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    same = all(results["stdio"][name] == results["http"][name] for name in results["stdio"])
    one = 100 / results["tasks"]
    own = next(iter(results["stdio"].values()))["own tools"]
    spread = 196 * np.sqrt(0.25 / results["tasks"])
    lines += [
        "",
        f"{results['tasks']} tasks over {results['tools']} tools of {results['servers']} servers, in percent; "
        f"tokens an answer. {'Over HTTP every figure is the same.' if same else 'Over HTTP the figures differ.'} "
        f"The tools of `coverset mcp` itself take {own:,.0f} tokens once.",
        f"A task is {one:.1f} points, and a Comp of 50 is known to ±{spread:.0f} points: these tell what a plan "
        "is worth, and little between ways that are close. They say which tools the annotators used, not which "
        "others would have done; the steps were written by people who knew the tools, so an agent's own plan may "
        "be worse. Whether an agent then calls the tools rightly is not measured.",
        "",
        "Made by `python -m benchmarks.livemcp DATA/livemcp --out benchmarks/results`.",
    ]
    return "\n".join(lines) + "\n"


def picture(results: dict[str, Any], path: Path) -> None:
    """Draw how many tasks have all of their tools, against the tokens it takes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    for name, values in results["stdio"].items():
        tokens = [values[f"tokens@{k}"] for k in DEPTHS]
        (line,) = axes.plot(tokens, [100 * values[f"comp@{k}"] for k in DEPTHS], "o-", label=name)
        axes.plot(tokens, [100 * values[f"in sight@{k}"] for k in DEPTHS], "o:", color=line.get_color(), alpha=0.5)
    axes.plot([results["whole"]], [100], "k*", markersize=12, label="all tools in the prompt")
    axes.set(xscale="log", xlabel="tokens a request", ylabel="tasks with all of their tools, %", ylim=(0, 105))
    axes.set_title("Comp at 5 and 10 (solid); in sight, with siblings' names (dotted)", fontsize=10)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main() -> None:
    """Measure, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results")
    arguments = parser.parse_args()
    folder, questions = arguments.data.resolve(), tasks(arguments.data)
    servers = configuration(folder)
    with (folder / "tools.jsonl").open(encoding="utf-8") as lines:
        tools = sum(1 for _ in lines)
    results: dict[str, Any] = {"tasks": len(questions), "tools": tools, "servers": len(servers)}
    results["whole"] = whole(folder)
    with tempfile.TemporaryDirectory() as scratch:
        config = Path(scratch) / "servers.json"
        config.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
        for transport in ("stdio", "http"):
            results[transport] = {}
            for way in WAYS:
                values = asyncio.run(measured(transport, config, way, questions))
                results[transport][way.name] = values
                print(transport, way.name, values, flush=True)
    (arguments.out / "livemcp.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (arguments.out / "livemcp.md").write_text(table(results), encoding="utf-8")
    picture(results, arguments.out / "livemcp.png")


if __name__ == "__main__":
    main()
