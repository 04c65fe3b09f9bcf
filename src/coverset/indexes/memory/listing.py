"""The best rows of one query out of the scores of all, compiled.

Loops run over slices: an index that could be negative, for all that numba knows, is not vectorised.
"""

from __future__ import annotations

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import vectorised
from coverset.indexes.memory.scan import GROUPS

# Rows that are looked at together for whether any is to be listed: in most places none is.
BLOCK = 256


@vectorised
def best_rows(scores: Floats, most: int, slack: np.float32, lowest: np.float32) -> tuple[Ids, np.float32]:
    """Return the rows (ascending) among which are the `most` best above a floor, and what the last of them needs.

    Scores may be off by half the `slack`: rows within it of the `most`-th score are listed with it.
    """
    groups = GROUPS * most
    if len(scores) >= 2 * groups:
        highest = scores[:groups].copy()
        for start in range(groups, len(scores) - groups + 1, groups):
            some = scores[start : start + groups]
            for n in range(groups):
                highest[n] = max(highest[n], some[n])
        lowest = max(lowest, np.partition(highest, groups - most)[groups - most] - slack)
    left = 0
    for n in range(len(scores)):
        left += scores[n] >= lowest
    rows, listed = np.empty(left, np.int64), 0
    for start in range(0, len(scores), BLOCK):
        some, there = scores[start : start + BLOCK], 0
        for n in range(len(some)):
            there += some[n] >= lowest
        if there > 0:
            for n in range(len(some)):
                if some[n] >= lowest:
                    rows[listed] = start + n
                    listed += 1
    if listed > most:
        lowest = max(lowest, np.partition(scores[rows], listed - most)[listed - most] - slack)
        rows = rows[scores[rows] >= lowest]
    return rows, lowest
