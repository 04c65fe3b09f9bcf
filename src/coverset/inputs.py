"""What callers hand in, checked once at the door: every error names the argument and what is accepted."""

from __future__ import annotations

import math
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats
from coverset.sparse import Words
from coverset.vectors import Vectors


def as_vectors(name: str, value: ArrayLike) -> Floats:
    """Return `value` as a C-contiguous float32 array of numbers; no copy when it already is one."""
    try:
        array = np.asarray(value)
        if array.dtype == np.float32 and array.flags.c_contiguous:
            return array
        if array.dtype.kind not in "fiu":
            raise TypeError(array.dtype)
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(array, dtype=np.float32) if array.ndim else array.astype(np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of real numbers, got {_describe(value)}") from error


def as_corpus(value: ArrayLike) -> Floats:
    """Return `value` as an (N, d) float32 array with N, d >= 1. Finiteness is checked by `squared_norms`."""
    array = as_vectors("corpus", value)
    if array.ndim != 2:
        raise ValueError(f"corpus must have 2 dimensions, (documents, width), got shape {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"corpus must hold at least one document of width >= 1, got shape {array.shape}")
    return array


def squared_norms(corpus: Floats) -> Floats:
    """Return every row's squared length, and refuse rows with NaN, infinity or a length beyond float32.

    One pass serves both: a sum of squares is finite only if everything in it is.
    """
    squares: Floats = np.einsum("ij,ij->i", corpus, corpus)
    bad = np.flatnonzero(~np.isfinite(squares))
    if bad.size:
        row = int(bad[0])
        what = "a length that overflows float32" if np.isfinite(corpus[row]).all() else "NaN or infinity"
        raise ValueError(f"corpus must be finite: row {row} has {what} ({bad.size} such rows of {len(corpus)})")
    return squares


def as_targets(name: str, value: ArrayLike | Vectors, corpus: Vectors) -> Vectors:
    """Return one or several queries as vectors of the corpus's kind."""
    if isinstance(value, Vectors):
        for half, theirs, ours in (("meaning", value.dim, corpus.dim), ("words", value.width, corpus.width)):
            if theirs != ours and theirs:
                told = f"{ours} wide" if ours else "none"
                raise ValueError(f"{name} must be like the corpus, whose {half} are {told}, got {theirs} wide")
        words = value.words if value.width else Words.empty(len(value), corpus.width)
        meaning = value.meaning if value.dim else np.zeros((len(value), corpus.dim), np.float32)
        return Vectors.made(meaning, words, corpus.roots)
    array = as_vectors(name, value)
    if array.ndim and array.shape[-1] != corpus.dim:
        raise ValueError(f"{name} must be {corpus.dim} wide like the corpus, got shape {array.shape}")
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} must have shape ({corpus.dim},) or (B, {corpus.dim}), got shape {array.shape}")
    rows = array if array.ndim == 2 else array[None]
    if not all(map(math.isfinite, np.einsum("ij,ij->i", rows, rows).tolist())):
        raise ValueError(f"{name} must be finite, got NaN, infinity or a length that overflows float32")
    return Vectors.made(rows, Words.empty(len(rows), corpus.width), corpus.roots)


def as_one(value: ArrayLike | Vectors, corpus: Vectors) -> Vectors:
    """Return one query as a row of the corpus's kind."""
    if isinstance(value, Vectors):
        if len(value) != 1:
            raise ValueError(f"query must be one row, got {len(value)}: for several queries there is decode_batch")
        return as_targets("query", value, corpus)
    array = as_vectors("query", value)
    if array.ndim != 1 and (array.ndim == 0 or array.shape[-1] == corpus.dim):
        batch = ": for several queries there is decode_batch" if array.ndim == 2 else ""
        raise ValueError(f"query must be one row of shape ({corpus.dim},), got shape {array.shape}{batch}")
    return as_targets("query", array, corpus)


def as_batch(value: ArrayLike | Vectors, corpus: Vectors) -> Vectors:
    """Return several queries as rows of the corpus's kind."""
    if isinstance(value, Vectors):
        return as_targets("queries", value, corpus)
    array = as_vectors("queries", value)
    if array.ndim != 2 and (array.ndim == 0 or array.shape[-1] == corpus.dim):
        single = ": for one query there is decode" if array.ndim == 1 else ""
        raise ValueError(f"queries must have shape (B, {corpus.dim}), got shape {array.shape}{single}")
    return as_targets("queries", array, corpus)


@overload
def as_count(name: str, value: object, *, optional: Literal[False] = False) -> int: ...


@overload
def as_count(name: str, value: object, *, optional: Literal[True]) -> int | None: ...


def as_count(name: str, value: object, *, optional: bool = False) -> int | None:
    """Return a whole number >= 1 as int (None passes through when `optional`)."""
    if value is None and optional:
        return None
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 1:
        return int(value)
    raise ValueError(f"{name} must be a whole number >= 1{' or None' if optional else ''}, got {value!r}")


def as_number(name: str, value: object, low: float, high: float = math.inf) -> float:
    """Return a finite number in [low, high] as float."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        number = float(value)
        if math.isfinite(number) and low <= number <= high:
            return number
    accepted = f">= {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
    raise ValueError(f"{name} must be a finite number {accepted}, got {value!r}")


def as_choice(name: str, value: object, accepted: tuple[str, ...]) -> str:
    """Return `value` if it is one of the accepted names."""
    if isinstance(value, str) and value in accepted:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, accepted))}, got {value!r}")


def as_flag(name: str, value: object) -> bool:
    """Return a bool, and nothing that merely looks like one."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} must be True or False, got {value!r}")


def _describe(value: object) -> str:
    dtype = getattr(value, "dtype", None)
    return f"an array of dtype {dtype}" if dtype is not None else f"a {type(value).__name__}"
