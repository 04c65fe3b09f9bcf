"""A request solved for round after round, until no two documents of its answer are alike."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from coverset.decoders.combined import Combined
from coverset.decoders.cut import Cut
from coverset.decoders.field import Among, Surroundings
from coverset.decoders.kinds import Kinds
from coverset.decoders.requests import Requests
from coverset.decoders.solving import SMALL_KEPT, Solving
from coverset.indexes import Index, fetch, within
from coverset.selection import Selection

# Where kinds count, so many times the documents wanted are ranked: those left out make room.
ROOM = 4
# Where copies abound, those of so many kinds for each one wanted are left out before anything is solved for.
AHEAD = 2


@dataclass(frozen=True)
class Rounds:
    """How requests are decoded one by one: over which documents, how solved and cut, and what counts as alike."""

    index: Index
    solving: Solving
    cut: Cut
    kinds: Kinds | None

    def surroundings(self, asked: Requests) -> Surroundings:
        """Return what is near a request, not searched for yet."""
        return Surroundings(self.index, asked.targets(0))

    def depth(self, near: Surroundings) -> int | None:
        """Return how many documents near each target of a request are solved over, None: all that there are."""
        return self.solving.depth(self.index, len(near.targets), self._room)

    def decode(self, asked: Requests, near: Surroundings, l1: float, l2: float) -> Selection:
        """Decode one request, with its parts: solved again without what others stand for, till that is nothing."""
        depth, left_out, told = self.depth(near), dict[Hashable, Hashable](), set[Hashable]()
        if self.kinds is not None and self.kinds.common and self.cut.k is not None:
            ahead = near.kinds(self.kinds, depth or self._room, within(self.index, AHEAD * self.cut.k))
            left_out = ahead.left_out
            if depth is not None:  # all that is solved over has been compared with these
                depth, told = ahead.depth, set(ahead.kept)
        while True:
            among = None if depth is None else near.among(depth, left_out)
            solutions = self.solving.request(near.targets, self.index, among, l1, l2, self._room, list(left_out))
            complete = self.cut.whole and len(solutions[0].ids) == len(self.index)
            combined = Combined(solutions, asked.guessed)
            new = {} if self._apart(combined, told) else self._alike(combined, among)
            if not new:
                found = combined.select(self.cut, complete=complete)
                return replace(found, alike=_standing(found.ids.tolist(), left_out))
            left_out.update(new)

    def _apart(self, combined: Combined, told: set[Hashable]) -> bool:
        """Whether the answer is all of documents that were told apart, and nothing alike to them is left."""
        return bool(told) and told.issuperset(combined.solutions[0].ids[combined.order(self.cut)].tolist())

    def _alike(self, combined: Combined, among: Among | None) -> dict[Hashable, Hashable]:
        """Return what is to be left out, and the document that stands for it."""
        if self.kinds is None:
            return {}
        places = combined.order(self._deep)
        if among is None:
            ids = combined.solutions[0].ids[places]
            vectors, ranked = fetch(self.index, ids), np.arange(len(ids))
        else:
            ids, vectors, ranked = among.ids, among.vectors, among.places[places]
        kept, alike = self.kinds.walk(ids, vectors, ranked, self.cut.k or len(ranked))
        return {i: name for name, others in zip(ids[ranked[kept]].tolist(), alike, strict=True) for i in others}

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


def _standing(kept: list[Hashable], left_out: dict[Hashable, Hashable]) -> list[list[Hashable]]:
    """Return the documents that each of those kept stands for: it may do so for one that stood for them before."""
    others: dict[Hashable, list[Hashable]] = {name: [] for name in kept}
    for one, name in left_out.items():
        while name in left_out:
            name = left_out[name]
        if name in others:
            others[name].append(one)
    return [others[name] for name in kept]
