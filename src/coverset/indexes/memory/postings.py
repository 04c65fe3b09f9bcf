"""The words of a corpus by term, for scans: which rows have a term, and with what weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled
from coverset.indexes.memory.samples import sample, samples
from coverset.sparse import Terms, Words


@dataclass(frozen=True, eq=False)
class Postings:
    """For every term, the rows that have it and its weight in each.

    Rows of the smallest sample come first, then those of the next that are not in it, ascending in each such run:
    who asks a sample reads the beginning of every list.
    """

    starts: Ids
    rows: Terms
    values: Floats

    @classmethod
    def of(cls, words: Words) -> Postings:
        """Return the words the other way round: by term instead of by row."""
        starts = np.concatenate([[0], np.cumsum(np.bincount(words.terms, minlength=words.width))])
        order = np.argsort(samples(np.arange(len(words))), kind="stable")
        return cls(starts, *_turned(order, words.starts, words.terms, words.values, starts[:-1].copy()))


@compiled
def _turned(order: Ids, starts: Ids, terms: Terms, values: Floats, ends: Ids) -> tuple[Terms, Floats]:
    """Put every entry, row by row in this order, at the end of its term's list, where `ends` says."""
    rows, weights = np.empty(len(terms), np.int32), np.empty(len(terms), np.float32)
    for row in order:
        for e in range(starts[row], starts[row + 1]):
            at = ends[terms[e]]
            rows[at], weights[at] = row, values[e]
            ends[terms[e]] += 1
    return rows, weights


@compiled
def runs(rows: Terms, starts: Ids, terms: Ids, count: int) -> tuple[Ids, Ids]:
    """Return where the first so many runs of each term's list begin and end, (terms, runs)."""
    begins, ends = np.empty((len(terms), count), np.int64), np.empty((len(terms), count), np.int64)
    for n in range(len(terms)):
        at = starts[terms[n]]
        for run in range(count):
            begins[n, run] = at
            end = starts[terms[n] + 1]
            while at < end:
                middle = (at + end) // 2
                if sample(rows[middle]) <= run:
                    at = middle + 1
                else:
                    end = middle
            ends[n, run] = at
    return begins, ends
