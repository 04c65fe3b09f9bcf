"""Vectors: rows with two halves, their meaning (dense) and their words (sparse), either of which may be empty.

    u = [sqrt(1 - a) meaning ; sqrt(a) words],     so that     u.v = (1 - a) meaning.meaning + a words.words

The halves are kept as they come. The share a of words is a property of the inner product, so it can be changed
without touching a row; everything above speaks of vectors through the operations here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Array, Floats, Ids, read_only
from coverset.sparse import CSR, Terms, Words

# Rows converted to double precision at a time.
BLOCK = 8192


class Rows(NamedTuple):
    """Vectors as compiled code takes them.

    Row i is `roots[0] * meaning[i]`, then `roots[1] * values[e]` at the places `terms[e]`, e from `starts[i]` to
    `starts[i + 1]`: one row of `meaning.shape[1] + width` numbers that is never written out.
    """

    meaning: Floats
    starts: Ids
    terms: Terms
    values: Floats
    width: int
    roots: tuple[float, float]


class Vectors:
    """Rows with meaning and words.

    Parameters
    ----------
    meaning
        (N, d) array, or None: no such half.
    words
        Sparse rows as (indptr, indices, data, width), or anything CSR-like (a scipy matrix), or None.

    Both halves are meant to have length 1, row by row; a row may lack either.
    """

    def __init__(
        self,
        meaning: ArrayLike | None = None,
        words: CSR | Words | tuple[ArrayLike, ArrayLike, ArrayLike, int] | None = None,
    ) -> None:
        if meaning is None and words is None:
            raise ValueError("meaning and words must not both be None: a vector has at least one half")
        checked = None if words is None else Words.checked(words)
        dense = np.empty((len(checked or ()), 0), np.float32) if meaning is None else _as_dense(meaning)
        self.meaning: Floats = dense
        self.words: Words = Words.empty(len(dense)) if checked is None else checked
        if len(self.meaning) != len(self.words):
            raise ValueError(
                f"meaning and words must have as many rows, got {len(self.meaning)} and {len(self.words)}"
            )
        self.roots = (1.0, 1.0)

    @classmethod
    def of(cls, value: ArrayLike | Vectors) -> Vectors:
        """Return an array of checked float32 rows as vectors without words; vectors stay what they are."""
        if isinstance(value, cls):
            return value
        return cls.made(np.asarray(value, np.float32), Words.empty(len(np.asarray(value))), (1.0, 1.0))

    @classmethod
    def made(cls, meaning: Floats, words: Words, roots: tuple[float, float]) -> Vectors:
        """Return vectors of halves that are known to be right, under an inner product."""
        made = cls.__new__(cls)
        made.meaning, made.words, made.roots = meaning, words, roots
        return made

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.meaning)

    @property
    def dim(self) -> int:
        """Width of the meaning."""
        return int(self.meaning.shape[1])

    @property
    def width(self) -> int:
        """How many different terms there are."""
        return self.words.width

    @cached_property
    def rows(self) -> Rows:
        """The same as compiled code takes it."""
        words = self.words
        return Rows(
            read_only(self.meaning),
            read_only(words.starts),
            read_only(words.terms),
            read_only(words.values),
            words.width,
            self.roots,
        )

    @property
    def share(self) -> float:
        """The share of words in the inner product."""
        return self.roots[1] ** 2

    def sharing(self, share: float) -> Vectors:
        """Return the same rows, under the inner product in which words have this share."""
        return self._under((float(np.sqrt(1.0 - share)), float(np.sqrt(share))))

    def as_in(self, others: Vectors) -> Vectors:
        """Return the same rows, under the inner product of others; those that have no words have but one."""
        return self._under(others.roots) if self.width else self

    def _under(self, roots: tuple[float, float]) -> Vectors:
        return self if roots == self.roots else self.made(self.meaning, self.words, roots)

    def scaled(self) -> Vectors:
        """Return the same rows with both halves multiplied out: the plain inner product is theirs."""
        if self.roots == (1.0, 1.0):
            return self
        meaning, words = (np.float32(root) for root in self.roots)
        return self.made(meaning * self.meaning, self.words.valued(words * self.words.values), (1.0, 1.0))

    def narrowed(self, targets: Vectors) -> tuple[Vectors, Vectors]:
        """Return the same rows and targets with no more terms than they have between them, numbered as they come.

        What is written out over a whole vocabulary takes as long as it is large.
        """
        if not self.width:
            return self, targets
        from coverset.gathering import numbered

        terms, asked, count = numbered(read_only(self.words.terms), read_only(targets.words.terms))
        return self._termed(terms, count), targets._termed(asked, count)

    def _termed(self, terms: Terms, width: int) -> Vectors:
        """Return the same rows with terms numbered otherwise; they need not ascend."""
        termed = self.made(self.meaning, Words(self.words.starts, terms, self.words.values, width), self.roots)
        if "norms" in self.__dict__:
            termed.norms = self.norms
        return termed

    def less(self, weights: Array, documents: Vectors) -> Vectors:
        """Return what a single row is without a combination of documents; a half that does not count is 0."""
        counts = [root != 0.0 for root in self.roots]
        meaning = counts[0] * (self.meaning - weights @ documents.meaning.astype(np.float64))
        spread = np.repeat(weights, np.diff(documents.words.starts)) * documents.words.values
        terms, slots = np.unique(np.concatenate([self.words.terms, documents.words.terms]), return_inverse=True)
        values = counts[1] * np.bincount(slots, np.concatenate([self.words.values, -spread]), len(terms))
        there = np.flatnonzero(values)
        words = Words(
            np.array([0, len(there)]), terms[there].astype(np.int32), values[there].astype(np.float32), self.width
        )
        return self.made(meaning.astype(np.float32), words, self.roots)

    def take(self, rows: Ids | slice) -> Vectors:
        """Return these rows, in this order."""
        chosen = np.arange(len(self))[rows] if isinstance(rows, slice) else np.asarray(rows, np.int64)
        words = self.words.take(chosen) if len(self.words.terms) else Words.empty(len(chosen), self.width)
        taken = self.made(self.meaning.take(chosen, axis=0), words, self.roots)
        if "norms" in self.__dict__:
            taken.norms = self.norms[chosen]
        return taken

    def one(self, row: int) -> Vectors:
        """Return a single row."""
        return self.take(slice(row, row + 1))

    @staticmethod
    def join(parts: Sequence[Vectors]) -> Vectors:
        """Return the rows of several, one after the other; all under the first one's inner product."""
        first, words = parts[0], [part.words for part in parts]
        ends = np.cumsum([0, *(len(part.terms) for part in words)])
        starts = np.concatenate([[0], *(part.starts[1:] + end for part, end in zip(words, ends, strict=False))])
        joined = Words(
            starts,
            np.concatenate([part.terms for part in words]),
            np.concatenate([part.values for part in words]),
            first.width,
        )
        return Vectors.made(np.concatenate([part.meaning for part in parts]), joined, first.roots)

    @cached_property
    def norms(self) -> Floats:
        """Every row's length."""
        squares = np.einsum("ij,ij->i", self.meaning, self.meaning).astype(np.float64)
        if len(self.words.terms):
            squares = self.roots[0] ** 2 * squares + self.roots[1] ** 2 * self.words.squares
        elif self.roots[0] != 1.0:
            squares *= self.roots[0] ** 2
        norms: Floats = np.sqrt(squares).astype(np.float32)
        return norms

    @cached_property
    def longest(self) -> float:
        """Length of the longest row."""
        return float(self.norms.max(initial=0.0))

    @cached_property
    def shortest(self) -> float:
        """Length of the shortest row that is not 0; that of the longest where all are."""
        return float(self.norms[self.norms > 0].min(initial=self.longest))

    def inner(self, other: Vectors) -> Floats:
        """Return the (len(self), len(other)) inner products, in single precision."""
        return self._with_words(other, self.meaning @ other.meaning.T)

    def scored(self, documents: Vectors) -> Floats:
        """Return the same, each product summed in the same order: documents that are equal score equal.

        A product of matrices sums rows at its edges in another order than those within.
        """
        return self._with_words(documents, np.vecdot(documents.meaning, self.meaning[:, None]))

    def _with_words(self, other: Vectors, products: Floats) -> Floats:
        """Return the inner products out of those of the meaning."""
        if self.roots[0] != 1.0:
            products *= np.float32(self.roots[0] * other.roots[0])
        if len(self.words.terms) and len(other.words.terms):
            from coverset.products import add_words

            add_words(self.rows, other.rows, np.zeros(self.width), products)
        return products

    def gram(self) -> Array:
        """Return the inner products of the rows with each other, in double precision."""
        wide = self.roots[0] * self.meaning.astype(np.float64)
        products: Array = wide @ wide.T
        if len(self.words.terms):
            from coverset.products import add_words

            add_words(self.rows, self.rows, np.zeros(self.width), products)
        return products

    def times(self, target: Array) -> Array:
        """Return u.t for every row u, in double precision; t is (dim + width,), as `flat` has it."""
        out = np.empty(len(self))
        for start in range(0, len(self), BLOCK):
            out[start : start + BLOCK] = (
                self.meaning[start : start + BLOCK].astype(np.float64) @ target[: self.dim]
            )
        out *= self.roots[0]
        if len(self.words.terms):
            rows = np.repeat(np.arange(len(self)), np.diff(self.words.starts))
            hits = self.words.values * target[self.dim + self.words.terms]
            out += self.roots[1] * np.bincount(rows, hits, minlength=len(self))
        return out

    def combine(self, weights: Array) -> Array:
        """Return sum_i w_i u_i, (dim + width,), in double precision."""
        used = np.flatnonzero(weights)
        out = np.zeros(self.dim + self.width)
        for start in range(0, len(used), BLOCK):
            some = used[start : start + BLOCK]
            out[: self.dim] += weights[some] @ self.meaning[some].astype(np.float64)
        out[: self.dim] *= self.roots[0]
        if len(self.words.terms):
            words = self.words.take(used)
            spread = np.repeat(weights[used], np.diff(words.starts)) * words.values
            out[self.dim :] = self.roots[1] * np.bincount(words.terms, spread, minlength=self.width)
        return out

    def flat(self) -> Array:
        """Return the rows written out, (N, dim + width): for the few that are targets, not for a corpus."""
        if not self.width:
            flat = self.meaning.astype(np.float64)
            return flat if self.roots[0] == 1.0 else self.roots[0] * flat
        out = np.zeros((len(self), self.dim + self.width))
        out[:, : self.dim] = self.roots[0] * self.meaning
        rows = np.repeat(np.arange(len(self)), np.diff(self.words.starts))
        out[rows, self.dim + self.words.terms] = self.roots[1] * self.words.values
        return out


def _as_dense(value: ArrayLike) -> Floats:
    """Return finite (N, d) rows as C-contiguous float32; no copy when they already are."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiu" or array.ndim != 2:
        raise ValueError(f"meaning must be an (N, d) array of real numbers, got {array.dtype} of {array.shape}")
    with np.errstate(over="ignore"):
        dense: Floats = np.ascontiguousarray(array, np.float32)
    if not np.isfinite(dense).all():
        raise ValueError("meaning must be finite, got NaN, infinity or numbers that overflow float32")
    return dense
