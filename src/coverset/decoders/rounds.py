"""A request solved for round after round, until no two documents of its answer are alike."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from coverset.decoders.combined import Combined
from coverset.decoders.cut import Cut
from coverset.decoders.field import Surroundings
from coverset.decoders.kinds import Kinds
from coverset.decoders.requests import Requests
from coverset.decoders.solving import SMALL_KEPT, Solving
from coverset.indexes import Index, fetch, within
from coverset.selection import Selection

# Where kinds count, so many times the documents wanted are ranked: those left out make room.
ROOM = 4


@dataclass(frozen=True)
class Rounds:
    """How requests are decoded one by one: over which documents, how solved and cut, and what counts as alike."""

    index: Index
    solving: Solving
    cut: Cut
    kinds: Kinds | None

    def surroundings(self, asked: Requests) -> Surroundings:
        """Return what is near a request, not searched for yet."""
        return Surroundings(self.index, asked.targets(0), growing=self.kinds is not None and self.kinds.common)

    def decode(self, asked: Requests, near: Surroundings, l1: float, l2: float) -> Selection:
        """Decode one request, with its parts: solved again without what others stand for, till that is nothing."""
        left_out = dict[Hashable, Hashable]()
        while True:
            solutions = self.solving.request(near, self.index, l1, l2, self._room, list(left_out))
            complete = self.cut.whole and len(solutions[0].ids) == len(self.index)
            combined = Combined(solutions, asked.guessed)
            new = self._alike(combined)
            if not new:
                found = combined.select(self.cut, complete=complete)
                others = [[i for i, name in left_out.items() if name == this] for this in found.ids.tolist()]
                return replace(found, alike=others)
            left_out.update(new)

    def _alike(self, combined: Combined) -> dict[Hashable, Hashable]:
        """Return what is to be left out, and the document that stands for it."""
        if self.kinds is None:
            return {}
        ranked = combined.solutions[0].ids[combined.order(self._deep)]
        kept, alike = self.kinds.walk(ranked, fetch(self.index, ranked), self.cut.k or len(ranked))
        return {i: name for name, others in zip(ranked[kept].tolist(), alike, strict=True) for i in others}

    @property
    def _room(self) -> int:
        """How many documents the solutions are to rank, at least."""
        if self.kinds is None or self.cut.k is None:
            return self.cut.k or 1
        return within(self.index, ROOM * self.cut.k)

    @property
    def _deep(self) -> Cut:
        """Where the ranking ends in which kinds are told apart.

        Where copies abound, all that is near is gone through at once: each round leaves out some more.
        """
        if self.kinds is None or self.cut.k is None:
            return self.cut
        return replace(self.cut, k=within(self.index, SMALL_KEPT) if self.kinds.common else self._room)
