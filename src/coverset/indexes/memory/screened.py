"""The one question optimality asks of a corpus, put to an array in memory: which rows have u.r above a floor."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.indexes.memory.index import MemoryIndex
from coverset.indexes.memory.kept import Kept
from coverset.indexes.memory.samples import STEPS
from coverset.indexes.memory.scan import LARGE, rounding, scan
from coverset.products import quick_scores
from coverset.solvers.parallel import each
from coverset.sparse import Terms


@dataclass
class _Read:
    """What is known of a query's scores since a pass: those of the rows within reach, and the rest are lower.

    `rows` and their `scores` are those u.r that are at least `least`, for the residual r of the pass; bounds on
    them, where it was a rough one. Some were read `again`, for a residual `turned`; infinity where not.
    """

    residual: Array
    rows: Terms
    scores: Floats
    least: float
    turned: Array | None = None
    again: Floats | None = None


class Screened:
    """Ask an array in memory, for one batch of queries, round after round.

    Two things save passes over a large array. Where documents are alike, it is first asked for every 16th row,
    then for every 4th: the optimum over such a sample is near the true one, and the first full pass starts from
    there. And a pass keeps its highest scores u.r: when the residual has turned to r', a row can only reach the
    floor if u was near enough to r (see `needed`), so only such rows are read again: near the end, next to none.
    The very first pass keeps nothing, as the residual after it is far from the query.
    """

    ask = 256
    exact = True
    # Every so manieth row is asked, and how often; where there are at least so many rows, and they are alike.
    SAMPLES, ALIKE = tuple(zip(STEPS, (2, 1, sys.maxsize), strict=True)), 0.3

    def __init__(self, index: MemoryIndex, queries: int) -> None:
        self.index = index
        self.vectors = index.corpus
        self.longest, self.shortest = index.corpus.longest, index.corpus.shortest
        sampled = len(index) >= LARGE and index.crowding > self.ALIKE
        self._samples = list(self.SAMPLES if sampled else self.SAMPLES[-1:])
        self._begun = False
        self._read: list[_Read | None] = [None] * queries

    @property
    def stands_for(self) -> int:
        """How many rows each one that is being asked stands for."""
        return self._samples[0][0]

    @property
    def rounds(self) -> int:
        """How many searches to make at most: a sample's optimum need not be exact."""
        return self._samples[0][1]

    @property
    def whole(self) -> bool:
        """Whether every row is being asked, not a sample."""
        return self.stands_for == 1

    def finer(self) -> bool:
        """Go over from a sample to a larger one, and to all rows in the end; False when it was these already."""
        if self.whole:
            return False
        del self._samples[0]
        self._read = [None] * len(self._read)
        return True

    def above(self, batch: Ids, residuals: Array, floors: Array, most: int) -> list[Ids]:
        """Return, for each residual, the rows among which are the `most` best above its floor."""
        slack = rounding(self.index, residuals)
        lowest = floors - slack
        found: list[Ids] = [np.empty(0, np.int64)] * len(batch)
        reachable = self._reachable(batch, residuals, lowest - slack)
        full = [n for n, places in enumerate(reachable) if places is None]
        if full:
            for n, rows in zip(full, self._pass(batch[full], residuals[full], floors[full], most), strict=True):
                found[n] = rows

        def read(n: int) -> None:
            known, places = self._read[batch[n]], reachable[n]
            assert known is not None
            rows = known.rows[places].astype(np.int64)
            scores = quick_scores(self.vectors.rows, rows, residuals[n].astype(np.float32))
            if known.again is None:
                known.turned, known.again = residuals[n], np.full(len(known.rows), np.inf, np.float32)
                known.again[places] = scores
            keep = scores > lowest[n]
            if keep.sum() > most:
                keep &= scores >= np.partition(scores, len(scores) - most)[len(scores) - most] - slack[n]
            found[n] = rows[keep]

        each(read, [n for n, places in enumerate(reachable) if places is not None])
        return found

    def ids(self, rows: Ids) -> Ids:
        """Row numbers are ids here."""
        return rows

    def _pass(self, batch: Ids, residuals: Array, floors: Array, most: int) -> list[Ids]:
        """Read all rows (of the sample), and keep the highest scores."""
        kept = Kept(self._high(residuals), self.stands_for) if self._begun else None
        self._begun = True
        found = scan(self.index, residuals.astype(np.float32), most, floors, kept, self.stands_for)
        if kept is not None:
            for n, query in enumerate(batch):
                rows, scores = kept.of(n)
                self._read[query] = _Read(residuals[n], rows, scores + kept.error, kept.least[n] + kept.error)
        return found

    def _high(self, residuals: Array) -> Floats:
        """Return, for each residual, the score that as many rows reach as may be read for the price of a pass."""
        queries = np.array(len(residuals))
        share = min(0.5, float(_price(queries) / queries))
        scores = np.stack([self.index.some.times(residual) for residual in residuals])
        high: Floats = np.quantile(scores, 1.0 - share, axis=1).astype(np.float32)
        return high

    def _reachable(self, batch: Ids, residuals: Array, floors: Array) -> list[Ids | None]:
        """Return, for each residual, which known rows can score above its floor; None: a full pass is cheaper.

        The split costs least.
        """
        reached: list[Ids | None] = [None] * len(batch)

        def reach(n: int) -> None:
            known = self._read[batch[n]]
            if known is None:
                return
            least = needed(known.residual, residuals[n], floors[n], self.longest)
            if least < known.least:
                return
            within = known.scores > np.float32(least)
            if known.turned is not None and known.again is not None:
                within &= known.again > np.float32(needed(known.turned, residuals[n], floors[n], self.longest))
            reached[n] = np.flatnonzero(within)

        each(reach, range(len(batch)))
        counts = np.array([np.inf if places is None else len(places) for places in reached])
        order = np.argsort(counts)
        rest = np.arange(len(batch), -1, -1)
        total = -(-len(self.index) // self.stands_for)
        cost = np.where(rest > 0, _price(rest) * total, 0.0)
        split = int(np.argmin(np.concatenate([[0.0], np.cumsum(counts[order])]) + cost))
        for n in order[split:]:
            reached[n] = None
        return reached


def _price(queries: Ids) -> Array:
    """Return what a row costs in a full pass for so many queries, in units of a row read by itself for one."""
    price: Array = 1.7 + 0.056 * queries.astype(np.float64)
    return price


def needed(before: Array, after: Array, floor: float, longest: float) -> float:
    """Return, for residuals r and then r', the least u.r of any row u, at most `longest`, with u.r' >= floor.

    Of such rows the one with the least u.r lies in the plane of r and r', at the edge of what is allowed: its
    part along r' is f = floor / ||r'||, and the rest, sqrt(longest^2 - f^2), points away from r.
    """
    nothing = 1e-150  # in place of a residual of length 0
    old, new = (max(float(np.linalg.norm(r)), nothing) for r in (before, after))
    cosine = float(before @ after) / (old * new)
    sine = float(np.linalg.norm(after / new - (cosine / old) * before))
    along = min(max(floor / new, -longest), longest)
    if along <= -longest * cosine:
        return -np.inf
    return float(old * (along * cosine - np.sqrt(longest**2 - along**2) * sine))
