"""The samples of a large corpus that are asked before all of it: every 16th row, then every row."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Ids
from coverset.compilation import compiled
from coverset.sparse import Terms

STEPS = (16, 1)


@compiled
def sample(row: int) -> int:
    """Return the number of the smallest sample that a row is in."""
    for number in range(len(STEPS) - 1):
        if row % STEPS[number] == 0:
            return number
    return len(STEPS) - 1


@compiled
def samples(rows: Ids | Terms) -> Ids:
    """Return that of each row."""
    out = np.empty(len(rows), np.int64)
    for n in range(len(rows)):
        out[n] = sample(rows[n])
    return out
