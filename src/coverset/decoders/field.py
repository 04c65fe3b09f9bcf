"""The documents among which a request is decided: all of a small corpus, of a large one the nearest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Floats, Keys
from coverset.decoders.kinds import Kinds
from coverset.decoders.nearest import Nearest
from coverset.decoders.requests import serves, together
from coverset.indexes import Index, at_hand, kind, suiting, within
from coverset.ranking import ranked
from coverset.selection import Selection
from coverset.vectors import Vectors

# Up to this many documents in memory, all of them are looked at.
SMALL = 2048
# Who will ask for more is searched for so many times as much from the start; and whoever did ask for more than was
# searched for will again, for a little more.
DEEPER, AGAIN = 2, 1.5


@dataclass(frozen=True, eq=False)
class Field:
    """Documents, by ascending id, and their vectors; `whole`: they are all that the corpus has."""

    ids: Keys
    vectors: Vectors
    whole: bool

    @classmethod
    def around(cls, index: Index, targets: Vectors, depth: int) -> Field:
        """Return the documents nearest to any of the targets, so many of each."""
        return Surroundings(index, targets).field(depth)

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
    """What is near the targets of one request: searched for once, however often some more of it is asked for.

    `growing`: more will be, so that it is searched deeper from the start.
    """

    def __init__(self, index: Index, targets: Vectors, *, growing: bool = False) -> None:
        self._index, self.targets, self._growing = index, targets, growing
        self._found: Nearest | None = None

    def whole(self, depth: int) -> Nearest:
        """Return the documents nearest to the request as a whole, at least so many."""
        return self._nearest(depth).alone(0)

    def field(self, depth: int, barred: Collection[Hashable] = ()) -> Field:
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
        if kept.all():
            return Field(ids, vectors, whole)
        return Field(ids[kept], vectors.take(np.flatnonzero(kept)), whole)

    def _nearest(self, depth: int) -> Nearest:
        if self._found is None or depth > self._found.depth:
            first = DEEPER if self._growing else 1
            deeper = int((first if self._found is None else AGAIN) * depth)
            self._found = Nearest(self._index, self.targets, within(self._index, deeper))
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
            places, alike = kinds.walk(field.ids[order], field.vectors.take(order), k)
            kept = order[places]
        if len(kept) == k or field.whole or depth >= len(index):
            chosen = np.asarray(values[kept], np.float32)
            return Selection(field.ids[kept], chosen, alike=alike, serves=serves(scores[:, kept]))
        depth *= 4
