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
    counts, tops = np.empty(queries, np.int64), np.empty(queries)
    for q in range(queries):
        support, choosable, tops[q] = 0, 0, -np.inf
        for i in range(n):
            support += weights[q, i] > 0.0
            choosable += scores[q, i] > -np.inf
            tops[q] = max(tops[q], scores[q, i])
        wanted = support if k < 0 else min(k, choosable)
        counts[q] = wanted if fill else min(wanted, support)
    width = min(counts.max() + 1, n) if queries else 0
    columns = np.empty((queries, width), np.int64)
    last, following = np.full(queries, np.inf), np.full(queries, -np.inf)
    keys = np.empty(n, np.float32)
    for q in range(queries):
        # Single precision, so that documents that only rounding tells apart rank by their column.
        for i in range(n):
            weight = weights[q, i]
            keys[i] = tops[q] + max(l2[q], 1.0) * weight if weight > 0.0 else scores[q, i]
        _order(keys, columns[q])
        for place in range(counts[q]):
            last[q] = min(last[q], scores[q, columns[q, place]])
        for place in range(counts[q], width):
            following[q] = max(following[q], scores[q, columns[q, place]])
    return columns, counts, last, following


@compiled
def _order(keys: Any, out: Any) -> None:
    """Set `out` to the places of the largest keys, in order; equal ones by their place."""
    n, width = len(keys), len(out)
    if width > FEW:
        out[:] = np.argsort(-keys, kind="mergesort")[:width]
        return
    held, least = 0, np.float32(-np.inf)
    for i in range(n):
        if held == width and keys[i] <= least:
            continue
        place = min(held, width - 1)
        while place > 0 and keys[i] > keys[out[place - 1]]:
            out[place] = out[place - 1]
            place -= 1
        out[place] = i
        held = min(held + 1, width)
        least = keys[out[held - 1]]
