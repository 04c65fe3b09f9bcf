"""The tools of all servers as one index, in which a request finds the few that together do the job."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from mcp.types import Tool

from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.encoders.protocol import Encoder
from coverset.indexes import MemoryIndex
from coverset.integrations.mcp.tool_text import tool_text


@dataclass(frozen=True)
class Entry:
    """A tool of a server; its `name` here is `server/tool`, so that no two are the same."""

    server: str
    tool: Tool

    @property
    def name(self) -> str:
        """The name under which the tool is found and called."""
        return f"{self.server}/{self.tool.name}"


@dataclass(frozen=True)
class _Snapshot:
    """All tools at one moment. An answer is made from one snapshot, whatever changes meanwhile."""

    entries: dict[str, Entry] = field(default_factory=dict)
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
    """

    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        self._encoder, self._decoder = encoder, decoder
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
                vectors = {**known, **dict(zip(new, self._encoder.encode(new), strict=True))} if new else known
                self._vectors[server] = {text: vectors[text] for text in texts}
            self._entries[server] = [Entry(server, tool) for tool in tools]
            self._snapshot = self._take()

    def find(self, request: str, k: int) -> list[tuple[Entry, float]]:
        """Return the k tools that together cover the request, best first, and the weight of each."""
        snapshot = self._snapshot
        if snapshot.index is None:
            return []
        selection = self._decoder.decode(self._encoder.encode_queries([request])[0], snapshot.index, k=k)
        entries = list(snapshot.entries.values())
        return [(entries[i], float(w)) for i, w in zip(selection.ids, selection.weights, strict=True)]

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
        rows = [self._vectors[entry.server][tool_text(entry.server, entry.tool)] for entry in entries.values()]
        index = MemoryIndex(np.stack(rows))
        # What is compiled or computed with the first answer is then ready before a request comes.
        self._decoder.decode(rows[0], index, k=1)
        return _Snapshot(entries, index)
