"""Sparse rows, some of many, and their terms numbered anew, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled

if TYPE_CHECKING:
    from coverset.sparse import Terms

# 2^64 over the golden ratio: its multiples' first bits are spread evenly.
MIXED = np.uint64(0x9E3779B97F4A7C15)


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
def numbered(terms: Terms, others: Terms) -> tuple[Terms, Terms, int]:
    """Return terms, and others, numbered as they come, and how many different ones there are.

    By a hash table that is as large as they are many: a vocabulary may have millions.
    """
    bits = 6
    while 1 << bits < 2 * (len(terms) + len(others)):
        bits += 1
    keys, numbers = np.full(1 << bits, -1, np.int32), np.empty(1 << bits, np.int32)
    first, second = np.empty(len(terms), np.int32), np.empty(len(others), np.int32)
    count = _number(others, keys, numbers, bits, _number(terms, keys, numbers, bits, 0, first), second)
    return first, second, count


@compiled
def _number(terms: Terms, keys: Terms, numbers: Terms, bits: int, count: int, out: Terms) -> int:
    """Number terms from `count` on, those in the table as there; keys are looked for from their hash onwards."""
    for e in range(len(terms)):
        slot = np.int64((np.uint64(terms[e]) * MIXED) >> np.uint64(64 - bits))
        while keys[slot] != terms[e] and keys[slot] >= 0:
            slot = (slot + 1) & (len(keys) - 1)
        if keys[slot] < 0:
            keys[slot], numbers[slot] = terms[e], count
            count += 1
        out[e] = numbers[slot]
    return count
