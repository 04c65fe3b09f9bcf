"""The ways to solve over a corpus: from its Gram matrix, by column generation, by FISTA, or among candidates."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Array, Ids, Keys, Mask
from coverset.decoders.field import Among
from coverset.decoders.nearest import Nearest
from coverset.indexes import Index, MemoryIndex, at_hand, fetch, kind, suiting, within
from coverset.ranking import ascending
from coverset.solvers.fista import solve_fista
from coverset.solvers.solution import Solution
from coverset.vectors import Vectors

# Up to this many documents the Gram matrix of a kept (or of any) index answers without further searches.
SMALL_KEPT, SMALL = 2048, 512
# Queries solved together: over a large corpus, their scores take 64/d of its memory.
BATCH = 64


@dataclass(frozen=True)
class Solving:
    """How NNN solves, whatever the strengths; `prepared`: the index is kept, and so is what it computes."""

    solver: str
    iterations: int
    candidates: int | None
    certify: bool
    prepared: bool

    def whole(self, index: Index) -> bool:
        """Whether solutions account for every document of the corpus."""
        return self.candidates is None or (index.exact and self.candidates >= len(index))

    def depth(self, index: Index, targets: int, k: int) -> int | None:
        """Return how many documents near each target of a request are solved over, None: all that there are.

        With parts, half as many for each: together they are as many at least, and the best of each are among them.
        """
        if self.candidates is None:
            return None
        halved = targets > 1 and self.candidates < len(index)
        return within(index, max(self.candidates // 2 if halved else self.candidates, k))

    def batches(
        self, targets: Vectors, index: Index, l1: Array, l2: Array, k: int, near: Nearest | None
    ) -> Iterator[tuple[Ids, Solution]]:
        """Yield which targets were solved for, and their solution, which holds their best k + 1 documents."""
        depth = self.depth(index, 1, k)
        if depth is not None and (near is None or near.depth < depth):
            near = Nearest(index, targets, depth)
        for which, view in suiting(index, targets):
            for start in range(0, len(which), BATCH):
                part = which[start : start + BATCH]
                some = (targets if len(part) == len(targets) else targets.take(part)).as_in(kind(view))
                if near is not None and depth is not None:
                    for n, solution in enumerate(self._near(near, part, view, some, l1[part], l2[part])):
                        yield part[n : n + 1], solution
                elif (here := self._small(view)) is not None:
                    yield part, self._corpus(here, some, l1[part], l2[part], None)
                else:
                    for n, solution in enumerate(self._pools(view, some, l1[part], l2[part], k, None)):
                        yield part[n : n + 1], solution

    def request(
        self,
        targets: Vectors,
        index: Index,
        among: Among | None,
        l1: float,
        l2: float,
        k: int,
        barred: Sequence[Hashable],
    ) -> list[Solution]:
        """Solve for the targets of one request: a solution each, over the same documents.

        Those are some that were fetched, or the whole corpus without some.
        """
        strengths = np.full(len(targets), l1), np.full(len(targets), l2)
        solved = dict[int, tuple[Solution, Index, Vectors]]()
        small = among is None and self._small(index) is not None
        for which, view in suiting(index, targets):
            some, (sparse, ridge) = targets.take(which).as_in(kind(view)), (s[which] for s in strengths)
            if among is not None:
                found = self._among(among, view, some, sparse, ridge)
            elif (here := self._small(view)) is not None:
                gone = np.zeros((len(some), len(index)), bool)
                gone[:, np.array(list(barred), np.int64)] = True
                found = self._corpus(here, some, sparse, ridge, gone).each()
            else:
                found = self._pools(view, some, sparse, ridge, k, [barred] * len(some))
            for n, (t, solution) in enumerate(zip(which.tolist(), found, strict=True)):
                solved[t] = solution, view, some.one(n)
        solutions = [solved[t] for t in range(len(targets))]
        if among is None and not small:
            return _completed(solutions)
        return [solution for solution, _, _ in solutions]

    def _small(self, index: Index) -> MemoryIndex | None:
        """Return the index if it is solved over all its rows at once; what cannot be is said."""
        here, fista = at_hand(index), self.solver == "fista"
        if here is None and fista:
            raise ValueError(
                "solver='fista' passes over the whole corpus: hand in an array or a MemoryIndex, or set candidates"
            )
        small = here is not None and len(here) <= (SMALL_KEPT if self.prepared else SMALL)
        return here if small or fista else None

    def _corpus(self, index: MemoryIndex, targets: Vectors, l1: Array, l2: Array, barred: Mask | None) -> Solution:
        """Solve over all rows of an array in memory."""
        if self.solver == "fista":
            rows = (
                index.written if barred is None else np.where(barred[0][:, None], np.float32(0.0), index.written)
            )
            flat = targets.flat().astype(np.float32)
            solution = solve_fista(index.ids, rows, index.lipschitz, flat, l1, l2, self.iterations)
            solution.scores[:, np.flatnonzero(~rows.any(axis=1))] = -np.inf
            return solution
        from coverset.solvers.few import solve_gram

        solution = solve_gram(index.ids, index.corpus, index.gram, targets.flat(), l1, l2, barred)
        if len(index.blank):
            solution.scores[:, index.blank] = -np.inf
        return solution

    def _near(
        self, near: Nearest, which: Ids, view: Index, targets: Vectors, l1: Array, l2: Array
    ) -> Iterator[Solution]:
        """Solve for each target over the documents nearest to it, by ascending id."""
        ids, vectors = near.documents
        members = [np.sort(near.places[q][near.found[q]]) for q in which]
        if self.solver == "exact" and all(map(len, members)):
            from coverset.solvers.few import solve_among

            yield from solve_among(ids, vectors.as_in(kind(view)), members, targets, l1, l2)
            return
        for n, some in enumerate(members):
            one = slice(n, n + 1)
            nearest = vectors.take(some).as_in(kind(view))
            yield self._rows(ids[some], nearest, targets.take(one), l1[one], l2[one])

    def _rows(self, ids: Keys, vectors: Vectors, targets: Vectors, l1: Array, l2: Array) -> Solution:
        """Solve over a few documents."""
        if len(ids) == 0:  # a filter that nothing passes
            return Solution.empty(ids, targets.flat(), l1, l2)
        index = _prepared(vectors)
        solution = self._corpus(index, targets, l1, l2, None)
        solution.ids = ids
        return solution

    def _among(self, among: Among, view: Index, targets: Vectors, l1: Array, l2: Array) -> list[Solution]:
        """Solve for the targets of a request over documents near any of them; each has weight for few of them."""
        ids, vectors, places, _ = among
        if len(places) == 0 or self.solver == "fista":
            return self._rows(ids[places], vectors.take(places).as_in(kind(view)), targets, l1, l2).each()
        from coverset.solvers.few import solve_together

        return solve_together(ids, vectors.as_in(kind(view)), places, targets, l1, l2)

    def _pools(
        self,
        index: Index,
        targets: Vectors,
        l1: Array,
        l2: Array,
        k: int,
        barred: Sequence[Sequence[Hashable]] | None,
    ) -> list[Solution]:
        """Solve by column generation."""
        # Imported here: numba, which compiles the kernels, is only needed once something is solved.
        from coverset.indexes.oracle import oracle
        from coverset.solvers.exact import solve_pools

        documents = oracle(index, len(targets), certify=self.certify)
        return solve_pools(documents, targets, l1, l2, k, barred)


def _prepared(vectors: Vectors) -> MemoryIndex:
    """Return an index over documents that were fetched, under the inner product that they come with."""
    index = MemoryIndex(vectors if vectors.width else vectors.meaning)
    index.corpus = vectors
    return index


def _completed(solutions: list[tuple[Solution, Index, Vectors]]) -> list[Solution]:
    """Return solutions over different documents as solutions over all of them, each under its own view."""
    if len(solutions) == 1:
        return [solutions[0][0]]
    ids = np.unique(np.concatenate([solution.ids for solution, _, _ in solutions]))
    ids = ids[ascending(ids)]
    return [solution.over(ids, fetch(view, ids), target) for solution, view, target in solutions]
