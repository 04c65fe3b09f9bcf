"""The tools of all servers as one index, in which a request finds the few that together do the job."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mcp.types import Tool

from coverset.integrations.mcp.answers import LINE, MARK, FoundTool, FoundTools, compact, one_line
from coverset.integrations.shelf import Shelf, Shelved
from coverset.integrations.tool_shapes import text_of, words

# How many tools are named that do the same as one that was found.
ALTERNATIVES = 5
# How many other tools of the servers are named.
SIBLINGS = 100


@dataclass(frozen=True, eq=False)
class Entry:
    """A tool of a server; `name` is `server/tool`, and `server/tool~2` for the second that a server calls so."""

    server: str
    tool: Tool
    number: int = 1

    @property
    def name(self) -> str:
        """The name under which the tool is found and called."""
        return f"{self.server}/{self.tool.name}" + (f"~{self.number}" if self.number > 1 else "")

    @cached_property
    def text(self) -> str:
        """The text that stands for it."""
        return text_of(self.tool, self.server)

    def namesake(self, other: Entry) -> bool:
        """Say whether a tool of another server has the same name."""
        return self.server != other.server and words(self.tool.name) == words(other.tool.name)

    @property
    def destructive(self) -> bool:
        """Whether the server says that the tool may destroy something."""
        hints = self.tool.annotations
        return hints is not None and bool(hints.destructive_hint) and not hints.read_only_hint

    def described(self) -> FoundTool:
        """Say everything of it."""
        return FoundTool(
            name=self.name,
            description=(self.tool.description or self.tool.title or "").strip(),
            destructive=self.destructive,
            inputSchema=compact(self.tool.input_schema),
        )

    def found(self, weight: float, alternatives: list[str]) -> FoundTool:
        """Say in a line what it does, how much of a request it explains, and which tools do the same."""
        full = self.described()
        told = {"weight": round(weight, 3), "alternatives": alternatives}
        return full.model_copy(update={"description": one_line(full.description, LINE), **told})


@dataclass(frozen=True)
class _Snapshot:
    """All tools at one moment. An answer is made from one snapshot, whatever changes meanwhile."""

    entries: dict[str, Entry] = field(default_factory=dict)
    shelved: Shelved | None = None
    changes: int = 0


class Catalogue:
    """What can be found, kept in step server by server.

    A server's tools are replaced together: only texts that are new are encoded, and the index is swapped
    whole. Its methods may be called from any thread.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._entries: dict[str, list[Entry]] = {}
        self._changes = 0
        self._snapshot = _Snapshot()
        self._lock, self._building = threading.Lock(), threading.Lock()

    def replace(self, server: str, tools: Sequence[Tool]) -> None:
        """Make these the server's tools. Of many servers that change at once, one builds the index for all."""
        with self._lock:
            self._entries[server] = _numbered(server, tools)
            self._changes += 1
            change = self._changes
        with self._building:
            if self._snapshot.changes >= change:
                return
            with self._lock:
                # By name, so that answers do not depend on which server was ready first.
                entries = {entry.name: entry for name in sorted(self._entries) for entry in self._entries[name]}
                changes = self._changes
            texts = [entry.text for entry in entries.values()]
            self._snapshot = _Snapshot(entries, self._shelf.put(texts) if texts else None, changes)

    def find(self, request: str, k: int, steps: Sequence[str] = ()) -> FoundTools:
        """Return the k tools that together cover the request and its steps, and the others of their servers."""
        snapshot = self._snapshot
        if snapshot.shelved is None:
            return FoundTools(tools=[], answered=False, steps={step: [] for step in steps}, unserved=list(steps))
        choice = snapshot.shelved.choose(request, k, steps)
        entries = list(snapshot.entries.values())
        chosen = [entries[i] for i in choice.ids]
        nearest = [entries[i] for i in choice.order if i not in choice.ids]
        tools = []
        for entry, weight, alike in zip(chosen, choice.weights, choice.alike, strict=True):
            same = [entries[i].name for i in alike] + [other.name for other in nearest if entry.namesake(other)]
            tools.append(entry.found(weight, list(dict.fromkeys(same))[:ALTERNATIVES]))
        serving = {step: [entries[i].name for i in ids] for step, ids in zip(steps, choice.steps, strict=True)}
        servers = {entry.server for entry in chosen}
        siblings = [entry.name for entry in nearest if entry.server in servers]
        return FoundTools(
            tools=tools,
            answered=choice.answered,
            steps=serving,
            unserved=[step for step, names in serving.items() if not names],
            siblings=siblings[:SIBLINGS],
            more_siblings=max(0, len(siblings) - SIBLINGS),
            note=MARK if tools else None,
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
