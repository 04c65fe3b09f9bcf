"""The words of a corpus by term, for scans: which rows have a term, and with what weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled
from coverset.vectors import Terms, Words


@dataclass(frozen=True, eq=False)
class Postings:
    """For every term, the rows that have it, ascending, and its weight in each."""

    starts: Ids
    rows: Terms
    values: Floats

    @classmethod
    def of(cls, words: Words) -> Postings:
        """Return the words the other way round: by term instead of by row."""
        order = np.argsort(words.terms, kind="stable")
        rows = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(words.starts))[order]
        starts = np.concatenate([[0], np.cumsum(np.bincount(words.terms, minlength=words.width))])
        return cls(starts.astype(np.int64), rows, words.values[order])


class WordScan:
    """Adds what words contribute to the scores of a scan, block of rows by block of rows."""

    def __init__(self, postings: Postings, targets: Floats, root: float, step: int) -> None:
        self.postings, self.step = postings, step
        self.queries, terms = np.nonzero(targets)
        self.weights = (root * targets[self.queries, terms]).astype(np.float32)
        self.cursors = postings.starts[terms]
        self.ends = postings.starts[terms + 1]

    def add(self, start: int, scores: Floats) -> None:
        """Add to the (queries, rows) scores of the rows from `start` on; blocks come in order."""
        stop = start + scores.shape[1]
        _add(
            self.postings.rows, self.postings.values, self.queries, self.weights, self.cursors, self.ends,
            self.step, start, stop, scores,
        )  # fmt: skip


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
    """Go on in every term's list up to the row `stop`, counted in steps."""
    for n in range(len(queries)):
        query, weight, at = queries[n], weights[n], cursors[n]
        while at < ends[n] and rows[at] < stop * step:
            if rows[at] % step == 0:
                scores[query, rows[at] // step - start] += weight * values[at]
            at += 1
        cursors[n] = at
