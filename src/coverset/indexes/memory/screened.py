"""The one question optimality asks of a corpus, put to an array in memory: which rows have u.r above a floor."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from coverset.arrays import Array, Ids
from coverset.indexes.memory.bounds import Bounds, Turned
from coverset.indexes.memory.index import MemoryIndex
from coverset.indexes.memory.samples import STEPS
from coverset.indexes.memory.scan import LARGE, Shortlist, is_for_few, rounding, scan
from coverset.solvers.parallel import each, gathered
from coverset.vectors import Vectors

# What a row costs to fetch, and then with each query of a pass, in units of what it costs with one that reads it;
# and what it costs in a pass over the rounded copy.
FETCH, TOGETHER = 6.0, 0.6
FETCH_ROUNDED, TOGETHER_ROUNDED = 0.6, 0.3
# What a word of it costs with a query that reads the row, and with one of a pass.
WORD, WORD_TOGETHER = 0.1, 0.007


class Screened:
    """Ask an array in memory, for one batch of queries, round after round.

    Two things save passes over a large array. Where documents are alike, it is first asked for every 16th row: the
    optimum over such a sample is near the true one, and the first full pass starts from there. And bounds on all
    scores u.r are kept: when the residual has turned to r', a row can only be above the floor if u.r was high
    enough (see `needed`), so only such rows are read again: near the end, next to none.
    The very first pass keeps nothing, as the residual after it is far from the query.
    """

    ask = 256
    exact = True
    # Every so manieth row is asked, and how often; where there are at least so many rows, and they are alike.
    SAMPLES, ALIKE = tuple(zip(STEPS, (3, sys.maxsize), strict=True)), 0.3

    def __init__(self, index: MemoryIndex, queries: int) -> None:
        self.index = index
        self.vectors = index.corpus
        self.longest, self.shortest = index.corpus.longest, index.corpus.shortest
        sampled = len(index) >= LARGE and index.crowding > self.ALIKE
        self._samples = list(self.SAMPLES if sampled else self.SAMPLES[-1:])
        self._words = len(index.corpus.rows.terms) / len(index)
        self._begun = False
        self._queries = queries
        self._bounds = self._nothing_known()

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
        self._bounds = self._nothing_known()
        return True

    def above(self, batch: Ids, residuals: Vectors, floors: Array, most: int) -> list[Ids]:
        """Return, for each residual, the rows among which are the `most` best above its floor."""
        floor = (floors - 2 * rounding(self.index, residuals)).tolist()
        turned = gathered(lambda n: self._bounds.turned(int(batch[n]), residuals.one(n), floor[n]), len(batch))
        again = self._within_reach(batch, turned)
        found: list[Ids] = [np.empty(0, np.int64)] * len(batch)
        if len(again):
            some = [known for n in again if (known := turned[n])]
            read = self._read(batch[again], residuals.take(again), floors[again], most, some)
            for n, rows in zip(again, read, strict=True):
                found[n] = rows
        rest = np.setdiff1d(np.arange(len(batch)), again)
        if len(rest):
            passed = self._pass(batch[rest], residuals.take(rest), floors[rest], most)
            for n, rows in zip(rest, passed, strict=True):
                found[n] = rows
        return found

    def ids(self, rows: Ids) -> Ids:
        """Row numbers are ids here."""
        return rows

    @property
    def _total(self) -> int:
        """How many rows are being asked."""
        return -(-len(self.index) // self.stands_for)

    def _nothing_known(self) -> Bounds:
        """Return bounds for the rows that are being asked, which are yet to be read."""
        return Bounds(self._queries, self._total, self.longest)

    def _within_reach(self, batch: Ids, turned: Sequence[Turned | None]) -> Ids:
        """Return for which queries to read what is within reach, and not to pass over all rows: the cheapest."""
        counts = np.full(len(batch), np.inf)

        def count(n: int) -> None:
            if (known := turned[n]) is not None:
                counts[n] = np.count_nonzero(self._bounds.codes[batch[n]] > np.uint8(known.cut))

        each(count, range(len(batch)))
        order = np.argsort(counts)
        pairs = np.concatenate([[0.0], np.cumsum(counts[order])])
        rest = np.arange(len(batch), -1, -1)
        cost = (1 + WORD * self._words) * pairs + FETCH * np.minimum(pairs, self._total)
        cost += [self._pass_cost(queries) for queries in rest.tolist()]
        return order[: int(np.argmin(cost))]

    def _pass_cost(self, queries: int) -> float:
        """Return what a pass for so many queries costs."""
        if queries == 0:
            return 0.0
        words = WORD_TOGETHER * self._words
        if self.index.has_rounded and is_for_few(self.index, queries):
            return (FETCH_ROUNDED + (TOGETHER_ROUNDED + words) * queries) * self._total
        return (FETCH + (TOGETHER + words) * queries) * self._total

    def _pass(self, batch: Ids, residuals: Vectors, floors: Array, most: int) -> list[Ids]:
        """Read all rows (of the sample)."""
        keep = self._bounds.keep(batch, residuals) if self._begun else None
        self._begun = True
        return scan(self.index, residuals, most, floors, keep, self.stands_for)

    def _read(
        self, batch: Ids, residuals: Vectors, floors: Array, most: int, turned: Sequence[Turned]
    ) -> list[Ids]:
        """Read the rows that are within reach."""
        slack, step = rounding(self.index, residuals), self.stands_for
        shortlist = Shortlist(len(batch), most, slack, (floors - slack).astype(np.float32))
        for part in self._bounds.read(self.vectors.rows, step, batch, residuals, turned, shortlist.threshold):
            shortlist.take(*part)
        found = [rows * step for rows in shortlist.rows()]
        return [rows[self.index.norms[rows] > 0] for rows in found]
