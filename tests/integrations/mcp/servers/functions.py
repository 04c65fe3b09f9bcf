"""Plain functions as tools: the names and types of the arguments are given in a signature of their own."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from mcp.server.mcpserver import MCPServer

Functions = dict[str, tuple[Callable[..., Any], str]]


def add_tools(server: MCPServer, functions: Functions, arguments: dict[str, Any], returns: Any) -> None:
    """Add name -> (function, description) as tools that take these arguments, in this order."""
    parameters = [Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in arguments.items()]
    for name, (function, description) in functions.items():

        def call(function: Callable[..., Any] = function, **values: Any) -> Any:
            return function(*(values[key] for key in arguments))

        call.__signature__ = Signature(parameters, return_annotation=returns)  # type: ignore[attr-defined]
        server.add_tool(call, name=name, description=description)
