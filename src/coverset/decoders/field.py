"""The documents among which a request is decided: all of a small corpus, of a large one the nearest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coverset.arrays import Floats, Ids, Keys
from coverset.decoders.kinds import Kinds
from coverset.decoders.nearest import Nearest
from coverset.decoders.requests import serves, together
from coverset.indexes import Index, at_hand, kind, suiting, within
from coverset.ranking import ranked
from coverset.selection import Selection
from coverset.vectors import Vectors

# Up to this many documents in memory, all of them are looked at.
SMALL = 2048
# Where too few kinds were found, so many times as many documents are searched for.
DEEPER = 4


class Standing(NamedTuple):
    """Documents no two of which are alike, and for each that is alike to one of them the one that stands for it.

    They were told apart among those that were found `depth` deep.
    """

    depth: int
    kept: list[Hashable]
    left_out: dict[Hashable, Hashable]


class Among(NamedTuple):
    """Some of the documents that were fetched, by their places, which ascend as their ids do.

    `whole`: these are all that the corpus has.
    """

    ids: Keys
    vectors: Vectors
    places: Ids
    whole: bool


@dataclass(frozen=True, eq=False)
class Field:
    """Documents, by ascending id, and their vectors; `whole`: they are all that the corpus has."""

    ids: Keys
    vectors: Vectors
    whole: bool

    @classmethod
    def around(cls, index: Index, targets: Vectors, depth: int) -> Field:
        """Return the documents nearest to any of the targets, so many of each."""
        ids, vectors, places, whole = Surroundings(index, targets).among(depth)
        if len(places) == len(ids):
            return cls(ids, vectors, whole)
        return cls(ids[places], vectors.take(places), whole)

    def scores(self, targets: Vectors, index: Index) -> Floats:
        """Return the (targets, documents) inner products; what lacks a half gives its share to the other."""
        out = np.empty((len(targets), len(self.ids)), np.float32)
        for which, view in suiting(index, targets):
            out[which] = targets.take(which).as_in(kind(view)).scored(self.vectors.as_in(kind(view)))
        return out

    def nearest(self, targets: Vectors, index: Index, count: int) -> Field:
        """Return the so many documents of the field that count most for the request."""
        chosen = np.sort(ranked(together(self.scores(targets, index))[None], count)[0])
        return Field(self.ids[chosen], self.vectors.take(chosen), False)

    def shared(self, targets: Vectors, share: float) -> Floats:
        """Return the (targets, documents) inner products under a share of words; equal documents score equal."""
        if not targets.width:
            return targets.scored(self.vectors)
        return targets.sharing(share).scored(self.vectors.sharing(share))


class Surroundings:
    """What is near the targets of one request: searched for once, unless more of it is asked for."""

    def __init__(self, index: Index, targets: Vectors) -> None:
        self._index, self.targets = index, targets
        self._found: Nearest | None = None

    def whole(self, depth: int) -> Nearest:
        """Return the documents nearest to the request as a whole, at least so many."""
        return self._nearest(depth).alone(0)

    def among(self, depth: int, barred: Collection[Hashable] = ()) -> Among:
        """Return the documents nearest to any of the targets, so many of each, without some of them."""
        here = at_hand(self._index)
        if here is not None and (len(here) <= SMALL or depth >= len(here)):
            ids, vectors, whole = here.ids, here.corpus, True
            kept = here.norms > 0
        else:
            near = self._nearest(depth)
            ids, vectors = near.documents
            kept = np.zeros(len(ids), bool)
            kept[near.places[:, :depth][near.found[:, :depth]]] = True
            whole = len(ids) >= len(self._index) and bool(kept.all())
        if barred:
            kept &= np.array([identifier not in barred for identifier in ids.tolist()], bool)
        return Among(ids, vectors, np.flatnonzero(kept), whole)

    def kinds(self, kinds: Kinds, depth: int, count: int) -> Standing:
        """Return the best documents of so many kinds, by the target nearest to each, and what they stand for."""
        while True:
            near = self._nearest(depth)
            ids, vectors = near.documents
            best = np.full(len(ids), -np.inf, np.float32)
            np.maximum.at(best, near.places[near.found], near.scores[near.found])
            order = ranked(best[None], len(best))[0]
            kept, alike = kinds.walk(ids, vectors, order, count)
            depth = within(self._index, DEEPER * near.depth)
            if len(kept) == count or depth == near.depth or not near.found.all():
                names = ids[order[kept]].tolist()
                left_out = {i: name for name, others in zip(names, alike, strict=True) for i in others}
                return Standing(near.depth, names, left_out)

    def _nearest(self, depth: int) -> Nearest:
        if self._found is None or depth > self._found.depth:
            self._found = Nearest(self._index, self.targets, within(self._index, depth))
        return self._found


def decide(
    index: Index,
    targets: Vectors,
    k: int,
    kinds: Kinds | None,
    worth: Callable[[Field, Vectors], tuple[Floats, Floats]],
    depth: int,
) -> Selection:
    """Pick the k best documents of one request; where kinds count, k kinds.

    `worth` returns what each document of a field counts for the request, and its (targets, documents) scores.
    The field grows until there are k kinds in it, or nothing more to add.
    """
    while True:
        field = Field.around(index, targets, depth)
        values, scores = worth(field, targets)
        order = ranked(values[None], min(depth, len(values)))[0]
        kept = order[:k]
        alike: list[list[Hashable]] = []
        if kinds is not None:
            places, alike = kinds.walk(field.ids, field.vectors, order, k)
            kept = order[places]
        if len(kept) == k or field.whole or depth >= len(index):
            chosen = np.asarray(values[kept], np.float32)
            return Selection(field.ids[kept], chosen, alike=alike, serves=serves(scores[:, kept]))
        depth *= DEEPER
