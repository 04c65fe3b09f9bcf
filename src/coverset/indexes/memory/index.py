"""MemoryIndex: the corpus as an array in memory, searched exactly, prepared once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.indexes.memory.scan import BLOCK, scan
from coverset.inputs import as_corpus, as_count, as_queries, squared_norms
from coverset.ranking import ranked
from coverset.solvers import fista

# Queries scanned for together.
QUERIES = 128


class MemoryIndex:
    """An exact index over an (N, d) array; the ids are its row numbers.

    The array is validated once and, if it is C-contiguous float32, not copied: do not change it afterwards.
    What some decoders need of the whole corpus (Gram matrix, Lipschitz constant, mean) is computed when
    first asked for and kept, so hand a MemoryIndex instead of an array to code that decodes repeatedly.

    Rows need not be unit; zero rows are never returned.

    Parameters
    ----------
    corpus
        (N, d) array of finite numbers.
    """

    exact = True

    def __init__(self, corpus: Any) -> None:
        self.rows: Floats = as_corpus(corpus)
        self.dim = self.rows.shape[1]
        self.norms: Floats = np.sqrt(squared_norms(self.rows))
        self.blank: Ids = np.flatnonzero(self.norms == 0)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def search(self, queries: Any, k: int) -> tuple[Floats, Ids]:
        """Return (scores, ids) of the k largest inner products, best first; equal scores by the lowest id.

        The scores are rounded from double precision, so they do not depend on what else is in the batch,
        and rows that are equal get scores that are equal.
        """
        batch, _ = as_queries(queries, self.dim)
        width = as_count("k", k)
        scores = np.full((len(batch), width), -np.inf, np.float32)
        ids = np.full((len(batch), width), -1, np.int64)
        for start in range(0, len(batch), QUERIES):
            part = slice(start, start + QUERIES)
            self._search(batch[part], scores[part], ids[part])
        return scores, ids

    def _search(self, queries: Floats, scores: Floats, ids: Ids) -> None:
        """Search a few queries, results in place."""
        found = scan(self, queries, ids.shape[1])
        counts = np.array([len(rows) for rows in found])
        inside = np.arange(counts.max(initial=0)) < counts[:, None]
        rows, exact = np.full(inside.shape, -1), np.full(inside.shape, -np.inf, np.float32)
        rows[inside] = np.concatenate(found)
        exact[inside] = self._scores(queries, np.repeat(np.arange(len(queries)), counts), rows[inside])
        order = ranked(exact, min(ids.shape[1], inside.shape[1]))
        scores[:, : order.shape[1]] = np.take_along_axis(exact, order, axis=1)
        ids[:, : order.shape[1]] = np.take_along_axis(rows, order, axis=1)

    def _scores(self, queries: Floats, which: Ids, rows: Ids) -> Floats:
        """Inner products of pairs of a query and a row, summed in double precision, a block at a time."""
        out = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            documents = self.rows[rows[part]].astype(np.float64)
            out[part] = np.einsum("ij,ij->i", documents, queries[which[part]].astype(np.float64))
        return out

    def vectors(self, ids: Ids) -> Floats:
        """Return the vectors of these rows."""
        return self.rows[ids]

    @cached_property
    def gram(self) -> Array:
        """The (N, N) inner products between documents, in double precision."""
        wide = self.rows.astype(np.float64)
        gram: Array = wide @ wide.T
        return gram

    @cached_property
    def crowding(self) -> float:
        """How alike documents are: the median cosine to the nearest other one, within a sample of some 256."""
        sample = self.rows[:: max(1, len(self) // 256)]
        sample = sample[np.linalg.norm(sample, axis=1) > 0]
        if len(sample) < 2:
            return 0.0
        unit = sample / np.linalg.norm(sample, axis=1, keepdims=True)
        cosines = unit @ unit.T
        np.fill_diagonal(cosines, -1.0)
        return float(np.median(cosines.max(axis=1)))

    @cached_property
    def lipschitz(self) -> float:
        """||U'U||_2, the constant in FISTA's step."""
        return fista.lipschitz(self.rows)

    @cached_property
    def mean(self) -> Floats:
        """The mean document."""
        mean: Floats = self.rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        return mean

    @cached_property
    def centered(self) -> MemoryIndex:
        """The same documents with their mean taken away."""
        rows = self.rows - self.mean
        rows[self.blank] = 0.0
        return MemoryIndex(rows)
