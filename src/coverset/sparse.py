"""Words: sparse rows, the terms of each text and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coverset.arrays import Array, Floats, Ids, read_only

Terms = NDArray[np.int32]
NO_TERMS, NO_VALUES = np.empty(0, np.int32), np.empty(0, np.float32)


class CSR(Protocol):
    """A sparse matrix by rows, as scipy has it."""

    indptr: NDArray[np.integer]
    indices: NDArray[np.integer]
    data: NDArray[np.floating]
    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Words:
    """Sparse rows: the terms of each, ascending, and their weights, out of a vocabulary of `width` terms."""

    starts: Ids
    terms: Terms
    values: Floats
    width: int

    @classmethod
    def empty(cls, rows: int, width: int = 0) -> Words:
        """Return rows without words."""
        return cls(np.zeros(rows + 1, np.int64), NO_TERMS, NO_VALUES, width)

    @classmethod
    def checked(cls, words: CSR | Words | tuple[ArrayLike, ArrayLike, ArrayLike, int]) -> Words:
        """Return (indptr, indices, data, width), or anything CSR-like, after checking it."""
        if isinstance(words, Words):
            return words
        if isinstance(words, tuple):
            if len(words) != 4:
                raise ValueError(f"words must be (indptr, indices, data, width), got a tuple of {len(words)}")
            starts, terms, values, width = words
        else:
            starts, terms, values, width = words.indptr, words.indices, words.data, words.shape[-1]
        return _sorted(_consistent(np.asarray(starts), np.asarray(terms), np.asarray(values), int(width)))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.starts) - 1

    def take(self, rows: Ids) -> Words:
        """Return these rows, in this order."""
        # Imported here: numba, which compiles it, takes a while, and who has no words has no need of it.
        from coverset.gathering import gather

        starts, terms, values = read_only(self.starts), read_only(self.terms), read_only(self.values)
        return Words(*gather(starts, terms, values, read_only(rows)), self.width)

    @property
    def owners(self) -> Ids:
        """The row that each entry belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def valued(self, values: Floats) -> Words:
        """Return the same terms with other weights."""
        return Words(self.starts, self.terms, values, self.width)

    @cached_property
    def negative(self) -> bool:
        """Whether a weight is below 0."""
        return bool((self.values < 0).any())

    @property
    def squares(self) -> Array:
        """Every row's squared length."""
        values = self.values.astype(np.float64)
        squares: Array = np.bincount(self.owners, values**2, minlength=len(self)).astype(float)
        return squares


def _consistent(starts: NDArray[np.integer], terms: NDArray[np.integer], values: ArrayLike, width: int) -> Words:
    """Check that the arrays of a sparse matrix belong together."""
    data = np.asarray(values, np.float32)
    if starts.ndim != 1 or len(starts) < 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise ValueError("words must have an indptr that begins at 0 and never falls")
    if not starts[-1] == len(terms) == len(data):
        raise ValueError(
            f"words must have as many indices and data as indptr says, {starts[-1]}, got {len(terms)}, {len(data)}"
        )
    if len(terms) and not 0 <= int(terms.min()) <= int(terms.max()) < width:
        raise ValueError(f"words must have indices from 0 to {width - 1}, got {terms.min()} to {terms.max()}")
    if not np.isfinite(data).all():
        raise ValueError("words must have finite weights, got NaN or infinity")
    return Words(starts.astype(np.int64), terms.astype(np.int32), data, width)


def _sorted(words: Words) -> Words:
    """Return the rows with their terms ascending; a term that a row has twice is an error."""
    rows = words.owners
    steps = np.diff(words.terms.astype(np.int64)) + words.width * np.diff(rows)
    if (steps > 0).all():
        return words
    order = np.lexsort((words.terms, rows))
    if (np.diff(words.terms[order].astype(np.int64)) + words.width * np.diff(rows) <= 0).any():
        raise ValueError("words must have every term of a row once")
    return Words(words.starts, words.terms[order], words.values[order], words.width)
