"""Which text should stand for a tool? Name, description, parameters: measured on labelled tool catalogues.

    python -m benchmarks.tool_text DATA/toollens DATA/numpybank DATA/ultratool --out benchmarks/results

Every catalogue is read as MCP tools, every text is encoded, and each split's queries are answered with the five
best tools, by Dense and by NNN. Comp@5: the share of queries for which *all* tools needed are among them.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.types import Tool

from coverset import NNN, Dense, MemoryIndex
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.evaluation.datasets import load
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Comp
from coverset.integrations.tool_shapes import parameters, text_of, words

# About this many queries of each set are asked, evenly spaced: enough to tell texts apart by a point or two.
MOST = 1000


def described(tool: Tool) -> str:
    """The tool's parameters as words, each with its description, if it has one."""
    properties = tool.input_schema["properties"].items()
    return "; ".join(": ".join(filter(None, [words(name), schema["description"]])) for name, schema in properties)


Text = Callable[[str, Tool], str]
TEXTS: dict[str, Text] = {
    "description": lambda _, tool: tool.description or words(tool.name),
    "name_as_it_is: description": lambda _, tool: f"{tool.name}: {tool.description}",
    "name as words: description": lambda _, tool: text_of(tool),
    "server and name as words: description": lambda server, tool: text_of(tool, server),
    "the same, and parameters' names": lambda server, tool: f"{text_of(tool, server)} {parameters(tool)}",
    "the same, and their descriptions": lambda server, tool: f"{text_of(tool, server)} {described(tool)}",
}


def catalogue(folder: Path) -> list[tuple[str, Tool]]:
    """A data set's corpus as MCP tools, in its order, each with the name of its server, if it has one."""
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        return [as_tool(json.loads(line)) for line in lines]


def as_tool(document: dict[str, str]) -> tuple[str, Tool]:
    """Take a document's text apart: ToolLens's fields, or prose with a list of parameters after it."""
    text = document["text"]
    fields = re.match(
        r"category_name:.*?, tool_name:(.*?), api_name:(.*?), api_description:(.*?), "
        r"required_params: (\[.*?\]), optional_params: (\[.*?\]), return_schema",
        text,
        re.DOTALL,
    )
    if fields:
        home, name, description, *listed = fields.groups()
        schemas = {p["name"]: p["description"] for some in listed for p in json.loads(some)}
        return home, tool(name, description, schemas)
    description, _, rest = text.partition(" Parameters: ")
    found = re.findall(
        r"- ([\w, ]+?) \([^)]*\): (.*?)(?= - [\w, ]+? \(| Returns:|$)", rest.partition("Returns:")[0]
    )
    return "", tool(document["title"], description, dict(found))


def tool(name: str, description: str, about: dict[str, str]) -> Tool:
    """An MCP tool with these parameters, name to description."""
    properties = {key: {"type": "string", "description": text} for key, text in about.items()}
    return Tool(name=name, description=description, input_schema={"type": "object", "properties": properties})


def measure(folder: Path, split: str, encoder: CachedEncoder) -> dict[str, Any]:
    """Comp@5 of every text on a data set, by decoder, in percent."""
    tools, labelled = catalogue(folder), load(folder).split(split)
    some = slice(None, None, max(1, len(labelled.texts) // MOST))
    asked = Labelled.of(encoder.encode_queries(labelled.texts[some]), labelled.relevant[some])
    row: dict[str, Any] = {"tools": len(tools), "queries": len(asked.queries)}
    for name, text in TEXTS.items():
        index = MemoryIndex(encoder.encode([text(server, tool) for server, tool in tools]))
        for decoder in (Dense(), NNN()):
            comp = evaluate(decoder, index, asked, [Comp @ 5])[Comp @ 5]
            row[f"{name} | {type(decoder).__name__}"] = round(100 * float(comp.mean()), 1)
    return row


def table(results: dict[str, dict[str, Any]]) -> str:
    """The results as Markdown."""
    heads = [f"{name} {decoder}" for name in results for decoder in ("Dense", "NNN")]
    lines = [f"| text | {' | '.join(heads)} |", f"|---|{'--:|' * len(heads)}"]
    for text in TEXTS:
        cells = [f"{row[f'{text} | {decoder}']:.1f}" for row in results.values() for decoder in ("Dense", "NNN")]
        lines.append(f"| {text} | {' | '.join(cells)} |")
    sizes = ", ".join(
        f"{name} {row['queries']} queries over {row['tools']} tools" for name, row in results.items()
    )
    return "\n".join([*lines, "", f"Comp@5 in percent; {sizes}; `{NNN()}`.", ""])


def main() -> None:
    """Measure, and write tool_text.json and tool_text.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--split", default="train")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    encoder = CachedEncoder(load_encoder(arguments.encoder), default_folder())
    results = {folder.name: measure(folder, arguments.split, encoder) for folder in arguments.datasets}
    (arguments.out / "tool_text.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    (arguments.out / "tool_text.md").write_text(table(results), encoding="utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
