"""The one question optimality asks of a corpus, put to an array in memory: which rows have u.r above a floor."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Array, Floats, Ids
from coverset.indexes.memory.index import MemoryIndex
from coverset.indexes.memory.kept import TOP, Kept
from coverset.indexes.memory.samples import STEPS
from coverset.indexes.memory.scan import LARGE, read_in_full, rounding, scan
from coverset.solvers.parallel import each
from coverset.sparse import Terms

# What a row costs to fetch, and then with each query of a pass, in units of what it costs with one that reads it.
FETCH, TOGETHER = 6.0, 0.6
# Rows are read for so few queries, on average, that what is noted of it is small beside the rows: 1 in 64 numbers.
NOTED = 64


@dataclass
class _Read:
    """What is known of a query's scores since a pass: bounds on all u.r, for the residual r of the pass.

    A score is below `error` plus `unit` times the row's code. Some were read `again`, for a residual `turned`:
    those in the places `read`.
    """

    residual: Array
    codes: NDArray[np.uint8]
    unit: float
    error: float
    turned: Array | None = None
    read: Terms = field(default_factory=lambda: np.empty(0, np.int32))
    again: Floats = field(default_factory=lambda: np.empty(0, np.float32))


class Screened:
    """Ask an array in memory, for one batch of queries, round after round.

    Two things save passes over a large array. Where documents are alike, it is first asked for every 16th row,
    then for every 4th: the optimum over such a sample is near the true one, and the first full pass starts from
    there. And a pass keeps bounds on its scores u.r: when the residual has turned to r', a row can only reach the
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
        asked = [n for n, places in enumerate(reachable) if places is not None]
        lists = [places for places in reachable if places is not None]
        members = lists if self.whole else [places * np.int32(self.stands_for) for places in lists]
        read = read_in_full(self.vectors, members, residuals[asked].astype(np.float32))
        for n, places, scores in zip(asked, lists, read, strict=True):
            known = self._read[batch[n]]
            assert known is not None
            if known.turned is None:
                known.turned, known.read, known.again = residuals[n], places, scores
            keep = scores > lowest[n]
            if keep.sum() > most:
                keep &= scores >= np.partition(scores, len(scores) - most)[len(scores) - most] - slack[n]
            found[n] = places[keep].astype(np.int64) * self.stands_for
        return found

    def ids(self, rows: Ids) -> Ids:
        """Row numbers are ids here."""
        return rows

    def _pass(self, batch: Ids, residuals: Array, floors: Array, most: int) -> list[Ids]:
        """Read all rows (of the sample), and keep bounds on their scores."""
        highest = (self.longest * np.linalg.norm(residuals, axis=1)).astype(np.float32)
        kept = Kept(highest, self._total) if self._begun else None
        self._begun = True
        found = scan(self.index, residuals.astype(np.float32), most, floors, kept, self.stands_for)
        if kept is not None:
            for n, query in enumerate(batch):
                self._read[query] = _Read(residuals[n], kept.codes[n], float(kept.unit[n]), kept.error)
        return found

    @property
    def _total(self) -> int:
        """How many rows are being asked."""
        return -(-len(self.index) // self.stands_for)

    def _reachable(self, batch: Ids, residuals: Array, floors: Array) -> list[Terms | None]:
        """Return, for each residual, in which places known rows can score above its floor; None: pass over all.

        The split costs least.
        """
        reached: list[Terms | None] = [None] * len(batch)

        def reach(n: int) -> None:
            known = self._read[batch[n]]
            if known is None:
                return
            least = needed(known.residual, residuals[n], floors[n], self.longest)
            code = (least - known.error) / known.unit
            if code < 1.0:
                return
            within = known.codes > np.uint8(min(code, TOP))
            if known.turned is not None:
                low = known.again <= np.float32(needed(known.turned, residuals[n], floors[n], self.longest))
                within[known.read[low]] = False
            reached[n] = np.flatnonzero(within).astype(np.int32)

        each(reach, range(len(batch)))
        counts = np.array([np.inf if places is None else len(places) for places in reached])
        order = np.argsort(counts)
        pairs = np.concatenate([[0.0], np.cumsum(counts[order])])
        rest = np.arange(len(batch), -1, -1)
        cost = pairs + FETCH * np.minimum(pairs, self._total)
        cost += np.where(rest > 0, (FETCH + TOGETHER * rest) * self._total, 0.0)
        cost[pairs > self._total * max(1, self.vectors.dim // NOTED)] = np.inf
        for n in order[int(np.argmin(cost)) :]:
            reached[n] = None
        return reached


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
