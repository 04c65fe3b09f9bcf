"""Order documents: by score, best first, and equal scores by the lowest id."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Ids, Keys


def ranked(scores: NDArray[Any], k: int) -> Ids:
    """Return the columns of the k largest scores in each row of a (B, n) array, k <= n, best first.

    Selection runs on a partition, not a sort, so the cost is linear in n; whatever ties with the k-th
    score competes by its column number.
    """
    rows, n = scores.shape
    if k >= n:
        order: Ids = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return order
    cut = np.partition(scores, n - k, axis=1)[:, n - k]
    row, column = np.nonzero(scores >= cut[:, None])
    best_first = np.lexsort((column, -scores[row, column], row))
    starts = np.searchsorted(row, np.arange(rows))
    chosen: Ids = column[best_first][starts[:, None] + np.arange(k)]
    return chosen


def ascending(ids: Keys) -> Ids:
    """Return the order that sorts ids: numbers, strings or anything else that compares with its own kind."""
    if ids.dtype != object:
        return np.argsort(ids, kind="stable")
    keys = [(type(i).__name__, i) for i in ids]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
