"""The documents in play for one query, the optimum over them, and what the solver knows of the other documents."""

from __future__ import annotations

import threading
from collections.abc import Collection, Hashable
from typing import Protocol

import numpy as np

from coverset.arrays import Array, Ids, Keys
from coverset.products import length, scores
from coverset.ranking import ascending
from coverset.solvers.certificate import TOLERANCE
from coverset.solvers.measure import measure
from coverset.solvers.newton import ENOUGH, newton
from coverset.solvers.sides import LARGE, largest, stiff, tolerance
from coverset.solvers.solution import Solution
from coverset.solvers.working_set import solve_pool
from coverset.sparse import Words
from coverset.vectors import Rows, Vectors

# What a search brought further above l1 than this, relative to the lengths, leaves the optimum far: it is not yet
# worth solving for exactly. Where searches are approximate, and one brought nothing of the kind, it was the last.
CLOSE = 0.01
# Up to so many rows, the residual's side is solved for on a copy: dozens of products are faster side by side. With
# words both sides are, as a copy has its own, small vocabulary.
GATHERED = 8192
# How exactly the residual's side is solved for while the optimum is far.
ROUGHLY = 1e-3


class Documents(Protocol):
    """The corpus, as far as the solver knows it.

    Attributes
    ----------
    vectors
        Those seen so far (all of them, where the corpus is an array in memory).
    longest, shortest
        Length of the longest of them, and of the shortest that is not 0.
    ask
        How many documents, beyond those already known, one search is worth asking for.
    """

    vectors: Vectors
    longest: float
    shortest: float
    ask: int

    def above(self, batch: Ids, residuals: Vectors, floors: Array, most: int) -> list[Ids]:
        """Return, for each residual, rows among which are the `most` best that score above its floor.

        `batch` says which query each residual belongs to; residuals are `scaled`.
        """
        ...

    def finer(self) -> bool:
        """Go over from a sample of the corpus to more of it; False when all of it was being asked."""
        ...

    @property
    def whole(self) -> bool:
        """Whether all of the corpus is being asked."""
        ...

    @property
    def rounds(self) -> int:
        """How many searches to make at most; past these the answer is what has been found, and not settled."""
        ...

    @property
    def stands_for(self) -> int:
        """How many documents each one that is being asked stands for: more than one while a sample is."""
        ...

    @property
    def exact(self) -> bool:
        """Whether what was asked for and not found is not there."""
        ...

    def ids(self, rows: Ids) -> Keys:
        """Return the corpus's ids of these rows."""
        ...


class Room(threading.local):
    """Where a thread writes something out over the whole vocabulary, for a moment: all 0 before and after."""

    def __init__(self, size: int) -> None:
        self.written = np.zeros(size)


class Pool:
    """The documents in play for one query, by their row numbers, and the optimum over them."""

    def __init__(
        self,
        documents: Documents,
        target: Vectors,
        l1: float,
        l2: float,
        k: int,
        barred: Collection[Hashable],
        room: Room,
    ) -> None:
        self.documents, self.target, self.l1, self.l2, self.k = documents, target, l1, l2, k
        self.barred, self.room = frozenset(barred), room
        # The target and what is left of it, written out over no more terms than they and the pool have.
        self.terms = target.words.terms
        self.query: Array = np.concatenate(
            [target.roots[0] * target.meaning[0].astype(np.float64), target.roots[1] * target.words.values]
        )
        self.residual = self.query
        self.rows: Ids = np.empty(0, np.int64)
        self.weights: Array = np.empty(0)
        self.scores: Array = np.empty(0)
        self.working: Ids = np.empty(0, np.int64)
        self.gram: Array = np.empty((0, 0))
        self.passes = 0
        self.growing = self.large = self.close = self.far = self.roughly = False
        self.thinned = 1

    @property
    def asked(self) -> Vectors:
        """What is left of the target, as the corpus is asked with it."""
        dim = self.target.dim
        there = np.flatnonzero(self.residual[dim:])
        there = there[np.argsort(self.terms[there])]
        values = self.residual[dim + there].astype(np.float32)
        words = Words(np.array([0, len(there)]), self.terms[there], values, self.target.width)
        return Vectors.made(self.residual[None, :dim].astype(np.float32), words, (1.0, 1.0))

    @property
    def floor(self) -> float:
        """Score below which a document can neither have weight nor be among the best k + 1."""
        if len(self.scores) <= self.k:
            return -np.inf
        return min(self.l1, float(np.partition(self.scores, -self.k - 1)[-self.k - 1]))

    @property
    def known(self) -> int:
        """How many documents of the pool score above the floor: a search will bring them back."""
        return int((self.scores >= self.floor).sum())

    @property
    def asks(self) -> int:
        """How many documents to ask for: those that will come back, and some more; where most matter, many."""
        known = self.known * self.thinned
        return max(self.documents.ask, self.k + 1) + len(self.barred) + (2 * known if self.large else known)

    def extend(self, found: Ids) -> None:
        """Add what a search brought back, and note whether any of it has to be solved for."""
        self.passes += self.documents.whole
        new = np.setdiff1d(found, self.rows, assume_unique=True)
        if self.barred:
            new = new[[i not in self.barred for i in self.documents.ids(new).tolist()]]
        written = self._written(self.residual, self.room.written)
        found_scores = scores(self.documents.vectors.rows, new, written)
        written[: self.target.dim] = written[self.target.dim + self.terms] = 0.0
        unit = self.documents.longest * length(self.query)
        excess = float((found_scores - self.l1).max(initial=-np.inf))
        self.growing = excess > 0.1 * TOLERANCE * unit or (self.roughly and self.documents.whole)
        self.far = excess > CLOSE * unit
        # An approximate search proves nothing, so one that could hardly bring anything more is not made.
        self.close = not (self.documents.exact or self.far)
        self.rows = np.concatenate([self.rows, new])
        self.weights = np.concatenate([self.weights, np.zeros(len(new))])
        self.scores = np.concatenate([self.scores, found_scores])
        # What is above l1 may have weight; after a sample, of whose optimum this is the residual, much of it will.
        self.large |= self._is_large(int((self.scores > self.l1).sum()))
        self.growing |= self.thinned > 1  # what was solved for was the sample's problem
        self.thinned = 1

    def solve(self) -> None:
        """Move to the optimum over the pool."""
        rows, members = self.documents.vectors.rows, self.rows
        if self.target.width and len(members) <= GATHERED:
            rows, members = self._narrow(), np.arange(len(members))
        elif self.target.width:
            self.query, self.residual = (
                self._written(vector, np.zeros_like(self.room.written)) for vector in (self.query, self.residual)
            )
            self.terms = np.arange(self.target.width, dtype=np.int32)
        # Of documents that are alike each has its share of the weight: what stands for many has all of it.
        l2 = self.l2 / self.documents.stands_for
        self.roughly = False
        if not self.large:
            exactly = tolerance(self.query, self.documents.longest, self.documents.shortest)
            solved, self.residual, self.scores, self.working, self.gram = solve_pool(
                rows,
                members,
                self.query,
                self.l1,
                l2,
                exactly,
                largest(l2, self.documents.longest, LARGE),
                self.weights,
                self.working,
                self.gram,
            )
            self.large = not solved
        if self.large:
            self.roughly = self.far or not self.documents.whole
            enough = ROUGHLY if self.roughly else ENOUGH
            if len(members) <= GATHERED and not self.target.width:
                rows, members = self.documents.vectors.take(members).rows, np.arange(len(members))
            self.weights, self.residual, self.scores = newton(
                rows, members, self.query, self.l1, l2, self.residual, enough
            )

    def _written(self, vector: Array, room: Array) -> Array:
        """Return the target, or what is left of it, written out over the whole vocabulary."""
        dim = self.target.dim
        room[:dim], room[dim + self.terms] = vector[:dim], vector[dim:]
        return room

    def _narrow(self) -> Rows:
        """Return a copy of the pool's rows with no more terms than they have, and write out the target anew."""
        pool = self.documents.vectors.take(self.rows)
        rows, target = pool.narrowed(self.target)
        self.query = target.flat()[0]
        self.residual = self.query - rows.combine(self.weights)
        self.terms = np.empty(rows.width, np.int32)
        self.terms[rows.words.terms], self.terms[target.words.terms] = pool.words.terms, self.target.words.terms
        return rows.rows

    def _is_large(self, support: int) -> bool:
        """Whether a support is one to solve for on the residual's side."""
        return support > LARGE and not stiff(support, self.l2, self.documents.longest)

    def solution(self) -> Solution:
        """Return the pool's optimum, by ascending id."""
        ids = self.documents.ids(self.rows)
        order = ascending(ids)
        gap, violation = measure(self.query, self.residual, self.scores, self.weights, self.l1, self.l2)
        return Solution(
            ids=ids[order],
            queries=self.query[None],
            weights=self.weights[None, order],
            scores=self.scores[None, order],
            gaps=np.array([gap]),
            violations=np.array([violation]),
            longest=self.documents.longest,
            l1=np.array([self.l1]),
            l2=np.array([self.l2]),
            passes=self.passes,
            settled=self.documents.exact and not self.growing,
        )
