"""MemoryIndex: the corpus in memory, searched exactly, prepared once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Array, Floats, Ids, read_only
from coverset.indexes.memory.scan import scan
from coverset.inputs import as_corpus, as_count, as_number, as_targets, squared_norms
from coverset.ranking import ranked
from coverset.solvers import fista
from coverset.solvers.parallel import each, ranges
from coverset.vectors import Vectors

if TYPE_CHECKING:
    from coverset.indexes.memory.postings import Postings
    from coverset.indexes.memory.rounded import Rounded, Rounding
    from coverset.indexes.memory.word_scan import WordScan
    from coverset.sparse import Words

# Queries scanned for together.
QUERIES = 128
# The share of words in a score, unless told otherwise: chosen on labelled sets, see docs/default.md.
SHARE = 0.6
# Pairs of a query and a document from which on all cores score them.
MANY = 1024
# Two documents of a cosine above this are much alike; how many documents, and how many near each, are looked at.
MUCH_ALIKE, SAMPLE, COPIES = 0.8, 64, 64
# How many views with other shares of words are kept, with all that they have computed: as many as tuning tries.
VIEWS = 8


class MemoryIndex:
    """An exact index over an (N, d) array, or over Vectors; the ids are row numbers.

    The corpus is validated once and, if it is C-contiguous float32, not copied: do not change it afterwards.
    What some decoders need of all of it (Gram matrix, Lipschitz constant, mean) is computed when first asked for
    and kept, so hand a MemoryIndex instead of an array to code that decodes repeatedly.

    Rows need not be unit; zero rows are never returned.

    Parameters
    ----------
    corpus
        (N, d) array of finite numbers, or Vectors with meaning, words or both.
    share
        The share of words in a score, from 0 to 1, where there are both. A query that lacks a half gives its
        share to the other.
    """

    exact = True

    def __init__(self, corpus: ArrayLike | Vectors, share: float = SHARE) -> None:
        self.share = as_number("share", share, 0.0, 1.0)
        self._views: dict[float, MemoryIndex] = {}
        if isinstance(corpus, Vectors):
            if len(corpus) == 0:
                raise ValueError("corpus must hold at least one document, got none")
            if not corpus.width or not corpus.dim:
                self.share = float(not corpus.dim)
            self.corpus = corpus.sharing(self.share)
        else:
            rows = as_corpus(corpus)
            self.share, self.corpus = 0.0, Vectors.of(rows)
            self.corpus.norms = np.sqrt(squared_norms(rows))
        self.dim = self.corpus.dim
        self._postings: list[Postings] = []
        self._rounding: list[Rounding] = []

    @property
    def norms(self) -> Floats:
        """Every row's length."""
        return self.corpus.norms

    @cached_property
    def blank(self) -> Ids:
        """The rows of length 0."""
        return np.flatnonzero(self.norms == 0)

    @cached_property
    def ids(self) -> Ids:
        """The number of every row."""
        return read_only(np.arange(len(self)))

    def __repr__(self) -> str:
        """Say how many documents it has, and of what kind."""
        words = f", words with share {self.share:g}" if self.corpus.width else ""
        return f"<MemoryIndex {len(self):,} documents, meaning {self.dim} wide{words}>"

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.corpus)

    def sharing(self, share: float) -> MemoryIndex:
        """Return the same documents with another share of words; what it has computed is kept with this one."""
        if share == self.share or not (self.corpus.width and self.corpus.dim):
            return self
        view = self._views.get(share)
        if view is None:
            # It must not know this one: what refers to itself stays in memory long after a store has changed.
            view = MemoryIndex(self.corpus, share)
            view._postings, view._rounding = self._postings, self._rounding
            self._views[share] = view
            for oldest in list(self._views)[:-VIEWS]:
                self._views.pop(oldest, None)
        return view

    def suiting(self, queries: Vectors) -> list[tuple[Ids, MemoryIndex]]:
        """Return which queries to answer with which share: one that lacks a half gives its share to the other."""
        if not (self.corpus.width and self.corpus.dim):
            return [(np.arange(len(queries)), self)]
        shares = np.full(len(queries), self.share)
        shares[np.diff(queries.words.starts) == 0] = 0.0
        shares[~queries.meaning.any(axis=1)] = 1.0
        return [(np.flatnonzero(shares == share), self.sharing(share)) for share in np.unique(shares).tolist()]

    def search(self, queries: ArrayLike | Vectors, k: int) -> tuple[Floats, Ids]:
        """Return (scores, ids) of the k largest inner products, best first; equal scores by the lowest id.

        The scores are rounded from double precision, so they do not depend on what else is in the batch,
        and rows that are equal get scores that are equal.
        """
        batch, width = as_targets("queries", queries, self.corpus), as_count("k", k)
        scores = np.full((len(batch), width), -np.inf, np.float32)
        ids = np.full((len(batch), width), -1, np.int64)
        for which, view in self.suiting(batch):
            for start in range(0, len(which), QUERIES):
                part = which[start : start + QUERIES]
                scores[part], ids[part] = view._search(batch.take(part).sharing(view.share), width)
        return scores, ids

    def _search(self, queries: Vectors, k: int) -> tuple[Floats, Ids]:
        """Search a few queries, all with this index's share."""
        scores = np.full((len(queries), k), -np.inf, np.float32)
        ids = np.full((len(queries), k), -1, np.int64)
        found = scan(self, queries.scaled(), k, in_full=False)
        counts = np.array([len(rows) for rows in found])
        inside = np.arange(counts.max(initial=0)) < counts[:, None]
        rows, exact = np.full(inside.shape, -1), np.full(inside.shape, -np.inf, np.float32)
        rows[inside] = np.concatenate(found)
        exact[inside] = self._scores(queries, np.repeat(np.arange(len(queries)), counts), rows[inside])
        order = ranked(exact, min(k, inside.shape[1]))
        scores[:, : order.shape[1]] = np.take_along_axis(exact, order, axis=1)
        ids[:, : order.shape[1]] = np.take_along_axis(rows, order, axis=1)
        return scores, ids

    def _scores(self, queries: Vectors, which: Ids, rows: Ids) -> Floats:
        """Inner products of pairs of a query and a row, summed in double precision."""
        from coverset.products import pair_scores

        out, halves = np.empty(len(rows), np.float32), (self.corpus.rows, queries.rows)
        parts = ranges(len(rows)) if len(rows) > MANY else [(0, len(rows))]
        each(lambda part: pair_scores(*halves, which, rows, *part, out), parts)
        return out

    def vectors(self, ids: Ids) -> Floats | Vectors:
        """Return the vectors of these rows: an array where there are no words."""
        return self.corpus.take(ids) if self.corpus.width else self.corpus.meaning[ids]

    @cached_property
    def most_words(self) -> int:
        """How many words the longest document has."""
        return int(np.diff(self.corpus.words.starts).max(initial=0))

    def word_scan(self, targets: Words, step: int) -> WordScan:
        """Return what adds the words' part to the scores of a scan."""
        from coverset.indexes.memory.postings import Postings
        from coverset.indexes.memory.word_scan import WordScan

        if not self._postings:  # one list, shared by all views
            self._postings.append(Postings.of(self.corpus.words))
        return WordScan.of(self.corpus.rows, self._postings[0], targets, step)

    def rounded(self) -> Rounded | None:
        """Return the rounded copy of the meaning for one more pass, if there is one."""
        from coverset.indexes.memory.rounded import Rounding

        if not self._rounding:  # one list, shared by all views
            self._rounding.append(Rounding(self.corpus.rows.meaning))
        return self._rounding[0].copy()

    @property
    def has_rounded(self) -> bool:
        """Whether the rounded copy has been made."""
        return bool(self._rounding) and self._rounding[0].made

    @cached_property
    def gram(self) -> Array:
        """The (N, N) inner products between documents, in double precision."""
        return self.corpus.gram()

    @cached_property
    def some(self) -> Vectors:
        """Some five hundred documents, from all over the corpus."""
        return self.corpus.take(slice(None, None, max(1, len(self) // 512)))

    @cached_property
    def crowding(self) -> float:
        """How alike documents are: the median cosine to the nearest other one, within a sample of some 256."""
        sample = self.corpus.take(slice(None, None, max(1, len(self) // 256)))
        sample = sample.take(np.flatnonzero(sample.norms > 0))
        if len(sample) < 2:
            return 0.0
        cosines = sample.inner(sample) / np.outer(sample.norms, sample.norms)
        np.fill_diagonal(cosines, -1.0)
        return float(np.median(cosines.max(axis=1)))

    @cached_property
    def copies(self) -> int:
        """In how many versions, much alike, at least half of the documents are there; 1: there are no versions.

        Told by a sample, up to 64. Only words and meaning together can tell versions from different things that
        are described alike.
        """
        rows = np.unique(np.linspace(0, len(self) - 1, SAMPLE).astype(np.int64))
        rows = rows[self.norms[rows] > 0]
        if not (self.corpus.width and self.corpus.dim and len(rows)):
            return 1
        scores, ids = self.search(self.corpus.take(rows), min(COPIES, len(self)))
        alike = scores >= MUCH_ALIKE * self.norms[rows][:, None] * self.norms[ids]
        return max(1, int(np.sort(alike.sum(axis=1))[len(rows) // 2]))

    @cached_property
    def written(self) -> Floats:
        """The rows written out, both halves side by side, for what works on plain arrays only."""
        if not self.corpus.width:
            return self.corpus.meaning
        return self.corpus.flat().astype(np.float32)

    @cached_property
    def lipschitz(self) -> float:
        """||U'U||_2, the constant in FISTA's step."""
        return fista.lipschitz(self.written)

    @cached_property
    def mean(self) -> Floats:
        """The mean meaning."""
        mean: Floats = self.corpus.meaning.mean(axis=0, dtype=np.float64).astype(np.float32)
        return mean

    @cached_property
    def centered(self) -> MemoryIndex:
        """The same documents with their mean meaning taken away; words have no direction in common."""
        rows = self.corpus.meaning - self.mean
        rows[self.blank] = 0.0
        if not self.corpus.width:
            return MemoryIndex(rows)
        return MemoryIndex(Vectors(rows, self.corpus.words), self.share)
