"""The words of a corpus by term, for scans: which rows have a term, and with what weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats, Ids
from coverset.compilation import compiled
from coverset.indexes.memory.samples import sample, samples
from coverset.sparse import Terms, Words

Codes: TypeAlias = NDArray[np.int16]
# The largest code, and the smallest scale: what is smaller is rounded to 0.
TOP, TINY = 32767, 1e-30
# By how many scales a weight may be off: half of one, and what is lost in dividing.
OFF = 0.51


def scaling(largest: Floats) -> Floats:
    """Return the scales for weights of which these are the largest."""
    scales: Floats = np.maximum(largest / np.float32(TOP), np.float32(TINY))
    return scales


def coded(weights: Floats, scales: Floats) -> Codes:
    """Return weights as codes of two bytes, to a scale each."""
    codes: Codes = np.rint(weights / scales).astype(np.int16)
    return codes


@dataclass(frozen=True, eq=False)
class Postings:
    """For every term, the rows that have it and its weight in each, as `scale * code`, a scale for each term.

    Rows of the smallest sample come first, then those of the next that are not in it, ascending in each such run:
    who asks a sample reads the beginning of every list. The weights of the `heaviest` row add up to so much.
    """

    starts: Ids
    rows: Terms
    codes: Codes
    scales: Floats
    heaviest: float

    @classmethod
    def of(cls, words: Words) -> Postings:
        """Return the words the other way round: by term instead of by row."""
        starts = np.concatenate([[0], np.cumsum(np.bincount(words.terms, minlength=words.width))])
        sizes, largest = abs(words.values), np.zeros(words.width, np.float32)
        np.maximum.at(largest, words.terms, sizes)
        scales = scaling(largest)
        codes = coded(words.values, scales[words.terms])
        places = np.repeat(np.arange(len(words)), np.diff(words.starts))
        heaviest = float(np.bincount(places, sizes).max(initial=0.0))
        order = np.argsort(samples(np.arange(len(words))), kind="stable")
        rows, codes = _turned(order, words.starts, words.terms, codes, starts[:-1].copy())
        return cls(starts, rows, codes, scales, heaviest)

    @property
    def nbytes(self) -> int:
        """The memory that they take."""
        return sum(part.nbytes for part in (self.starts, self.rows, self.codes, self.scales))


@compiled
def _turned(order: Ids, starts: Ids, terms: Terms, codes: Codes, ends: Ids) -> tuple[Terms, Codes]:
    """Put every entry, row by row in this order, at the end of its term's list, where `ends` says."""
    rows, turned = np.empty(len(terms), np.int32), np.empty(len(terms), np.int16)
    for row in order:
        for e in range(starts[row], starts[row + 1]):
            at = ends[terms[e]]
            rows[at], turned[at] = row, codes[e]
            ends[terms[e]] += 1
    return rows, turned


@compiled
def runs(rows: Terms, starts: Ids, terms: Ids, count: int) -> tuple[Ids, Ids]:
    """Return where the first so many runs of each term's list begin and end, (terms, runs)."""
    begins, ends = np.empty((len(terms), count), np.int64), np.empty((len(terms), count), np.int64)
    for n in range(len(terms)):
        at = starts[terms[n]]
        for run in range(count):
            begins[n, run] = at
            end = starts[terms[n] + 1]
            while at < end:
                middle = (at + end) // 2
                if sample(rows[middle]) <= run:
                    at = middle + 1
                else:
                    end = middle
            ends[n, run] = at
    return begins, ends
