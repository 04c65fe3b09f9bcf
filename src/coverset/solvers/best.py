"""The best documents of a solution, in order, compiled."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Floats, Ids, Keys
from coverset.compilation import compiled, vectorised
from coverset.products import copy

# Up to this many are kept in order while the documents are gone through; for more, all are sorted.
FEW = 32
# Values closer than this, relative to the largest, are equal but for rounding: the lowest document goes first.
TIE = 1e-12
# Weights are what scores exceed l1 by, over l2. So those of equal documents may differ by the rounding of scores,
# over l2; those of others are known better than that, so that no more than this counts as equal.
ROUNDING, WIDEST = 16 * float(np.finfo(np.float64).eps), 1e-9


@compiled
def best(weights: Array, scores: Array, l2: Array, k: int, fill: bool) -> tuple[Ids, Floats, Ids, Array, Array]:
    """Return (columns, their weights, counts, last, next): each query's best, in order, and how many to return.

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
    columns, chosen = np.zeros((queries, width), np.int64), np.zeros((queries, width), np.float32)
    last, following = np.full(queries, np.inf), np.full(queries, -np.inf)
    keys, places = np.empty(n), np.empty(n, np.int64)
    for q in range(queries):
        found, weighted = columns[q], min(supports[q], counts[q])
        # A weight below the tie is one all the same, and goes before every document without.
        for held, column in enumerate(np.flatnonzero(weights[q])):
            keys[held], places[held] = weights[q, column], column
        rounding = ROUNDING * _highest(scores[q]) / l2[q] if l2[q] > 0.0 else 0.0
        _fill(keys[: supports[q]], found[:weighted], rounding)
        for place in range(weighted):
            found[place] = places[found[place]]
        if counts[q] > weighted:
            for i in range(n):
                keys[i] = -np.inf if weights[q, i] > 0.0 else scores[q, i]
            _fill(keys, found[weighted : counts[q]], 0.0)
        copy(scores[q], keys, n)
        for place in range(counts[q]):
            i = found[place]
            chosen[q, place] = weights[q, i]
            last[q] = min(last[q], scores[q, i])
            keys[i] = -np.inf
        following[q] = _largest(keys)
    return columns, chosen, counts, last, following


@vectorised
def _largest(values: Array) -> float:
    """Return the largest value; minus infinity where there is none."""
    largest = -np.inf
    for i in range(len(values)):
        largest = max(largest, values[i])
    return largest


@vectorised
def _highest(values: Array) -> float:
    """Return the largest absolute value, of those that are finite."""
    highest = 0.0
    for i in range(len(values)):
        highest = max(highest, abs(values[i]) if values[i] > -np.inf else 0.0)
    return highest


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
    largest = _highest(keys)
    tie = min(max(TIE * largest, rounding), WIDEST * largest)
    if width > FEW:
        order = np.argsort(-keys, kind="mergesort")
        for place in range(n):
            i, spot = order[place], min(place, width)
            if place >= width and keys[i] + tie < keys[order[width - 1]]:
                break
            while spot > 0 and out[spot - 1] > i and keys[out[spot - 1]] <= keys[i] + tie:
                if spot < width:
                    out[spot] = out[spot - 1]
                spot -= 1
            if spot < width:
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
