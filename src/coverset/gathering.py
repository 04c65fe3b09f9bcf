"""Sparse rows, some of many, and their terms numbered anew, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled

if TYPE_CHECKING:
    from coverset.sparse import Terms


@compiled
def gather(starts: Ids, terms: Terms, values: Floats, rows: Ids) -> tuple[Ids, Terms, Floats]:
    """Return (starts, terms, values) of some sparse rows."""
    ends = np.zeros(len(rows) + 1, np.int64)
    for n in range(len(rows)):
        ends[n + 1] = ends[n] + starts[rows[n] + 1] - starts[rows[n]]
    kept, weights = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.float32)
    for n in range(len(rows)):
        first, at = starts[rows[n]], ends[n]
        for e in range(ends[n + 1] - at):
            kept[at + e], weights[at + e] = terms[first + e], values[first + e]
    return ends, kept, weights


@compiled
def renumber(terms: Terms, slots: Terms, count: int, out: Terms) -> int:
    """Number terms as they come, from `count` on; `slots` has each one's number and 1 more, 0: not met yet."""
    for e in range(len(terms)):
        if slots[terms[e]] == 0:
            count += 1
            slots[terms[e]] = count
        out[e] = slots[terms[e]] - 1
    return count
