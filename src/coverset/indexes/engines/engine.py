"""What the indexes over vector engines share: inner products whatever the metric, filtered and exact views.

An engine implements two questions, `_search` and `_vectors`, for checked input.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats, Keys
from coverset.filters import All, Filter, as_filter, keys
from coverset.indexes.ids import as_ids
from coverset.inputs import as_count, as_targets, as_vectors, squared_norms
from coverset.progress import progress
from coverset.vectors import Vectors

E = TypeVar("E", bound="Engine")

# Search effort unless told otherwise: candidates that a graph search keeps, lists of an inverted file to look at.
# Far more than ordinary queries need, as residuals are unlike any document; docs/engines.md has the figures.
CANDIDATES, LISTS = 8192, 640

# How far from 1 a length may be where an engine's metric needs unit vectors.
UNIT = 1e-3


class Engine(ABC):
    """Vectors that live in an engine, asked by inner product.

    Attributes
    ----------
    dim
        Width of the vectors.
    exact
        Whether searches always find the true best. An engine that is told to be exact looks at every
        document; one that is not uses its own index.
    metric
        The engine's own measure: "ip"; or "cosine", under which documents count as unit vectors; or "l2",
        under which they must be unit vectors. The scores are inner products under each.
    can_be_exact
        Whether the engine can search exhaustively.
    effort
        How hard a search tries where it is not exact; what it counts is the engine's own.
    quick
        The effort of the searches that lead up to the last ones; None where a search is more round trip than
        work, and few are better than quick ones.
    """

    dim: int
    exact: bool
    metric: str = "ip"
    can_be_exact = True
    effort = 1
    quick: int | None = None
    condition: Filter | None = None

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of documents in the engine, whatever the filter."""

    def __repr__(self) -> str:
        """Say what it is, without asking the engine."""
        how = ("exact" if self.exact else "approximate") + (", filtered" if self.condition else "")
        return f"<{type(self).__name__} {self.dim} wide, {self.metric}, {how}>"

    def search(self, queries: ArrayLike | Vectors, k: int) -> tuple[Floats, Keys]:
        """Return (scores, ids) of the k largest inner products, best first, padded with -1 (or None)."""
        batch = as_targets("queries", queries, Vectors.of(np.empty((0, self.dim), np.float32))).meaning
        count = as_count("k", k)
        if self.metric == "ip":
            return self._search(batch, count)
        lengths = np.linalg.norm(batch, axis=1, keepdims=True)
        # A query of length 0 has no direction, and scores 0 in any.
        directions = np.divide(batch, lengths, out=np.full_like(batch, self.dim**-0.5), where=lengths > 0)
        values, ids = self._search(directions, count)
        found = np.isfinite(values)
        cosines = np.where(found, values if self.metric == "cosine" else 1.0 - 0.5 * values, 0.0)
        return np.where(found, cosines * lengths, -np.inf).astype(np.float32), ids

    def vectors(self, ids: Sequence[Hashable] | Keys) -> Floats:
        """Return the (len(ids), dim) vectors of these documents, in this order."""
        wanted = as_ids(ids)
        if not len(wanted):
            return np.empty((0, self.dim), np.float32)
        rows = np.ascontiguousarray(self._vectors(wanted), np.float32)
        if self.metric == "ip":
            return rows
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if self.metric == "l2" and (abs(lengths - 1.0) > UNIT).any():
            bad = int(np.argmax(abs(lengths - 1.0)))
            raise ValueError(
                f"under the metric l2 documents must have length 1, got {float(lengths[bad, 0]):.4g} for id "
                f"{wanted[bad]!r}: scale them, or use an index of inner products"
            )
        unit: Floats = np.divide(rows, lengths, out=rows.copy(), where=lengths > 0)
        return unit

    def where(self: E, where: object) -> E:
        """Return this index restricted to documents whose columns match.

        Parameters
        ----------
        where
            A filter in the language of `coverset.filters`: {"lang": "py", "year": {"$gte": 2024}}.
        """
        view = copy.copy(self)
        condition = as_filter(where)
        view.condition = condition if self.condition is None else All((self.condition, condition))
        view._check_condition(keys(condition))
        return view

    def exactly(self: E) -> E | None:
        """Return this index with exhaustive searches, or None where the engine has none."""
        if self.exact:
            return self
        if not self.can_be_exact:
            return None
        view = copy.copy(self)
        view.exact = True
        return view

    def quicker(self: E) -> E | None:
        """Return this index with less search effort, for the searches that lead up to the last ones, or None."""
        if self.exact or self.quick is None or not 2 * self.quick <= self.effort < len(self):
            return None
        view = copy.copy(self)
        view.effort = self.quick
        return view

    def close(self) -> None:  # noqa: B027  (most have nothing to close)
        """Close the connection to the engine, where there is one."""

    @abstractmethod
    def _check_condition(self, columns: list[str]) -> None:
        """Refuse a filter on columns that the engine knows it has not got; prepare the filter, if need be."""

    @abstractmethod
    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        """Search checked queries, of length 1 unless the metric is "ip".

        The scores are inner products ("ip"), cosines ("cosine") or squared distances ("l2"); -infinity or
        infinity for padding.
        """

    @abstractmethod
    def _vectors(self, ids: Keys) -> Floats:
        """Return the vectors of one or more ids, in order; a ValueError names an id that is not there."""


def as_documents(
    vectors: ArrayLike, ids: Iterable[Hashable] | None, columns: Mapping[str, Iterable[object]] | None = None
) -> tuple[Floats, Keys, dict[str, list[Any]]]:
    """Check what an index is built from: vectors that are not zero, ids (default: row numbers); values."""
    rows = as_vectors("vectors", vectors)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"vectors must have shape (documents, width), both at least 1, got {rows.shape}")
    blank = np.flatnonzero(squared_norms(rows) == 0)
    if len(blank):
        raise ValueError(f"vectors must not be zero: row {blank[0]} is ({len(blank)} such rows)")
    named = as_ids(np.arange(len(rows)) if ids is None else list(ids))
    distinct = len(set(named.tolist()))
    if not len(named) == distinct == len(rows):
        raise ValueError(
            f"ids must be {len(rows)} different ids, one per vector, got {len(named)}, {distinct} different"
        )
    values = {str(name): list(column) for name, column in dict(columns or {}).items()}
    for name, column in values.items():
        if len(column) != len(rows):
            raise ValueError(f"columns[{name!r}] must have {len(rows)} values, one per vector, got {len(column)}")
    return rows, named, values


def example(column: Iterable[object]) -> object:
    """Return the first value of a column that is one, to tell its type by."""
    return next((value for value in column if value is not None), None)


def in_order(ids: Keys, found: Mapping[Hashable, ArrayLike]) -> Floats:
    """Return vectors that came in any order in that of the ids."""
    absent = [i for i in ids.tolist() if i not in found]
    if absent:
        raise missing(absent)
    return np.array([found[i] for i in ids.tolist()], np.float32)


def missing(ids: Sequence[Hashable] | Keys) -> ValueError:
    """Return the error for ids that an engine does not have."""
    return ValueError(f"ids must be ids of the index, got {list(ids)[:3]!r} ({len(list(ids))} such ids)")


def blocks(what: str, total: int, size: int = 4096) -> Iterator[slice]:
    """Yield slices that go over `total` rows, under a progress bar."""
    with progress(what, total) as advance:
        for start in range(0, total, size):
            stop = min(start + size, total)
            yield slice(start, stop)
            advance(stop - start)
