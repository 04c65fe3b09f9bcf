"""What words add to the scores of a scan: term by term for targets of few terms, row by row for many of many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled, vectorised
from coverset.indexes.memory.postings import OFF, Postings, runs
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
    """Adds what words contribute to the scores of a scan, block of rows by block of rows.

    Attributes
    ----------
    error
        For each target, how far what is added may be off, beside what any product in single precision is.
    """

    error: Floats

    @staticmethod
    def of(rows: Rows, postings: Postings, targets: Floats, step: int) -> WordScan:
        """Return the cheaper way for these targets (queries, terms), at every `step`-th row."""
        by_term = ByTerm(postings, targets, rows.roots[1], step)
        by_row = (PRICE + EACH * len(targets)) * len(rows.terms)
        return by_term if by_term.listed <= by_row else ByRow(rows, targets, step)

    @abstractmethod
    def add(self, start: int, scores: Floats) -> None:
        """Add to the (queries, rows) scores of the rows from `start` on."""


class ByTerm(WordScan):
    """Goes down the lists of the terms that each target has; in all, so many entries are `listed` there."""

    def __init__(self, postings: Postings, targets: Floats, root: float, step: int) -> None:
        self._postings, self._step = postings, step
        self._queries, self._terms = np.divmod(np.flatnonzero(targets != 0), targets.shape[1])
        weights = root * targets[self._queries, self._terms].astype(np.float64) * postings.scales[self._terms]
        self._weights: Floats = weights.astype(np.float32)
        self.error = np.bincount(self._queries, OFF * abs(weights), len(targets)).astype(np.float32)
        self.listed = int((postings.starts[self._terms + 1] - postings.starts[self._terms]).sum())

    @cached_property
    def _runs(self) -> tuple[Ids, Ids]:
        """Where the runs of each list begin and end."""
        return runs(self._postings.rows, self._postings.starts, self._terms, STEPS.index(self._step) + 1)

    def add(self, start: int, scores: Floats) -> None:
        """Find these rows in the lists."""
        lists, step = (self._postings.rows, self._postings.codes, *self._runs), self._step
        _shared(
            scores.shape[1],
            lambda part: _add_lists(*lists, self._queries, self._weights, step, start, *part, scores),
        )


class ByRow(WordScan):
    """Goes down the terms of each row, for all targets at once."""

    def __init__(self, rows: Rows, targets: Floats, step: int) -> None:
        self._rows, self._step = rows, step
        terms = np.flatnonzero(targets.any(axis=0))
        self._slots = np.full(rows.width, -1, np.int32)
        self._slots[terms] = np.arange(len(terms))
        self._weights: Floats = np.ascontiguousarray(np.float32(rows.roots[1]) * targets[:, terms].T)
        self.error = np.zeros(len(targets), np.float32)

    def add(self, start: int, scores: Floats) -> None:
        """Read the rows."""
        rows, targets, step = self._rows, (self._slots, self._weights), self._step
        _shared(
            scores.shape[1],
            lambda part: _add_rows(rows.starts, rows.terms, rows.values, *targets, step, start, *part, scores),
        )


def _shared(count: int, add: Callable[[tuple[int, int]], None]) -> None:
    """Add for so many rows: many of them on all cores."""
    each(add, ranges(count) if count >= MANY else [(0, count)])


@compiled
def _add_lists(
    rows: Terms,
    codes: NDArray[np.int16],
    begins: Ids,
    ends: Ids,
    queries: Ids,
    weights: Floats,
    step: int,
    start: int,
    first: int,
    last: int,
    scores: Floats,
) -> None:
    """Add what the runs of every term's list have of some rows, counted in steps from `start` on."""
    lowest, stop = (start + first) * step, (start + last) * step
    for n in range(len(queries)):
        query, weight = queries[n], weights[n]
        for run in range(begins.shape[1]):
            at, end = begins[n, run], ends[n, run]
            while at < end:
                middle = (at + end) // 2
                if rows[middle] < lowest:
                    at = middle + 1
                else:
                    end = middle
            end = ends[n, run]
            while at < end and rows[at] < stop:
                scores[query, rows[at] // step - start] += weight * np.float32(codes[at])
                at += 1


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
