"""What words add to the scores of a scan: term by term for targets of few terms, row by row for many of many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from coverset.arrays import Floats, Ids, read_only
from coverset.compilation import compiled, vectorised
from coverset.gathering import numbered
from coverset.indexes.memory.postings import OFF, Codes, Postings, coded, runs, scaling
from coverset.indexes.memory.samples import STEPS
from coverset.sparse import NO_TERMS, Terms, Words
from coverset.vectors import Rows

# What a term of a row costs, and how much more for each target, in units of an entry of a term's list.
PRICE, EACH = 1.5, 0.02
# Rows whose scores are gathered before they are added: then every target's are written side by side.
TILE = 16


class WordScan(ABC):
    """Adds what words contribute to the scores of a scan, block of rows by block of rows.

    Attributes
    ----------
    error
        For each target, how far what is added may be off, beside what any product in single precision is.
    """

    error: Floats

    @staticmethod
    def of(rows: Rows, postings: Postings, targets: Words, step: int) -> WordScan:
        """Return the cheaper way for these targets, at every `step`-th row."""
        by_term = ByTerm(postings, targets, rows.roots[1], step)
        by_row = (PRICE + EACH * len(targets)) * len(rows.terms)
        return by_term if by_term.listed <= by_row else ByRow(rows, postings.heaviest, targets, step)

    @abstractmethod
    def add(self, start: int, scores: Floats) -> None:
        """Add to the (queries, rows) scores of the rows from `start` on."""


class ByTerm(WordScan):
    """Goes down the lists of the terms that each target has; in all, so many entries are `listed` there."""

    def __init__(self, postings: Postings, targets: Words, root: float, step: int) -> None:
        self._postings, self._step = postings, step
        there = np.flatnonzero(targets.values)
        self._queries, self._terms = targets.owners[there], targets.terms[there].astype(np.int64)
        weights = root * targets.values[there].astype(np.float64) * postings.scales[self._terms]
        self._weights: Floats = weights.astype(np.float32)
        self.error = np.bincount(self._queries, OFF * abs(weights), len(targets)).astype(np.float32)
        self.listed = int((postings.starts[self._terms + 1] - postings.starts[self._terms]).sum())

    @cached_property
    def _runs(self) -> tuple[Ids, Ids]:
        """Where the runs of each list begin and end."""
        return runs(self._postings.rows, self._postings.starts, self._terms, STEPS.index(self._step) + 1)

    def add(self, start: int, scores: Floats) -> None:
        """Find these rows in the lists."""
        lists = self._postings.rows, self._postings.codes, *self._runs
        _add_lists(*lists, self._queries, self._weights, self._step, start, scores)


class ByRow(WordScan):
    """Goes down the terms of each row, for all targets at once, whose weights are rounded: more of them stay near.

    The weights of the `heaviest` row add up to so much.
    """

    def __init__(self, rows: Rows, heaviest: float, targets: Words, step: int) -> None:
        self._rows, self._step = rows, step
        slots, _, count = numbered(read_only(targets.terms), NO_TERMS)
        self._slots = np.full(rows.width, -1, np.int32)
        self._slots[targets.terms] = slots
        weights = np.zeros((count, len(targets)), np.float32)
        weights[slots, targets.owners] = np.float32(rows.roots[1]) * targets.values
        self._scales = scaling(abs(weights).max(axis=0, initial=0.0))
        self._codes = coded(weights, self._scales)
        self.error = np.float32(OFF * heaviest) * self._scales

    def add(self, start: int, scores: Floats) -> None:
        """Read the rows."""
        rows, targets = self._rows, (self._slots, self._codes, self._scales)
        _add_rows(rows.starts, rows.terms, rows.values, *targets, self._step, start, scores)


@compiled
def _add_lists(
    rows: Terms,
    codes: Codes,
    begins: Ids,
    ends: Ids,
    queries: Ids,
    weights: Floats,
    step: int,
    start: int,
    scores: Floats,
) -> None:
    """Add what the runs of every term's list have of some rows, counted in steps from `start` on."""
    lowest, stop, shift = start * step, (start + scores.shape[1]) * step, 0
    while 1 << shift < step:  # steps are powers of two
        shift += 1
    for n in range(len(queries)):
        out, weight = scores[queries[n]], weights[n]
        for run in range(begins.shape[1]):
            at = _find(rows, begins[n, run], ends[n, run], lowest)
            for e in range(at, _find(rows, at, ends[n, run], stop)):
                out[(rows[e] >> shift) - start] += weight * np.float32(codes[e])


@compiled
def _find(rows: Terms, at: int, end: int, lowest: int) -> int:
    """Return where in ascending rows, from `at` to `end`, the lowest of those wanted is."""
    while at < end:
        middle = (at + end) // 2
        if rows[middle] < lowest:
            at = middle + 1
        else:
            end = middle
    return at


@vectorised
def _add_rows(
    starts: Ids,
    terms: Terms,
    values: Floats,
    slots: Terms,
    codes: Codes,
    scales: Floats,
    step: int,
    start: int,
    scores: Floats,
) -> None:
    """Add what the terms of some rows count for, (slots, queries) codes, tile by tile, four terms at a time."""
    queries, last, most = codes.shape[1], scores.shape[1], 0
    for n in range(start, start + last):
        most = max(most, starts[n * step + 1] - starts[n * step])
    tile, hits, weights = (
        np.empty((TILE, queries), np.float32),
        np.zeros(most + 4, np.int32),
        np.zeros(most + 4, np.float32),
    )
    for begin in range(0, last, TILE):
        count = min(TILE, last - begin)
        for n in range(count):
            row, size = (start + begin + n) * step, 0
            for e in range(starts[row], starts[row + 1]):
                hits[size], weights[size] = slots[terms[e]], values[e]
                size += hits[size] >= 0
            for e in range(size, size + 3):
                hits[e], weights[e] = 0, np.float32(0.0)
            for q in range(queries):
                tile[n, q] = np.float32(0.0)
            for e in range(0, size, 4):
                i, j, k, m = hits[e], hits[e + 1], hits[e + 2], hits[e + 3]
                a, b, c, d = weights[e], weights[e + 1], weights[e + 2], weights[e + 3]
                for q in range(queries):
                    tile[n, q] += (
                        a * np.float32(codes[i, q])
                        + b * np.float32(codes[j, q])
                        + c * np.float32(codes[k, q])
                        + d * np.float32(codes[m, q])
                    )
        for q in range(queries):
            for n in range(count):
                scores[q, begin + n] += scales[q] * tile[n, q]
