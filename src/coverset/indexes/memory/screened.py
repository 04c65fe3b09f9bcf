"""The one question optimality asks of a corpus, put to an array in memory: which rows have u.r above a floor."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.indexes.memory.index import MemoryIndex
from coverset.indexes.memory.scan import rounding, scan
from coverset.products import quick_scores
from coverset.solvers.parallel import each


class Screened:
    """Ask an array in memory, for one batch of queries, round after round.

    Two things save passes over a large array. Where documents are alike, it is first asked for every 16th
    row only: the optimum over such a sample is near the true one, and the first full pass starts from there.
    And a pass keeps its scores u.r: when the residual has turned to r', a row can only reach the floor if u was
    near enough to r (see `needed`), so only such rows are read again: near the end, next to none. The very first
    pass keeps nothing, as the residual after it is far from the query.
    """

    ask = 256
    rounds = sys.maxsize
    exact = True
    SAMPLE, LARGE, ALIKE = 16, 65536, 0.3

    def __init__(self, index: MemoryIndex, queries: int) -> None:
        self.index = index
        self.vectors = index.corpus
        self.longest = float(index.norms.max())
        self.shortest = float(index.norms[index.norms > 0].min(initial=self.longest))
        sampled = len(index) >= self.LARGE and index.crowding > self.ALIKE
        self._step = self.SAMPLE if sampled else 1
        self._begun = False
        self._scores = np.empty((queries, len(index)), np.float32)
        self._residuals = np.full((queries, index.corpus.dim + index.corpus.width), np.inf)

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
            scores = quick_scores(self.vectors.rows, rows, residuals[n].astype(np.float32))
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

        def keep(start: int, scores: Floats) -> None:
            self._scores[batch, start : start + len(scores)] = scores.T

        if self._begun:
            self._residuals[batch] = residuals
        watch = keep if self._begun else None
        self._begun = True
        return scan(self.index, residuals.astype(np.float32), most, floors, watch, self._step)

    def _reachable(self, batch: Ids, residuals: Array, floors: Array) -> list[Any]:
        """Return, for each residual, the rows that can score above its floor; None: a full pass is cheaper.

        The split costs least, in units of one row read by itself: a full pass over N rows for m queries
        takes about (1.7 + 0.056 m) N of them.
        """
        known = np.isfinite(self._residuals[batch, 0])
        lowest = np.full(len(batch), -np.inf)
        lowest[known] = needed(self._residuals[batch[known]], residuals[known], floors[known], self.longest)
        total = -(-len(self.index) // self._step)
        reached: list[Any] = [None] * len(batch)
        counts = np.full(len(batch), np.inf)

        def count(n: int) -> None:
            if known[n]:
                reached[n] = self._scores[batch[n], :total] > np.float32(lowest[n])
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


def needed(before: Array, after: Array, floors: Array, longest: float) -> Array:
    """Return, for residuals r and then r', the least u.r of any row u, at most `longest`, with u.r' >= floor.

    Of such rows the one with the least u.r lies in the plane of r and r', at the edge of what is allowed: its
    part along r' is f = floor / ||r'||, and the rest, sqrt(longest^2 - f^2), points away from r.
    """
    nothing = 1e-150  # in place of a residual of length 0
    old, new = (np.maximum(np.linalg.norm(r, axis=1), nothing) for r in (before, after))
    cosine = np.einsum("qd,qd->q", before, after) / (old * new)
    sine = np.linalg.norm(after / new[:, None] - (cosine / old)[:, None] * before, axis=1)
    along = np.clip(floors / new, -longest, longest)
    least = old * (along * cosine - np.sqrt(longest**2 - along**2) * sine)
    return np.where(along > -longest * cosine, least, -np.inf)
