"""The best documents of a solution, in order, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from coverset.compilation import compiled
from coverset.solvers.face import Array

# Up to this many are kept in order while the documents are gone through; for more, all are sorted.
FEW = 32


@compiled
def best(weights: Array, scores: Array, l2: Array, k: int, fill: bool) -> tuple[Any, Any, Array, Array]:
    """Return (columns, counts, last, next): each query's documents best first, and how many of them to return.

    First come the documents with weight, by weight, then the rest by score; equal ones by their column. `k` < 0
    asks for the whole support; `fill` goes on below it when it has fewer than k. `last` is the lowest score
    among those to return, `next` the score of the one after them.
    """
    queries, n = weights.shape
    counts = np.empty(queries, np.int64)
    for q in range(queries):
        support, choosable = 0, 0
        for i in range(n):
            support += weights[q, i] > 0.0
            choosable += scores[q, i] > -np.inf
        wanted = support if k < 0 else min(k, choosable)
        counts[q] = wanted if fill else min(wanted, support)
    width = min(counts.max() + 1, n) if queries else 0
    columns = np.empty((queries, width), np.int64)
    last, following = np.full(queries, np.inf), np.full(queries, -np.inf)
    for q in range(queries):
        _order(weights[q], scores[q], max(l2[q], 1.0), columns[q])
        for place in range(counts[q]):
            last[q] = min(last[q], scores[q, columns[q, place]])
        for place in range(counts[q], width):
            following[q] = max(following[q], scores[q, columns[q, place]])
    return columns, counts, last, following


@compiled
def _order(weights: Array, scores: Array, step: float, out: Any) -> None:
    """Set `out` to the columns of the best documents.

    Keys are in single precision, so that documents that only rounding tells apart rank by their column.
    """
    n, width = len(weights), len(out)
    top = -np.inf
    for i in range(n):
        top = max(top, scores[i])
    keys = np.empty(n, np.float32)
    for i in range(n):
        keys[i] = top + step * weights[i] if weights[i] > 0.0 else scores[i]
    if width > FEW:
        out[:] = np.argsort(-keys, kind="mergesort")[:width]
        return
    held = 0
    for i in range(n):
        if held == width and keys[i] <= keys[out[width - 1]]:
            continue
        place = min(held, width - 1)
        while place > 0 and keys[i] > keys[out[place - 1]]:
            out[place] = out[place - 1]
            place -= 1
        out[place] = i
        held = min(held + 1, width)
