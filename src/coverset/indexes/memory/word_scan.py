"""What words add to the scores of a scan: term by term for targets of few terms, row by row for many of many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled, vectorised
from coverset.indexes.memory.postings import Postings, runs
from coverset.indexes.memory.samples import STEPS
from coverset.solvers.parallel import each, ranges
from coverset.sparse import Terms
from coverset.vectors import Rows

# What a term of a row costs, and how much more for each target, in units of an entry of a term's list.
PRICE, EACH = 0.8, 0.015
# Rows whose scores are gathered before they are added: then every target's are written side by side.
TILE = 16
# Rows from which on all cores are at it.
MANY = 4096


class WordScan(ABC):
    """Adds what words contribute to the scores of a scan, block of rows by block of rows."""

    @staticmethod
    def of(rows: Rows, postings: Postings, targets: Floats, step: int) -> WordScan:
        """Return the cheaper way for these targets (queries, terms), at every `step`-th row."""
        by_term = ByTerm(postings, targets, rows.roots[1], step)
        by_row = (PRICE + EACH * len(targets)) * len(rows.terms)
        return by_term if by_term.listed <= by_row else ByRow(rows, targets, step)

    @abstractmethod
    def add(self, start: int, scores: Floats) -> None:
        """Add to the (queries, rows) scores of the rows from `start` on; blocks come in order."""


class ByTerm(WordScan):
    """Goes down the lists of the terms that each target has; in all, so many entries are `listed` there."""

    def __init__(self, postings: Postings, targets: Floats, root: float, step: int) -> None:
        self._postings, self._step = postings, step
        self._queries, self._terms = np.nonzero(targets)
        self._weights = (root * targets[self._queries, self._terms]).astype(np.float32)
        self.listed = int((postings.starts[self._terms + 1] - postings.starts[self._terms]).sum())

    @cached_property
    def _runs(self) -> tuple[Ids, Ids]:
        """Where it is in each list, run by run, and where the runs end."""
        return runs(self._postings.rows, self._postings.starts, self._terms, STEPS.index(self._step) + 1)

    def add(self, start: int, scores: Floats) -> None:
        """Go on in the lists."""
        stop = start + scores.shape[1]
        _add_lists(
            self._postings.rows, self._postings.values, self._queries, self._weights, *self._runs,
            self._step, start, stop, scores,
        )  # fmt: skip


class ByRow(WordScan):
    """Goes down the terms of each row, for all targets at once."""

    def __init__(self, rows: Rows, targets: Floats, step: int) -> None:
        self._rows, self._step = rows, step
        terms = np.flatnonzero(targets.any(axis=0))
        self._slots = np.full(rows.width, -1, np.int32)
        self._slots[terms] = np.arange(len(terms))
        self._weights: Floats = np.ascontiguousarray(np.float32(rows.roots[1]) * targets[:, terms].T)

    def add(self, start: int, scores: Floats) -> None:
        """Read the rows."""
        rows, count = self._rows, scores.shape[1]
        each(
            lambda part: _add_rows(
                rows.starts,
                rows.terms,
                rows.values,
                self._slots,
                self._weights,
                self._step,
                start,
                *part,
                scores,
            ),
            ranges(count) if count >= MANY else [(0, count)],
        )


@compiled
def _add_lists(
    rows: Terms,
    values: Floats,
    queries: Ids,
    weights: Floats,
    cursors: Ids,
    ends: Ids,
    step: int,
    start: int,
    stop: int,
    scores: Floats,
) -> None:
    """Go on in the runs of every term's list up to the row `stop`, counted in steps."""
    for n in range(len(queries)):
        query, weight = queries[n], weights[n]
        for run in range(cursors.shape[1]):
            at, end = cursors[n, run], ends[n, run]
            while at < end and rows[at] < stop * step:
                scores[query, rows[at] // step - start] += weight * values[at]
                at += 1
            cursors[n, run] = at


@vectorised
def _add_rows(
    starts: Ids,
    terms: Terms,
    values: Floats,
    slots: Terms,
    weights: Floats,
    step: int,
    start: int,
    first: int,
    last: int,
    scores: Floats,
) -> None:
    """Add what the terms of some rows count for, (slots, queries) weights, tile by tile."""
    queries = weights.shape[1]
    tile = np.empty((TILE, queries), np.float32)
    for begin in range(first, last, TILE):
        count = min(TILE, last - begin)
        for n in range(count):
            row = (start + begin + n) * step
            for q in range(queries):
                tile[n, q] = np.float32(0.0)
            for e in range(starts[row], starts[row + 1]):
                slot, value = slots[terms[e]], values[e]
                if slot >= 0:
                    for q in range(queries):
                        tile[n, q] += value * weights[slot, q]
        for q in range(queries):
            for n in range(count):
                scores[q, begin + n] += tile[n, q]
