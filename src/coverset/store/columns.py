"""The metadata of documents by key and value, to find those that a filter lets through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coverset.filters import Exists, Filter, Leaf, Value, accepts, mask, scalar
from coverset.plain import Json


class Columns:
    """The metadata of documents by key and value: which rows have it. Of a list, each member is a value."""

    def __init__(self, metas: list[Json]) -> None:
        self._documents = len(metas)
        self._rows: dict[str, dict[Value, list[int]]] = {}
        # Values that only `exists` can ask for: objects.
        self._others: dict[str, list[int]] = {}
        for row, meta in enumerate(metas):
            for key, value in meta.items():
                found = {scalar(v) for v in (value if isinstance(value, list) else [value])}
                for one in found - {None}:
                    assert one is not None
                    self._rows.setdefault(key, {}).setdefault(one, []).append(row)
                if found == {None} and value is not None:
                    self._others.setdefault(key, []).append(row)

    def matching(self, where: Filter) -> NDArray[np.int64]:
        """Return the rows that match, ascending."""
        return np.flatnonzero(mask(where, self._of))

    def _of(self, leaf: Leaf) -> NDArray[np.bool_]:
        found = np.zeros(self._documents, bool)
        for value, rows in self._rows.get(leaf.key, {}).items():
            if accepts(leaf, value):
                found[rows] = True
        if isinstance(leaf, Exists):
            found[self._others.get(leaf.key, [])] = True
        return found
