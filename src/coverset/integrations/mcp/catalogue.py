"""The tools of all servers as one index, in which a request finds the few that together do the job."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from mcp.types import Tool

from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.encoders.cache import CachedEncoder
from coverset.encoders.protocol import Encoder
from coverset.indexes import MemoryIndex
from coverset.integrations.mcp.tool_text import tool_text


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
    rows: Floats | None = None
    index: MemoryIndex | None = None


class Catalogue:
    """What can be found, kept in step server by server.

    A server's tools are replaced together: only texts that are new are encoded, and the index is swapped
    whole. Its methods may be called from any thread.

    Parameters
    ----------
    encoder
        Makes vectors of tools and requests.
    decoder
        Picks the tools.
    kept
        A folder where vectors of tools are kept by text, so that the next start need not encode them.
    """

    def __init__(self, encoder: Encoder, decoder: Decoder, kept: Path | None = None) -> None:
        self._encoder, self._decoder = encoder, decoder
        self._documents = encoder if kept is None else CachedEncoder(encoder, kept)
        self._entries: dict[str, list[Entry]] = {}
        self._vectors: dict[str, dict[str, Floats]] = {}
        self._snapshot = _Snapshot()
        self._lock = threading.Lock()

    def replace(self, server: str, tools: Sequence[Tool]) -> None:
        """Make these the server's tools; with none, its vectors are kept for when it comes back."""
        texts = [tool_text(server, tool) for tool in tools]
        with self._lock:
            known = self._vectors.setdefault(server, {})
            if tools:
                new = [text for text in dict.fromkeys(texts) if text not in known]
                vectors = {**known, **dict(zip(new, self._documents.encode(new), strict=True))} if new else known
                self._vectors[server] = {text: vectors[text] for text in texts}
            self._entries[server] = _numbered(server, tools)
            self._snapshot = self._take()

    def find(self, request: str, k: int) -> Finding:
        """Return the k tools that together cover the request, and the others of their servers, nearest first."""
        snapshot = self._snapshot
        if snapshot.index is None or snapshot.rows is None:
            return Finding()
        query = self._encoder.encode_queries([request])[0]
        selection = self._decoder.decode(query, snapshot.index, k=k)
        entries = list(snapshot.entries.values())
        chosen = set(selection.ids.tolist())
        servers = {entries[i].server for i in chosen}
        order = np.argsort(-(snapshot.rows @ query), kind="stable").tolist()
        return Finding(
            [(entries[i], float(w)) for i, w in zip(selection.ids, selection.weights, strict=True)],
            [entries[i] for i in order if i not in chosen and entries[i].server in servers],
        )

    def get(self, name: str) -> Entry | None:
        """Return the tool of that name, if there is one."""
        return self._snapshot.entries.get(name)

    @property
    def names(self) -> list[str]:
        """The names of all tools."""
        return list(self._snapshot.entries)

    def _take(self) -> _Snapshot:
        entries = {entry.name: entry for some in self._entries.values() for entry in some}
        if not entries:
            return _Snapshot()
        rows = np.stack(
            [self._vectors[entry.server][tool_text(entry.server, entry.tool)] for entry in entries.values()]
        )
        index = MemoryIndex(rows)
        # What is compiled or computed with the first answer is then ready before a request comes.
        self._decoder.decode(rows[0], index, k=1)
        return _Snapshot(entries, rows, index)


def _numbered(server: str, tools: Sequence[Tool]) -> list[Entry]:
    """Return the server's tools, those of one name told apart by a number."""
    seen: dict[str, int] = {}
    entries = []
    for tool in tools:
        seen[tool.name] = seen.get(tool.name, 0) + 1
        entries.append(Entry(server, tool, seen[tool.name]))
    return entries
