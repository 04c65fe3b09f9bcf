"""The one question optimality asks of a corpus: which documents have u.r above a floor.

`Searched` answers it with any index's ordinary search; `screened.py` answers it for an array in memory, and reads
only what can have changed since it last read everything.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from coverset.arrays import Array, Floats, Ids, Keys
from coverset.indexes.ids import as_ids, present
from coverset.indexes.memory.index import MemoryIndex
from coverset.indexes.memory.screened import Screened
from coverset.indexes.protocol import AsksFor, Index, SearchesExhaustively, SearchesQuickly, SendsVectors
from coverset.vectors import Vectors

# How many documents a search asks for, unless the index knows better.
ASK = 256


class Searched:
    """Ask any index: search with r, keep what scores above the floor, fetch each vector once.

    An approximate index is asked quickly first, if it can be, and with all its effort once that has nothing more
    to say; one that is to certify its answer is asked exhaustively after that.
    """

    rounds = 32
    stands_for = 1
    whole = True

    def __init__(self, index: Index, *, certify: bool = False) -> None:
        quick = index.quicker() if isinstance(index, SearchesQuickly) else None
        sure = certify and not index.exact
        exhaustive = index.exactly() if sure and isinstance(index, SearchesExhaustively) else None
        steps: list[Index] = [step for step in (quick, index, exhaustive) if step is not None]
        self.index, self._finer = steps[0], steps[1:]
        self.ask = index.ask if isinstance(index, AsksFor) else ASK
        self._room: Floats = np.empty((0, index.dim), np.float32)
        self.vectors = Vectors.of(self._room)
        self.longest, self.shortest = 0.0, np.inf
        self._row: dict[Hashable, int] = {}
        self._ids: list[Hashable] = []

    @property
    def exact(self) -> bool:
        """Whether what was not found is not there."""
        return self.index.exact

    def above(self, _batch: Ids, residuals: Vectors, floors: Array, most: int) -> list[Ids]:
        """Return, for each residual, the rows of the `most` best documents that score above its floor."""
        lowest = floors - 1e-5 * self.longest * residuals.norms
        scores, ids = self._search(residuals.meaning, lowest, most)
        listed = present(ids) & (scores > lowest[:, None])
        self._fetch(ids[listed])
        return [np.array([self._row[i] for i in ids[n, listed[n]].tolist()], np.int64) for n in range(len(ids))]

    def finer(self) -> bool:
        """Go over to searches with more effort; False when there are none."""
        if not self._finer:
            return False
        self.index = self._finer.pop(0)
        return True

    def ids(self, rows: Ids) -> Keys:
        """Return the index's ids of these rows."""
        return as_ids([self._ids[row] for row in rows.tolist()])

    def _search(self, residuals: Floats, lowest: Array, most: int) -> tuple[Floats, Keys]:
        """Search; an index that can send vectors along saves a round trip."""
        if not isinstance(self.index, SendsVectors):
            scores, ids = self.index.search(residuals, most)
            return np.asarray(scores), np.asarray(ids)
        scores, ids, new, vectors = self.index.search_with_vectors(residuals, most, lowest, as_ids(self._ids))
        self._add(new.tolist(), vectors)
        return scores, ids

    def _fetch(self, ids: Keys) -> None:
        new = [i for i in dict.fromkeys(ids.tolist()) if i not in self._row]
        if new:
            self._add(new, self.index.vectors(as_ids(new)))

    def _add(self, new: list[Hashable], vectors: Floats | Vectors) -> None:
        if new:
            rows = np.ascontiguousarray(Vectors.of(vectors).meaning, np.float32)
            lengths = np.linalg.norm(rows, axis=1)
            self.longest = max(self.longest, float(lengths.max()))
            self.shortest = min(self.shortest, float(lengths[lengths > 0].min(initial=np.inf)))
            self._row.update(zip(new, range(len(self._row), len(self._row) + len(new)), strict=True))
            self._ids += new
            if len(self._ids) > len(self._room):  # doubled, so that rows are not copied at every search
                empty = np.empty((len(self._ids), self.index.dim), np.float32)
                self._room = np.concatenate([self.vectors.meaning, empty])
            self._room[len(self.vectors) : len(self._ids)] = rows
            self.vectors = Vectors.of(self._room[: len(self._ids)])


def oracle(index: Index, queries: int, *, certify: bool) -> Screened | Searched:
    """Return the way to put the question to this index, for a batch of that many queries."""
    return Screened(index, queries) if isinstance(index, MemoryIndex) else Searched(index, certify=certify)
