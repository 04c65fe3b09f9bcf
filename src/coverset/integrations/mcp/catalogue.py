"""The tools of all servers as one index, in which a request finds the few that together do the job."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from mcp.types import Tool

from coverset.integrations.mcp.tool_text import tool_text
from coverset.integrations.shelf import Shelf, Shelved


@dataclass(frozen=True)
class Entry:
    """A tool of a server; `name` is `server/tool`, and `server/tool~2` for the second that a server calls so."""

    server: str
    tool: Tool
    number: int = 1

    @property
    def name(self) -> str:
        """The name under which the tool is found and called."""
        return f"{self.server}/{self.tool.name}" + (f"~{self.number}" if self.number > 1 else "")

    @property
    def destructive(self) -> bool:
        """Whether the server says that the tool may destroy something."""
        hints = self.tool.annotations
        return hints is not None and bool(hints.destructive_hint) and not hints.read_only_hint


@dataclass(frozen=True)
class Finding:
    """The answer to a request: tools with their weights, best first, and the other tools of their servers."""

    tools: list[tuple[Entry, float]] = field(default_factory=list)
    siblings: list[Entry] = field(default_factory=list)


@dataclass(frozen=True)
class _Snapshot:
    """All tools at one moment. An answer is made from one snapshot, whatever changes meanwhile."""

    entries: dict[str, Entry] = field(default_factory=dict)
    shelved: Shelved | None = None


class Catalogue:
    """What can be found, kept in step server by server.

    A server's tools are replaced together: only texts that are new are encoded, and the index is swapped
    whole. Its methods may be called from any thread.

    Parameters
    ----------
    shelf
        Makes the texts of tools findable.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._entries: dict[str, list[Entry]] = {}
        self._snapshot = _Snapshot()
        self._lock = threading.Lock()

    def replace(self, server: str, tools: Sequence[Tool]) -> None:
        """Make these the server's tools."""
        with self._lock:
            self._entries[server] = _numbered(server, tools)
            entries = {entry.name: entry for some in self._entries.values() for entry in some}
            texts = [tool_text(entry.server, entry.tool) for entry in entries.values()]
            self._snapshot = _Snapshot(entries, self._shelf.put(texts) if texts else None)

    def find(self, request: str, k: int) -> Finding:
        """Return the k tools that together cover the request, and the others of their servers, nearest first."""
        snapshot = self._snapshot
        if snapshot.shelved is None:
            return Finding()
        choice = snapshot.shelved.choose(request, k)
        entries = list(snapshot.entries.values())
        servers = {entries[i].server for i in choice.ids}
        return Finding(
            [(entries[i], weight) for i, weight in zip(choice.ids, choice.weights, strict=True)],
            [entries[i] for i in choice.order if i not in choice.ids and entries[i].server in servers],
        )

    def get(self, name: str) -> Entry | None:
        """Return the tool of that name, if there is one."""
        return self._snapshot.entries.get(name)

    @property
    def names(self) -> list[str]:
        """The names of all tools."""
        return list(self._snapshot.entries)


def _numbered(server: str, tools: Sequence[Tool]) -> list[Entry]:
    """Return the server's tools, those of one name told apart by a number."""
    seen: dict[str, int] = {}
    entries = []
    for tool in tools:
        seen[tool.name] = seen.get(tool.name, 0) + 1
        entries.append(Entry(server, tool, seen[tool.name]))
    return entries
