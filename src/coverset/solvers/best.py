"""The best documents of a solution, in order, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from coverset.arrays import Array, Ids, Keys
from coverset.compilation import compiled

# Up to this many are kept in order while the documents are gone through; for more, all are sorted.
FEW = 32
# Values closer than this, relative to the largest, are equal but for rounding: the lowest document goes first.
TIE = 1e-12
# Weights are what scores exceed l1 by, over l2. So those of equal documents may differ by the rounding of scores,
# over l2; those of others are known better than that, so that no more than this counts as equal.
ROUNDING, WIDEST = 16 * float(np.finfo(np.float64).eps), 1e-9


@compiled
def best(weights: Array, scores: Array, l2: Array, k: int, fill: bool) -> tuple[Any, Any, Array, Array]:
    """Return (columns, counts, last, next): each query's documents best first, and how many of them to return.

    First come the documents with weight, by weight, then the rest by score; equal ones by their column. `k` < 0
    asks for the whole support; `fill` goes on below it when it has fewer than k. `last` is the lowest score
    among those to return, `next` the highest score of any other.
    """
    queries, n = weights.shape
    supports, counts, width = np.empty(queries, np.int64), np.empty(queries, np.int64), 0
    for q in range(queries):
        support, choosable = 0, 0
        for i in range(n):
            support += weights[q, i] > 0.0
            choosable += scores[q, i] > -np.inf
        wanted = support if k < 0 else min(k, choosable)
        supports[q], counts[q] = support, wanted if fill else min(wanted, support)
        width = max(width, counts[q])
    columns = np.zeros((queries, width), np.int64)
    last, following = np.full(queries, np.inf), np.full(queries, -np.inf)
    keys, chosen = np.empty(n), np.empty(n, np.bool_)
    for q in range(queries):
        weighted = min(supports[q], counts[q])
        # A weight below the tie is one all the same, and goes before every document without.
        highest = 0.0
        for i in range(n):
            keys[i] = weights[q, i] if weights[q, i] > 0.0 else -np.inf
            if scores[q, i] > -np.inf:
                highest = max(highest, abs(scores[q, i]))
        _fill(keys, columns[q, :weighted], ROUNDING * highest / l2[q] if l2[q] > 0.0 else 0.0)
        if counts[q] > weighted:
            for i in range(n):
                keys[i] = -np.inf if weights[q, i] > 0.0 else scores[q, i]
            _fill(keys, columns[q, weighted : counts[q]], 0.0)
        chosen[:] = False
        for place in range(counts[q]):
            chosen[columns[q, place]] = True
        for i in range(n):
            if chosen[i]:
                last[q] = min(last[q], scores[q, i])
            else:
                following[q] = max(following[q], scores[q, i])
    return columns, counts, last, following


@compiled
def in_order(keys: Array, count: int) -> Ids:
    """Return the places of the `count` largest keys, in order; those equal but for rounding by their place."""
    places = np.empty(count, np.int64)
    _fill(keys, places, 0.0)
    return places


@compiled
def _fill(keys: Keys, out: Keys, rounding: float) -> None:
    """Set `out` to the places of the largest keys, in order; equal ones by their place."""
    n, width = len(keys), len(out)
    if width == 0:
        return
    largest = 0.0
    for i in range(n):
        if keys[i] > -np.inf:
            largest = max(largest, abs(keys[i]))
    tie = min(max(TIE * largest, rounding), WIDEST * largest)
    if width > FEW:
        order = np.argsort(-keys, kind="mergesort")[:width]
        for place in range(width):
            i, spot = order[place], place
            while spot > 0 and out[spot - 1] > i and keys[out[spot - 1]] <= keys[i] + tie:
                out[spot] = out[spot - 1]
                spot -= 1
            out[spot] = i
        return
    held, least = 0, -np.inf
    for i in range(n):
        if held == width and keys[i] <= least + tie:
            continue
        place = min(held, width - 1)
        while place > 0 and keys[i] > keys[out[place - 1]] + tie:
            out[place] = out[place - 1]
            place -= 1
        out[place] = i
        held = min(held + 1, width)
        least = keys[out[held - 1]]
