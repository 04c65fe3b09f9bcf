"""The documents nearest to some queries: one search, and one fetch of vectors, for the whole batch."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from coverset.arrays import Array, Floats, Ids, Keys, Mask
from coverset.decoders.kinds import Kinds
from coverset.indexes import Index, ask, fetch
from coverset.indexes.ids import different, present
from coverset.vectors import Vectors


class Nearest:
    """What a search brought back, (B, depth), best first.

    Attributes
    ----------
    scores, ids
        As the index returned them; `found` says where there is a document, and not padding.
    """

    def __init__(self, index: Index, targets: Vectors, depth: int) -> None:
        self.index, self.targets, self.depth = index, targets, depth
        self.scores, self.ids = ask(index, targets, depth)
        self.found: Mask = present(self.ids)

    @cached_property
    def documents(self) -> tuple[Keys, Vectors]:
        """Every document found, once, by ascending id, and its vector."""
        ids, _ = self._different
        return ids, fetch(self.index, ids)

    @cached_property
    def places(self) -> Ids:
        """Where each document found stands among `documents`; 0 where there is none."""
        places = np.zeros(self.ids.shape, np.int64)
        places[self.found] = self._different[1]
        return places

    @cached_property
    def _different(self) -> tuple[Keys, Ids]:
        return different(self.ids[self.found])

    def few(self, count: int) -> Nearest:
        """Return the same with only the first so many documents of each query; only these are fetched."""
        less = Nearest.__new__(Nearest)
        less.index, less.targets, less.depth = self.index, self.targets, count
        less.scores, less.ids, less.found = self.scores[:, :count], self.ids[:, :count], self.found[:, :count]
        return less

    def alone(self, target: int) -> Nearest:
        """Return the same for one of the targets; what was fetched for all of them is not fetched again."""
        one, row = Nearest.__new__(Nearest), slice(target, target + 1)
        one.index, one.targets, one.depth = self.index, self.targets.take(row), self.depth
        one.scores, one.ids, one.found = self.scores[row], self.ids[row], self.found[row]
        one.documents, one.places = self.documents, self.places[row]
        return one

    def of_a_kind(self, count: int, kinds: Kinds) -> Nearest:
        """Return the same with only one document of each kind, and the first so many kinds."""
        (ids, vectors), less = self.documents, self.few(count)
        columns, less.found = np.zeros((len(self.ids), count), np.int64), np.zeros((len(self.ids), count), bool)
        for q in range(len(self.ids)):
            there = np.flatnonzero(self.found[q])
            places = self.places[q][there]
            kept, _ = kinds.walk(ids, vectors, places, count)
            columns[q, : len(kept)], less.found[q, : len(kept)] = there[kept], True
        less.scores = np.take_along_axis(self.scores, columns, axis=1)
        less.ids = np.take_along_axis(self.ids, columns, axis=1)
        less.documents, less.places = self.documents, np.take_along_axis(self.places, columns, axis=1)
        return less

    def written(self) -> tuple[Array, Floats]:
        """Return the documents' meaning, (B, depth, d), zero where there are none, and their lengths.

        Where a corpus has words only, it is their words that are written out.
        """
        _, vectors = self.documents
        rows = vectors.meaning if vectors.dim else vectors.flat()
        documents = np.zeros((*self.ids.shape, rows.shape[1]))
        documents[self.found] = rows[self.places[self.found]]
        lengths = np.where(self.found, vectors.norms[self.places] if len(vectors) else 0.0, 0.0)
        return documents, lengths
