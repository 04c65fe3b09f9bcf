"""One pass over an array in memory: the best rows for each query of a batch, never holding all the scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.solvers.parallel import each, ranges

if TYPE_CHECKING:
    from coverset.indexes.memory.index import MemoryIndex
    from coverset.indexes.memory.kept import Kept
    from coverset.indexes.memory.rounded import Rounded
    from coverset.sparse import Terms
    from coverset.vectors import Vectors


# Rows per matrix product: a block's scores stay in the cache while they are picked through.
BLOCK = 8192
# Rows from which on samples of them may be worth their while.
LARGE = 65536
# Pairs of a query and a row from which on a rounded copy may be, for so few queries at a time: for more of them a
# product of matrices is no slower.
PAIRS, FEW = 16384, 8


def rounding(index: MemoryIndex, queries: Floats | Array) -> Floats:
    """Return, for each query, a generous bound on the error of a float32 inner product with any row."""
    lengths = np.linalg.norm(queries, axis=1) * index.corpus.longest
    summands = index.corpus.dim + index.most_words
    bound: Floats = (8 * np.finfo(np.float32).eps * np.sqrt(summands) * lengths).astype(np.float32)
    return bound


def scan(
    index: MemoryIndex,
    queries: Floats,
    most: int,
    floors: Floats | Array | None = None,
    kept: Kept | None = None,
    step: int = 1,
) -> list[Ids]:
    """Return, for each query, the rows (ascending) among which are its `most` best above its floor.

    Queries are written out, as `Vectors.flat` has them. Rows are found in single precision, so the list also
    holds whatever rounding could have put there: rows within `rounding` of the floor or of the `most`-th score.
    Zero rows are never listed.

    With a `step`, only every so many rows are looked at. `kept` is given the scores.
    """
    slack = rounding(index, queries)
    lowest = np.full(len(queries), np.finfo(np.float32).min)  # zero rows score minus infinity
    if floors is not None:
        lowest = np.maximum(lowest, floors.astype(np.float32) - slack)
    roughly = len(queries) <= FEW and len(queries) * len(index) >= PAIRS
    rounded = index.rounded() if roughly else None
    if rounded is not None:
        return _scan_roughly(index, rounded, queries, most, slack, lowest, kept, step)
    shortlist = _Shortlist(len(queries), most, slack, lowest)
    corpus, blank = index.corpus, index.blank[index.blank % step == 0] // step
    targets = np.float32(corpus.roots[0]) * queries[:, : corpus.dim]
    words = index.word_scan(queries[:, corpus.dim :], step) if corpus.width else None
    rows = corpus.meaning[::step]
    for start in range(0, len(rows), BLOCK):
        scores = targets @ rows[start : start + BLOCK].T
        if words is not None:
            words.add(start, scores)
        low, high = np.searchsorted(blank, (start, start + BLOCK))
        scores[:, blank[low:high] - start] = -np.inf
        if kept is not None:
            kept.add(start, scores)
        shortlist.add(start, scores)
    return [found * step for found in shortlist.rows()]


def _scan_roughly(
    index: MemoryIndex,
    rounded: Rounded,
    queries: Floats,
    most: int,
    slack: Floats,
    lowest: Floats,
    kept: Kept | None,
    step: int,
) -> list[Ids]:
    """Scan for a few queries with a rounded copy, and read in full what it does not rule out."""
    corpus = index.corpus
    targets = np.float32(corpus.roots[0]) * queries[:, : corpus.dim]
    error = (rounded.error * np.linalg.norm(targets, axis=1)).astype(np.float32)
    scores = rounded.scores(targets, step)
    if corpus.width:
        index.word_scan(queries[:, corpus.dim :], step).add(0, scores)
    scores[:, index.blank[index.blank % step == 0] // step] = -np.inf
    if kept is not None:
        kept.error = float(error.max())
        kept.add(0, scores)
    shortlist = _Shortlist(len(queries), most, slack + 2 * error, lowest - error)
    for start in range(0, scores.shape[1], BLOCK):
        shortlist.add(start, scores[:, start : start + BLOCK])
    found = [rows * step for rows in shortlist.rows()]
    for q, scores in enumerate(read_in_full(corpus, [rows.astype(np.int32) for rows in found], queries)):
        if len(scores) > most:
            lowest[q] = max(lowest[q], np.partition(scores, len(scores) - most)[len(scores) - most] - slack[q])
        found[q] = found[q][scores >= lowest[q]]
    return found


def read_in_full(corpus: Vectors, lists: Sequence[Terms], queries: Floats) -> list[Floats]:
    """Return the scores of a list of rows, ascending, for each query."""
    from coverset.products import quick_scores

    ends = np.cumsum([0, *map(len, lists)])
    if ends[-1] == 0:
        return [np.empty(0, np.float32)] * len(lists)
    members, out = np.concatenate(lists), np.empty(ends[-1], np.float32)
    each(lambda part: quick_scores(corpus.rows, members, ends, queries, *part, out), ranges(len(corpus)))
    return np.split(out, ends[1:-1])


class _Shortlist:
    """The best rows so far: what beats a threshold that rises as better rows are seen."""

    def __init__(self, queries: int, most: int, slack: Floats, lowest: Floats) -> None:
        self.most, self.slack, self.threshold = most, slack, lowest
        self.queries = np.arange(queries + 1)
        self.found: list[tuple[Ids, Ids, Floats]] = []
        self.pending = 0

    def add(self, start: int, scores: Floats) -> None:
        """Take in the (queries, rows) scores of the rows from `start` on."""
        width = scores.shape[1]
        if not self.found and width > self.most:
            cut = np.partition(scores, width - self.most, axis=1)[:, width - self.most]
            self.threshold = np.maximum(self.threshold, cut - self.slack)
        flat = np.flatnonzero((scores >= self.threshold[:, None]).ravel())
        query, row = np.divmod(flat, width)
        self.found.append((query, row + start, scores.ravel()[flat]))
        self.pending += len(flat)
        if self.pending > 1.5 * self.most * (len(self.queries) - 1) + 4096:
            self._tighten()

    def rows(self) -> list[Ids]:
        """Return each query's rows, ascending."""
        self._tighten()
        query, row, score = self.found[0]
        ends = np.searchsorted(query, self.queries)
        return [
            np.sort(row[a:b][score[a:b] >= t]) for a, b, t in zip(ends[:-1], ends[1:], self.threshold, strict=True)
        ]

    def _tighten(self) -> None:
        """Drop what is no longer among the best, and raise the thresholds to match."""
        query, row, score = (np.concatenate(part) for part in zip(*self.found, strict=True))
        order = np.argsort(query.astype(np.int16), kind="stable")  # a radix sort
        query, row, score = query[order], row[order], score[order]
        ends = np.searchsorted(query, self.queries)
        for q, (a, b) in enumerate(pairwise(ends)):
            if b - a > self.most:
                cut = np.partition(score[a:b], b - a - self.most)[b - a - self.most]
                self.threshold[q] = max(self.threshold[q], cut - self.slack[q])
        kept = score >= self.threshold[query]
        self.found = [(query[kept], row[kept], score[kept])]
        self.pending = int(kept.sum())
