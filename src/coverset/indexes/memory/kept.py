"""The highest scores of a pass, kept: those that a residual may need again once it has turned."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled
from coverset.sparse import Terms


class Kept:
    """Scores that are at least `least` (queries,), block of rows by block of rows; every `step`-th row is read.

    `error` says how far off they may be, beyond rounding of single precision.
    """

    def __init__(self, least: Floats, step: int) -> None:
        self.least, self.error, self._step = least, 0.0, step
        self._blocks: list[tuple[Ids, Terms, Floats]] = []
        self._rows, self._high = np.empty(0, np.int32), np.empty(0, np.float32)

    def add(self, start: int, scores: Floats) -> None:
        """Take in the (queries, rows) scores of the rows from `start` on."""
        if scores.size > len(self._rows):
            self._rows, self._high = np.empty(scores.size, np.int32), np.empty(scores.size, np.float32)
        ends = np.zeros(len(scores) + 1, np.int64)
        _pick(scores, self.least, start, self._step, self._rows, self._high, ends)
        self._blocks.append((ends, self._rows[: ends[-1]].copy(), self._high[: ends[-1]].copy()))

    def of(self, query: int) -> tuple[Terms, Floats]:
        """Return a query's rows, ascending, and their scores."""
        within = [(slice(*ends[query : query + 2]), rows, scores) for ends, rows, scores in self._blocks]
        rows = np.concatenate([rows[part] for part, rows, _ in within])
        return rows, np.concatenate([scores[part] for part, _, scores in within])


@compiled
def _pick(scores: Floats, least: Floats, start: int, step: int, rows: Terms, high: Floats, ends: Ids) -> None:
    """List the rows whose scores are high enough, query by query."""
    count = 0
    for q in range(scores.shape[0]):
        for n in range(scores.shape[1]):
            if scores[q, n] >= least[q]:
                rows[count], high[count] = (start + n) * step, scores[q, n]
                count += 1
        ends[q + 1] = count
