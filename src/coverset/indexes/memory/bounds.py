"""Bounds on the scores of all rows, a byte each: which rows to read when a residual has turned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Array, Floats, Ids, read_only
from coverset.compilation import vectorised
from coverset.gathering import numbered
from coverset.products import few_products, inner, length
from coverset.solvers.parallel import each, ranges
from coverset.sparse import NO_TERMS, Terms
from coverset.vectors import Rows, Vectors

Codes = NDArray[np.uint8]

# The largest code.
TOP = 255
# Rows that stay in a core's own cache while the queries that need them are gone through.
TOGETHER = 256
# Room for what is found, beside that of one such lot.
ROOM = 65536


class Turned(NamedTuple):
    """What a query's codes mean for another residual: rows up to `cut` do not reach the floor, the others may.

    Of the former, a code is bounded by `slope` times what it was and `shift`.
    """

    cut: int
    slope: float
    shift: float


class Bounds:
    """What is known of the scores u.r of every row u, for the residual r that each query had last.

    A score is below the query's unit times the row's code; the unit is such that no score needs more than the top.
    """

    def __init__(self, queries: int, rows: int, longest: float) -> None:
        self.codes: Codes = np.empty((queries, rows), np.uint8)
        self._residuals: list[Vectors | None] = [None] * queries
        self._longest = longest

    def _unit(self, residual: Vectors) -> float:
        return max(self._longest * residual.longest / (TOP - 1), float(np.finfo(np.float32).tiny))

    def keep(self, batch: Ids, residuals: Vectors) -> Callable[[int, Floats, Floats], None]:
        """Return what takes in the (queries, rows) scores of these residuals, of the rows from a start on.

        And how much higher than they are told those of a query may be.
        """
        per_unit = self._known(batch, residuals)
        return lambda start, scores, error: _encode(scores, error, batch, per_unit, start, self.codes)

    def _known(self, batch: Ids, residuals: Vectors) -> Floats:
        """Note the residuals that the codes of these queries are about to be those of; returns 1 / unit."""
        each_one = [residuals.one(n) for n in range(len(residuals))]
        for query, residual in zip(batch.tolist(), each_one, strict=True):
            self._residuals[query] = residual
        return np.array([1.0 / self._unit(residual) for residual in each_one], np.float32)

    def turned(self, query: int, residual: Vectors, floor: float) -> Turned | None:
        """Return what the query's codes mean for this residual; None: nothing is known yet."""
        before = self._residuals[query]
        if before is None:
            return None
        old_one, new_one = before.narrowed(residual)
        least, slope = needed(old_one.flat()[0], new_one.flat()[0], floor, self._longest)
        if not np.isfinite(least):
            return None
        old, new = self._unit(before), self._unit(residual)
        cut = int(np.clip(least / old, 0, TOP))
        return Turned(cut, slope * old / new, (floor - slope * least) / new)

    def read(
        self, rows: Rows, step: int, batch: Ids, residuals: Vectors, turned: Sequence[Turned], lowest: Floats
    ) -> list[tuple[Terms, Terms, Floats]]:
        """Read what is within reach of these residuals: (queries, places, scores) of what is above the lowest.

        Every `step`-th row is known, and counted.
        """
        cuts, slopes, shifts = (np.array(part, np.float32) for part in zip(*turned, strict=True))
        terms, slots = residuals.words.terms, np.zeros(rows.width, np.int32)
        asked, _, count = numbered(read_only(terms), NO_TERMS)
        slots[terms] = asked + 1
        spread = np.zeros((len(batch), count + 1), np.float32)
        spread[residuals.words.owners, asked + 1] = residuals.words.values
        per_unit = self._known(batch, residuals)
        found: list[tuple[Terms, Terms, Floats]] = []

        def read(part: tuple[int, int]) -> None:
            start, stop = part
            room = TOGETHER * len(batch) + min(ROOM, len(batch) * (stop - start))
            query, place, score = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.float32)
            while start < stop:
                start, count = _read(
                    rows, step, start, stop, self.codes, batch, cuts, slopes, shifts, residuals.meaning, slots,
                    spread, per_unit, lowest, query, place, score,
                )  # fmt: skip
                found.append((query[:count].copy(), place[:count].copy(), score[:count].copy()))

        each(read, ranges(self.codes.shape[1]))
        return found


def needed(before: Array, after: Array, floor: float, longest: float) -> tuple[float, float]:
    """Return, for residuals r and then r', the least u.r of any row u, at most `longest`, with u.r' >= floor.

    Of such rows the one with the least u.r lies in the plane of r and r', at the edge of what is allowed: its
    part along r' is f = floor / ||r'||, and the rest, sqrt(longest^2 - f^2), points away from r.

    The highest u.r' of rows with some u.r is a concave function of it. Also returned is its slope there: below, it
    falls at least as fast.
    """
    nothing = 1e-150  # in place of a residual of length 0
    old, new = (max(length(r), nothing) for r in (before, after))
    cosine = inner(before, after) / (old * new)
    sine = length(after / new - (cosine / old) * before)
    along = min(max(floor / new, -longest), longest)
    if along <= -longest * cosine:
        return -np.inf, 0.0
    aside = np.sqrt(longest**2 - along**2)
    low = along * cosine - aside * sine
    # The same row: its part along r, and what is left, which has a part along r' as well.
    slope = cosine - low / max(np.sqrt(max(longest**2 - low**2, 0.0)), nothing) * sine
    return float(old * low), float(max(slope, 0.0) * new / old)


@vectorised
def _encode(scores: Floats, error: Floats, batch: Ids, per_unit: Floats, start: int, out: Codes) -> None:
    """Write the codes of the (queries, rows) scores of the rows from `start` on; what is below 0 has that of 0."""
    for b in range(scores.shape[0]):
        known, off, times = out[batch[b], start : start + scores.shape[1]], error[b], per_unit[b]
        for n in range(len(known)):
            units = min(max((scores[b, n] + off) * times, np.float32(0.0)), np.float32(TOP - 1))
            known[n] = np.uint8(np.int32(units) + 1)


@vectorised
def _renew(codes: Codes, slope: float, shift: float) -> None:
    """Replace codes by what bounds them for another residual."""
    for n in range(len(codes)):
        units = min(max(np.float32(codes[n]) * slope + shift, np.float32(0.0)), np.float32(TOP - 1))
        codes[n] = np.uint8(np.int32(units) + 1)


@vectorised
def _read(
    rows: Rows,
    step: int,
    start: int,
    stop: int,
    codes: Codes,
    batch: Ids,
    cuts: Floats,
    slopes: Floats,
    shifts: Floats,
    targets: Floats,
    slots: Terms,
    spread: Floats,
    per_unit: Floats,
    lowest: Floats,
    query: Terms,
    place: Terms,
    score: Floats,
) -> tuple[int, int]:
    """Read the rows whose codes are above the cuts, renew all codes, and list what scores above the lowest.

    A term's place in the words of the targets, `spread`, is in its slot: that of 0 is 0.
    Returns how far it came, as there may not be room for more, and how many are listed.
    """
    words = len(rows.terms) > 0
    meaning, scale, share = rows.meaning, np.float32(rows.roots[0]), np.float32(rows.roots[1])
    members, chosen = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.int64)
    fresh, count = np.empty(TOGETHER, np.float32), 0
    for begin in range(start, stop, TOGETHER):
        if count + TOGETHER * len(batch) > len(score):
            return begin, count
        end = min(begin + TOGETHER, stop)
        for b in range(len(batch)):
            known = codes[batch[b], begin:end]
            size = _above(known, np.uint8(cuts[b]), members)
            _renew(known, slopes[b], shifts[b])
            for m in range(size):
                chosen[m] = (begin + members[m]) * step
            few_products(meaning, chosen, size, targets[b], fresh)
            for m in range(size):
                total, i = scale * fresh[m], chosen[m]
                if words:
                    for e in range(rows.starts[i], rows.starts[i + 1]):
                        total += share * rows.values[e] * spread[b, slots[rows.terms[e]]]
                units = min(max(total * per_unit[b], np.float32(0.0)), np.float32(TOP - 1))
                known[members[m]] = np.uint8(np.int32(units) + 1)
                if total > lowest[b]:
                    query[count], place[count], score[count] = b, begin + members[m], total
                    count += 1
    return stop, count


@vectorised
def _above(codes: Codes, cut: int, out: Ids) -> int:
    """List where codes are above the cut; returns how many there are."""
    highest, size = cut, 0
    for n in range(len(codes)):
        highest = max(highest, codes[n])
    if highest > cut:
        for n in range(len(codes)):
            out[size] = n
            size += codes[n] > cut
    return size
