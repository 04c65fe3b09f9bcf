"""The documents among which a request is decided: all of a small corpus, of a large one the nearest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Floats, Keys
from coverset.decoders.kinds import Kinds
from coverset.decoders.requests import serves, together
from coverset.indexes import Index, MemoryIndex, ask, fetch, suiting, within
from coverset.indexes.ids import as_ids, present
from coverset.ranking import ascending, ranked
from coverset.selection import Selection
from coverset.vectors import Vectors

# Up to this many documents in memory, all of them are looked at.
SMALL = 2048
# Whoever asks for more than was searched for will again: so many times as much is searched for then.
DEEPER = 2


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
            out[which] = self.shared(targets.take(which), getattr(view, "share", 0.0))
        return out

    def without(self, barred: Collection[Hashable]) -> Field:
        """Return the field without some documents."""
        gone = frozenset(barred)
        kept = np.array([n for n, identifier in enumerate(self.ids.tolist()) if identifier not in gone], np.int64)
        return self if not gone else Field(self.ids[kept], self.vectors.take(kept), self.whole)

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
        self._index, self._targets, self._growing = index, targets, growing
        self._found: Keys = np.empty((len(targets), 0), np.int64)
        self._known: Field | None = None

    def field(self, depth: int) -> Field:
        """Return the documents nearest to any of the targets, so many of each."""
        index = self._index
        if isinstance(index, MemoryIndex) and (len(index) <= SMALL or depth >= len(index)):
            chosen = np.setdiff1d(np.arange(len(index)), index.blank, assume_unique=True)
            return Field(chosen, index.corpus if len(chosen) == len(index) else index.corpus.take(chosen), True)
        if depth > self._found.shape[1]:
            self._search(within(index, DEEPER * depth if self._growing else depth))
            self._growing = True
        assert self._known is not None
        ids = _listed(self._found[:, :depth])
        if len(ids) == len(self._known.ids):
            return self._known
        place = {identifier: n for n, identifier in enumerate(self._known.ids.tolist())}
        places = np.array([place[identifier] for identifier in ids.tolist()], np.int64)
        return Field(ids, self._known.vectors.take(places), False)

    def _search(self, depth: int) -> None:
        _, self._found = ask(self._index, self._targets, depth)
        ids = _listed(self._found)
        self._known = Field(ids, fetch(self._index, ids), len(ids) >= len(self._index))


def _listed(found: Keys) -> Keys:
    """Return what searches brought back, each once, by ascending id."""
    ids = as_ids(list(dict.fromkeys(found[present(found)].tolist())))
    return ids[ascending(ids)]


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
