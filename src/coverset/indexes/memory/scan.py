"""One pass over an array in memory: the best rows for each query of a batch, never holding all the scores."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.solvers.parallel import each, ranges

if TYPE_CHECKING:
    from coverset.indexes.memory.index import MemoryIndex
    from coverset.indexes.memory.rounded import Rounded
    from coverset.sparse import Terms
    from coverset.vectors import Vectors


# Rows per matrix product: a block's scores stay in the cache while they are picked through.
BLOCK = 8192
# Groups of rows by whose best one it is told what the best of all reach, for each row that is asked for.
GROUPS = 8
# Rows from which on samples of them may be worth their while.
LARGE = 65536
# Pairs of a query and a row from which on a rounded copy may be, for so few queries at a time: for more of them a
# product of matrices is no slower.
PAIRS, FEW = 16384, 8


# Takes in the (queries, rows) scores of the rows from a start on, and how much higher each query's may be.
Keep = Callable[[int, Floats, Floats], None]


def rounding(index: MemoryIndex, queries: Vectors) -> Floats:
    """Return, for each query, a generous bound on the error of a float32 inner product with any row."""
    lengths = queries.norms * index.corpus.longest
    summands = index.corpus.dim + index.most_words
    bound: Floats = (8 * np.finfo(np.float32).eps * np.sqrt(summands) * lengths).astype(np.float32)
    return bound


def is_for_few(index: MemoryIndex, queries: int) -> bool:
    """Whether a pass for so many queries is made over a rounded copy, if there is one."""
    return queries <= FEW and queries * len(index) >= PAIRS


def scan(
    index: MemoryIndex,
    queries: Vectors,
    most: int,
    floors: Floats | Array | None = None,
    keep: Keep | None = None,
    step: int = 1,
    *,
    in_full: bool = True,
) -> list[Ids]:
    """Return, for each query, the rows (ascending) among which are its `most` best above its floor.

    Queries are `scaled`. Rows are found in single precision, and words by weights
    that are rounded, so the list also holds whatever rounding could have put there: rows within it of the floor or
    of the `most`-th score. Zero rows are never listed.

    With a `step`, only every so many rows are looked at. `keep` is given the scores, block by block. Where rows
    are scored anyway, they need not be read `in_full`: what a rounded copy does not rule out is listed as it is.
    """
    # Imported here: numba, which compiles it, is only needed once something is searched for.
    from coverset.products import multiply

    slack = rounding(index, queries)
    lowest = np.full(len(queries), np.finfo(np.float32).min)  # zero rows score minus infinity
    if floors is not None:
        lowest = np.maximum(lowest, floors.astype(np.float32) - slack)
    rounded = index.rounded() if is_for_few(index, len(queries)) else None
    if rounded is not None:
        return _scan_roughly(index, rounded, queries, most, slack, lowest, keep, step, in_full)
    corpus, blank = index.corpus, index.blank[index.blank % step == 0] // step
    targets = np.float32(corpus.roots[0]) * queries.meaning
    words = index.word_scan(queries.words, step) if corpus.width else None
    error = np.zeros(len(queries), np.float32) if words is None else words.error
    shortlists: list[Shortlist] = []

    def look(part: tuple[int, int]) -> None:
        shortlist = Shortlist(len(queries), most, slack + 2 * error, lowest - error)
        room = np.empty((len(targets), BLOCK), np.float32)
        for start in range(*part, BLOCK):
            width = min(BLOCK, part[1] - start)
            scores = room if width == BLOCK else np.empty((len(targets), width), np.float32)
            multiply(corpus.rows.meaning, step, start, targets, scores)
            if words is not None:
                words.add(start, scores)
            if keep is not None:
                keep(start, scores, error)
            low, high = np.searchsorted(blank, (start, start + width))
            scores[:, blank[low:high] - start] = -np.inf
            shortlist.add(start, scores)
        shortlists.append(shortlist)

    each(look, ranges(-(-len(corpus) // step)))
    return [found * step for found in Shortlist.joined(shortlists).rows()]


def _scan_roughly(
    index: MemoryIndex,
    rounded: Rounded,
    queries: Vectors,
    most: int,
    slack: Floats,
    lowest: Floats,
    keep: Keep | None,
    step: int,
    in_full: bool,
) -> list[Ids]:
    """Scan for a few queries with a rounded copy, and read in full what it does not rule out.

    Then negative words, which a residual has for all that is covered, are left out: they only lower scores.
    """
    from coverset.indexes.memory.listing import best_rows

    corpus, words = index.corpus, queries.words
    targets = np.float32(corpus.roots[0]) * queries.meaning
    without = in_full and not corpus.words.negative
    error = (rounded.error * np.linalg.norm(targets, axis=1)).astype(np.float32)
    scores = rounded.scores(targets, step)
    if corpus.width:
        scanned = index.word_scan(words.valued(np.maximum(words.values, 0)) if without else words, step)
        each(lambda part: scanned.add(part[0], scores[:, slice(*part)]), ranges(scores.shape[1]))
        error += scanned.error
    if keep is not None:
        keep(0, scores, error)
    scores[:, index.blank[index.blank % step == 0] // step] = -np.inf
    found: list[Ids] = [np.empty(0, np.int64)] * len(queries)

    def read(q: int) -> None:
        rows, reached = best_rows(scores[q], most, slack[q] + 2 * error[q], lowest[q] - error[q])
        found[q] = rows * step
        if not in_full:
            return
        said = slice(words.starts[q], words.starts[q + 1])
        spread = np.zeros(corpus.width, np.float32)
        spread[words.terms[said]] = words.values[said]
        query = queries.meaning[q], spread
        found[q], least = _read_in_full(corpus, found[q], *query, most, lowest[q], slack[q])
        # Where many are lower than they seemed, others may be among the best.
        if without and reached > least - error[q] and (words.values[said] < 0).any():
            rows = np.flatnonzero(scores[q] >= least - error[q]) * step
            found[q], _ = _read_in_full(corpus, rows, *query, most, lowest[q], slack[q])

    each(read, range(len(queries)))
    return found


def _read_in_full(
    corpus: Vectors, rows: Ids, query: Floats, spread: Floats, most: int, lowest: np.float32, slack: np.float32
) -> tuple[Ids, np.float32]:
    """Return those of some rows among which are the `most` best above a floor, and what the last of them needs."""
    from coverset.products import quick_scores

    scores = quick_scores(corpus.rows, rows, query, spread)
    if len(rows) > most:
        lowest = max(lowest, np.partition(scores, len(rows) - most)[len(rows) - most] - slack)
    kept: Ids = rows[scores >= lowest]
    return kept, lowest


class Shortlist:
    """The best rows so far: what beats a threshold that rises as better rows are seen."""

    def __init__(self, queries: int, most: int, slack: Floats, lowest: Floats) -> None:
        self.most, self.slack, self.threshold = most, slack, lowest
        self.queries = np.arange(queries + 1)
        self.found: list[tuple[Ids | Terms, Ids | Terms, Floats]] = []
        self.pending = 0

    @staticmethod
    def joined(shortlists: list[Shortlist]) -> Shortlist:
        """Return one shortlist out of those of some runs of rows."""
        first, *others = shortlists
        for other in others:
            first.threshold = np.maximum(first.threshold, other.threshold)
            first.found += other.found
        return first

    def add(self, start: int, scores: Floats) -> None:
        """Take in the (queries, rows) scores of the rows from `start` on."""
        width = scores.shape[1]
        if not self.found and width > self.most:
            self.threshold = np.maximum(self.threshold, _reached(scores, self.most) - self.slack)
        flat = np.flatnonzero((scores >= self.threshold[:, None]).ravel())
        query, row = np.divmod(flat, width)
        self.take(query, row + start, scores.ravel()[flat])

    def take(self, query: Ids | Terms, row: Ids | Terms, scores: Floats) -> None:
        """Take in scores one by one."""
        self.found.append((query, row, scores))
        self.pending += len(scores)
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


def _reached(scores: Floats, most: int) -> Floats:
    """Return a score that the `most` best of each query reach: where rows are many, that of the best of groups."""
    width, groups = scores.shape[1], GROUPS * most
    if width >= 2 * groups:
        whole = width // groups * groups
        scores = scores[:, :whole].reshape(len(scores), -1, groups).max(axis=1)
        width = groups
    reached: Floats = np.partition(scores, width - most, axis=1)[:, width - most]
    return reached
