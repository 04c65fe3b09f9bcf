"""A server that publishes the tools of one server of a catalogue, and does nothing: a stand-in for the real one.

    python -m benchmarks.standin TOOLS.jsonl SERVER

It speaks MCP over stdio in a few lines of its own, so that seventy of them start in no time. The tools are read
where they are.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def published(path: str, server: str) -> list[dict[str, Any]]:
    """Return the tools of a server, as it publishes them."""
    with open(path, encoding="utf-8") as lines:
        tools = [json.loads(line) for line in lines]
    return [
        {key: tool[key] for key in ("name", "description", "inputSchema") if tool[key] is not None}
        for tool in tools
        if tool["server"] == server
    ]


def answer(request: dict[str, Any], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what to answer a request with."""
    if request["method"] == "initialize":
        return {
            "result": {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "stand-in", "version": "1"},
            }
        }
    if request["method"] == "tools/list":
        return {"result": {"tools": tools}}
    return {"error": {"code": -32601, "message": "a stand-in does nothing"}}


def main() -> None:
    """Answer until the client has gone."""
    tools = published(*sys.argv[1:])
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and "method" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request, tools)}), flush=True)


if __name__ == "__main__":
    main()
