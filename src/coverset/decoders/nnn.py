"""NNN decoding: the documents whose non-negative combination, sparse and small, rebuilds the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Array, Floats, Keys
from coverset.decoders.cut import Cut
from coverset.decoders.decoder import Decoder
from coverset.decoders.strength import strengths, suited
from coverset.indexes import Corpus, Index, MemoryIndex, as_index, within
from coverset.indexes.ids import present
from coverset.inputs import as_choice, as_count, as_flag, as_number, as_queries
from coverset.ranking import ascending
from coverset.selection import Selection
from coverset.solvers.fista import solve_fista
from coverset.solvers.solution import Solution

# Up to this many documents the Gram matrix of a kept (or of any) index answers without further searches.
SMALL_KEPT, SMALL = 2048, 512
# Queries solved together: over a large corpus, their scores take 64/d of its memory.
BATCH = 64
# Without strengths, over a corpus that is not small, the nearest documents that are decoded.
CANDIDATES = 256


@dataclass(frozen=True)
class NNN(Decoder):
    """Retrieve the set that explains the query: the Non-Negative elastic Net decoder (arXiv:2606.17910).

        w* = argmin_{w >= 0}  1/2 ||U w - v||^2 + l1 sum(w) + l2/2 ||w||^2

    The documents with w > 0 are the answer, ranked by w. A document that the others already explain gets
    no weight, so near-duplicates drop out and what was missing comes in.

    Parameters
    ----------
    l1
        How much a document must still explain to be let in; larger means fewer documents. 0 is the
        paper's L2 variant. None: chosen for each query, see `decoders/strength.py`.
    l2
        How evenly alike documents share their weight. 0 is the paper's L1 variant; as it grows, the
        ranking goes over into that of Dense. None: chosen for each query.
    solver
        "exact" solves to the certified optimum by column generation; "fista" makes the paper's fixed
        number of iterations over the whole corpus.
    iterations
        Iterations of "fista".
    candidates
        Decode among this many documents nearest to the query, after a single search and without a
        certificate; None: over the whole corpus, or, where a strength is left to be chosen and there are
        more than 2,048 documents, among the nearest 256.
    fill
        When fewer than k documents have weight, go on with those that the residual r* = v - U w* likes
        best, at weight 0. False: return only documents with weight.
    center
        Take the mean document away from documents and query first, and with it the direction that all
        embeddings share.
    certify
        Over an approximate index, search exhaustively once it has nothing more to add, where the engine can,
        so that the answer is certified. An exact index certifies its answers anyway.
    """

    l1: float | None = None
    l2: float | None = None
    solver: str = "exact"
    iterations: int = 50
    candidates: int | None = None
    fill: bool = True
    center: bool = False
    certify: bool = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        set_ = object.__setattr__
        for name in ("l1", "l2"):
            if getattr(self, name) is not None:
                set_(self, name, as_number(name, getattr(self, name), 0.0))
        if self.l1 == self.l2 == 0.0:
            raise ValueError("l1 and l2 must not both be 0: the answer would not be unique")
        set_(self, "solver", as_choice("solver", self.solver, ("exact", "fista")))
        set_(self, "iterations", as_count("iterations", self.iterations))
        set_(self, "candidates", as_count("candidates", self.candidates, optional=True))
        set_(self, "fill", as_flag("fill", self.fill))
        set_(self, "center", as_flag("center", self.center))
        set_(self, "certify", as_flag("certify", self.certify))

    @classmethod
    def suited(cls, queries: ArrayLike, corpus: Corpus) -> NNN:
        """Return NNN with the l2 that suits a kind of query: a few dozen of them, without labels, are enough.

        What a single query does not show, whether the documents of this corpus that are needed together are found
        in crowds or apart, some queries together do. So this brings more than `NNN()`, which chooses per query.

        Parameters
        ----------
        queries
            Query embeddings (B, d), of a log say.
        corpus
            Document embeddings (N, d), or a MemoryIndex. A sample of a large corpus will do.
        """
        index = as_index(corpus)
        if not isinstance(index, MemoryIndex):
            raise ValueError("corpus must be in memory: hand in an array, of a sample say, or a MemoryIndex")
        batch, _ = as_queries(queries, index.dim)
        if len(batch) == 0:
            raise ValueError("queries must have at least one row, got none")
        l2, _ = suited(batch, index)
        return cls(l2=l2)

    def rewrite(self, queries: ArrayLike, corpus: Corpus) -> Floats:
        """Return r* = v - U w*, the corrected query, in the shape of `queries`.

        For l2 > 0, NNN ranks documents by u.r*. So any vector database that is handed r* as the query
        returns the NNN ranking from its ordinary search, filters and paging included.
        """
        index = as_index(corpus)
        batch, single = as_queries(queries, index.dim)
        solutions = self._solve(batch, index, 1, prepared=index is corpus)
        residuals = [solution.residuals for solution in solutions]
        rewritten: Floats = np.concatenate(residuals or [np.empty_like(batch)]).astype(np.float32)
        return rewritten[0] if single else rewritten

    def _decode(self, queries: Floats, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        k = as_count("k", k, optional=True)
        solutions = self._solve(queries, index, within(index, k or 1), prepared=prepared)
        candidates = self._candidates(index)
        whole = candidates is None or (index.exact and candidates >= len(index))
        cut = Cut(k, fill=self.fill and k is not None, whole=whole)
        return [selection for solution in solutions for selection in cut.select(solution)]

    def _solve(self, queries: Floats, index: Index, k: int, *, prepared: bool) -> Iterator[Solution]:
        """Solve in batches; each solution holds at least the best k + 1 documents, if the corpus has them."""
        if self.center:
            if not isinstance(index, MemoryIndex):
                raise ValueError("center=True needs the corpus in memory: hand in an array or a MemoryIndex")
            index, queries = index.centered, queries - index.mean
        for start in range(0, len(queries), BATCH):
            batch = queries[start : start + BATCH]
            l1, l2 = self._strengths(batch, index)
            for solution in self._solve_batch(batch, index, l1, l2, k, prepared=prepared):
                solution.passes += self._chooses
                yield solution

    def _solve_batch(
        self, queries: Floats, index: Index, l1: Array, l2: Array, k: int, *, prepared: bool
    ) -> Iterable[Solution]:
        """Solve a batch in the way that suits the corpus."""
        if self._candidates(index) is not None:
            return self._solve_candidates(queries, index, l1, l2, k)
        if isinstance(index, MemoryIndex) and (
            self.solver == "fista" or len(index) <= (SMALL_KEPT if prepared else SMALL)
        ):
            return [self._solve_rows(queries, index, np.arange(len(index)), l1, l2)]
        if self.solver == "exact":
            return self._solve_pools(queries, index, l1, l2, k)
        raise ValueError(
            "solver='fista' passes over the whole corpus: hand in an array or a MemoryIndex, or set candidates"
        )

    @property
    def _chooses(self) -> bool:
        """Whether a strength is left to be chosen."""
        return self.l1 is None or self.l2 is None

    def _strengths(self, queries: Floats, index: Index) -> tuple[Array, Array]:
        """Return (l1, l2) for each query: those given, and where there are none, those that suit it."""
        l1, l2 = strengths(queries, index) if self._chooses else (np.empty(len(queries)), np.empty(len(queries)))
        if self.l1 is not None:
            l1[:] = self.l1
        if self.l2 is not None:
            l2[:] = self.l2
        return l1, l2

    def _candidates(self, index: Index) -> int | None:
        """Return to how many nearest documents decoding is limited: without strengths, so is its cost."""
        limited = self._chooses and self.candidates is None and len(index) > SMALL_KEPT
        return CANDIDATES if limited else self.candidates

    def _solve_candidates(self, queries: Floats, index: Index, l1: Array, l2: Array, k: int) -> Iterator[Solution]:
        """Solve over each query's nearest documents only."""
        _, found = index.search(queries, within(index, max(self._candidates(index) or 0, k)))
        for q, row in enumerate(found):
            ids, one = row[present(row)], slice(q, q + 1)
            ids = ids[ascending(ids)]
            if len(ids):
                yield self._solve_rows(queries[one], MemoryIndex(index.vectors(ids)), ids, l1[one], l2[one])
            else:  # a filter that nothing passes
                yield from self._solve_pools(queries[one], index, l1[one], l2[one], k)

    def _solve_rows(self, queries: Floats, index: MemoryIndex, ids: Keys, l1: Array, l2: Array) -> Solution:
        """Solve over all rows of an array, whose ids are given."""
        if self.solver == "fista":
            solution = solve_fista(ids, index.rows, index.lipschitz, queries, l1, l2, self.iterations)
        else:
            from coverset.solvers.exact import solve_gram

            solution = solve_gram(ids, index.rows, index.gram, queries, l1, l2)
        solution.scores[:, index.blank] = -np.inf
        return solution

    def _solve_pools(self, queries: Floats, index: Index, l1: Array, l2: Array, k: int) -> list[Solution]:
        """Solve by column generation."""
        # Imported here: numba, which compiles the kernels, is only needed once something is solved.
        from coverset.indexes.oracle import oracle
        from coverset.solvers.exact import solve_pools

        return solve_pools(oracle(index, len(queries), certify=self.certify), queries, l1, l2, k)
