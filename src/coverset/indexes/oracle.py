"""The one question optimality asks of a corpus: which documents have u.r above a floor.

`Searched` answers it with any index's ordinary search. `Screened` answers it for an array in memory, and
reads only what can have changed since it last read everything.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.indexes.ids import as_ids, present
from coverset.indexes.memory import MemoryIndex
from coverset.indexes.protocol import Index
from coverset.indexes.scan import rounding, scan
from coverset.indexes.scattered import scattered_scores
from coverset.solvers.parallel import each

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


class Searched:
    """Ask any index: search with r, keep what scores above the floor, fetch each vector once.

    An approximate index that is to certify its answer is asked as it is first, and exhaustively once it has
    nothing more to say, if it can be.
    """

    rounds = 32
    whole = True

    def __init__(self, index: Index, *, certify: bool = False) -> None:
        self.index = index
        self.ask: int = getattr(index, "ask", 256)
        self._room: Floats = np.empty((0, index.dim), np.float32)
        self.rows = self._room
        self.longest = 0.0
        self._exactly = getattr(index, "exactly", lambda: None) if certify and not index.exact else lambda: None
        self._row: dict[Any, int] = {}
        self._ids: list[Any] = []

    @property
    def exact(self) -> bool:
        """Whether what was not found is not there."""
        return self.index.exact

    def above(self, _batch: Ids, residuals: Array, floors: Array, most: int) -> list[Ids]:
        """Return, for each residual, the rows of the `most` best documents that score above its floor."""
        lowest = floors - 1e-5 * max(self.longest, 1.0) * np.linalg.norm(residuals, axis=1)
        scores, ids = self._search(residuals.astype(np.float32), lowest, most)
        listed = present(ids) & (scores > lowest[:, None])
        self._fetch(ids[listed])
        return [np.array([self._row[i] for i in ids[n, listed[n]].tolist()], np.int64) for n in range(len(ids))]

    def finer(self) -> bool:
        """Go over to exhaustive searches; False when there is no need, or no way."""
        exhaustive = self._exactly()
        self._exactly = lambda: None
        self.index = exhaustive or self.index
        return exhaustive is not None

    def ids(self, rows: Ids) -> NDArray[Any]:
        """Return the index's ids of these rows."""
        return as_ids([self._ids[row] for row in rows.tolist()])

    def _search(self, residuals: Floats, lowest: Array, most: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Search; an index that can send vectors along saves a round trip."""
        together = getattr(self.index, "search_with_vectors", None)
        if together is None:
            scores, ids = self.index.search(residuals, most)
        else:
            scores, ids, new, vectors = together(residuals, most, lowest, as_ids(self._ids))
            self._add(new.tolist(), vectors)
        return np.asarray(scores), np.asarray(ids)

    def _fetch(self, ids: NDArray[Any]) -> None:
        new = [i for i in dict.fromkeys(ids.tolist()) if i not in self._row]
        if new:
            self._add(new, self.index.vectors(as_ids(new)))

    def _add(self, new: list[Any], vectors: Any) -> None:
        if new:
            rows = np.ascontiguousarray(vectors, np.float32)
            self.longest = max(self.longest, float(np.linalg.norm(rows, axis=1).max()))
            self._row.update(zip(new, range(len(self._row), len(self._row) + len(new)), strict=True))
            self._ids += new
            if len(self._ids) > len(self._room):  # doubled, so that rows are not copied at every search
                self._room = np.concatenate([self.rows, np.empty((len(self._ids), self.index.dim), np.float32)])
            self._room[len(self.rows) : len(self._ids)] = rows
            self.rows = self._room[: len(self._ids)]


class Screened:
    """Ask an array in memory, for one batch of queries, round after round.

    Two things save passes over a large array. Where documents are alike, it is first asked for every 16th
    row only: the optimum over such a sample is near the true one, and the first full pass starts from there.
    And a pass keeps its scores s with the residual r they belong to: when the residual has moved to r',
    u.r' <= s + ||u|| ||r' - r||, so only rows for which this bound reaches the floor are read again: near
    the end, next to none.
    """

    ask = 256
    rounds = sys.maxsize
    exact = True
    SAMPLE, LARGE, ALIKE = 16, 65536, 0.3

    def __init__(self, index: MemoryIndex, queries: int) -> None:
        self.index = index
        self.rows = index.rows
        self.longest = float(index.norms.max())
        sampled = len(index) >= self.LARGE and index.crowding > self.ALIKE
        self._step = self.SAMPLE if sampled else 1
        self._scores = np.empty((queries, len(index)), np.float32)
        self._residuals = np.full((queries, index.dim), np.inf)

    @property
    def whole(self) -> bool:
        """Whether every row is being asked, not a sample."""
        return self._step == 1

    def finer(self) -> bool:
        """Go over from the sample to all rows; False when it was all rows already."""
        coarse = not self.whole
        self._step = 1
        self._residuals[:] = np.inf
        return coarse

    def above(self, batch: Ids, residuals: Array, floors: Array, most: int) -> list[Ids]:
        """Return, for each residual, the rows among which are the `most` best above its floor."""
        slack = rounding(self.index, residuals)
        lowest = floors - slack
        reachable = self._reachable(batch, residuals, lowest - slack)
        found: list[Ids] = [np.empty(0, np.int64)] * len(batch)
        full = [n for n, rows in enumerate(reachable) if rows is None]
        if full:
            for n, rows in zip(full, self._pass(batch[full], residuals[full], floors[full], most), strict=True):
                found[n] = rows

        def read(n: int) -> None:
            rows = reachable[n]
            scores = scattered_scores(self.rows, rows, residuals[n].astype(np.float32))
            keep = scores > lowest[n]
            if keep.sum() > most:
                keep &= scores >= np.partition(scores, len(scores) - most)[len(scores) - most] - slack[n]
            found[n] = rows[keep]

        each(read, [n for n, rows in enumerate(reachable) if rows is not None])
        return found

    def ids(self, rows: Ids) -> Ids:
        """Row numbers are ids here."""
        return rows

    def _pass(self, batch: Ids, residuals: Array, floors: Array, most: int) -> list[Ids]:
        """Read all rows (of the sample), and keep the scores."""
        self._residuals[batch] = residuals

        def keep(start: int, scores: Floats) -> None:
            self._scores[batch, start : start + len(scores)] = scores.T

        return scan(self.index, residuals.astype(np.float32), most, floors, keep, self._step)

    def _reachable(self, batch: Ids, residuals: Array, floors: Array) -> list[Any]:
        """Return, for each residual, the rows that can score above its floor; None: a full pass is cheaper.

        The split costs least, in units of one row read by itself: a full pass over N rows for m queries
        takes about (1.7 + 0.056 m) N of them.
        """
        moved = np.linalg.norm(residuals - self._residuals[batch], axis=1)
        total = -(-len(self.index) // self._step)
        reached: list[Any] = [None] * len(batch)
        counts = np.full(len(batch), np.inf)

        def count(n: int) -> None:
            if np.isfinite(moved[n]):
                reached[n] = self._scores[batch[n], :total] > np.float32(floors[n] - moved[n] * self.longest)
                counts[n] = np.count_nonzero(reached[n])

        each(count, range(len(batch)))
        order = np.argsort(counts)
        rest = np.arange(len(batch), -1, -1)
        cost = np.where(rest > 0, (1.7 + 0.056 * rest) * total, 0.0)
        split = int(np.argmin(np.concatenate([[0.0], np.cumsum(counts[order])]) + cost))
        rows: list[Any] = [None] * len(batch)
        for n in order[:split]:
            rows[n] = np.flatnonzero(reached[n]) * self._step
        return rows


def oracle(index: Index, queries: int, *, certify: bool) -> Any:
    """Return the way to put the question to this index, for a batch of that many queries."""
    return Screened(index, queries) if isinstance(index, MemoryIndex) else Searched(index, certify=certify)
