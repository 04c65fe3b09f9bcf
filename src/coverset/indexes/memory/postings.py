"""The words of a corpus by term, for scans: which rows have a term, and with what weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled
from coverset.indexes.memory.samples import STEPS, sample, samples
from coverset.vectors import Terms, Words


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
        rows = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(words.starts))
        order = np.lexsort((samples(rows), words.terms))
        starts = np.concatenate([[0], np.cumsum(np.bincount(words.terms, minlength=words.width))])
        return cls(starts.astype(np.int64), rows[order], words.values[order])


class WordScan:
    """Adds what words contribute to the scores of a scan, block of rows by block of rows."""

    def __init__(self, postings: Postings, targets: Floats, root: float, step: int) -> None:
        self.postings, self.step = postings, step
        self.queries, terms = np.nonzero(targets)
        self.weights = (root * targets[self.queries, terms]).astype(np.float32)
        self.cursors, self.ends = _runs(postings.rows, postings.starts, terms, STEPS.index(step) + 1)

    def add(self, start: int, scores: Floats) -> None:
        """Add to the (queries, rows) scores of the rows from `start` on; blocks come in order."""
        stop = start + scores.shape[1]
        _add(
            self.postings.rows, self.postings.values, self.queries, self.weights, self.cursors, self.ends,
            self.step, start, stop, scores,
        )  # fmt: skip


@compiled
def _runs(rows: Terms, starts: Ids, terms: Ids, runs: int) -> tuple[Ids, Ids]:
    """Return where the first so many runs of each term's list begin and end, (terms, runs)."""
    begins, ends = np.empty((len(terms), runs), np.int64), np.empty((len(terms), runs), np.int64)
    for n in range(len(terms)):
        at = starts[terms[n]]
        for run in range(runs):
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


@compiled
def _add(
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
