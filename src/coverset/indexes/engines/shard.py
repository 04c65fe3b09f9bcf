"""One part of a corpus in a folder, searched where it lies."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats, Ids, Keys
from coverset.filters import Filter, keys
from coverset.indexes.engines.folder import Folder
from coverset.indexes.engines.pushdown import matching
from coverset.indexes.memory.index import MemoryIndex


class Shard:
    """A part of a corpus: vectors mapped into memory, the ids beside them, the columns to filter by.

    It keeps nothing between two questions that it could not read again, so it may die and be started anew at
    any time.
    """

    def __init__(self, folder: str, part: int) -> None:
        self.folder, self.part = Folder(folder), part
        self.ids: Keys = np.array(self.folder.load(f"ids-{part}.npy"))
        self.order = np.argsort(self.ids)
        self.index = MemoryIndex(self.folder.load(f"vectors-{part}.npy"))
        self.filtered: tuple[Any, Any, Any] = ((), self.index, np.arange(len(self.index)))

    def search(self, queries: Floats, k: int, condition: Filter | None) -> tuple[Floats, Keys]:
        """Return (scores, ids) of the best k, or of all there are."""
        scores, rows = self._search(queries, k, condition)
        return scores, self._named(rows)

    def search_with_vectors(
        self, queries: Floats, k: int, condition: Filter | None, floors: Floats, known: Keys
    ) -> tuple[Floats, Keys, Keys, Floats]:
        """Search, and hand out the vectors of what scores above the floors and is not known yet, each once."""
        scores, rows = self._search(queries, k, condition)
        scores[scores <= floors[:, None]] = -np.inf
        best = np.unique(rows[np.isfinite(scores)])
        new = best[~np.isin(self.ids[best], known)]
        return scores, self._named(rows), self.ids[new], self.index.corpus.meaning[new]

    def vectors(self, ids: Keys) -> tuple[Keys, Floats]:
        """Return those of the ids that this part has, and their vectors."""
        place = np.minimum(np.searchsorted(self.ids, ids, sorter=self.order), len(self.ids) - 1)
        rows = self.order[place]
        rows = rows[self.ids[rows] == ids]
        return self.ids[rows], self.index.corpus.meaning[rows]

    def _search(self, queries: Floats, k: int, condition: Filter | None) -> tuple[Floats, Ids]:
        """Return (scores, rows), padded with -1."""
        index, rows = self._where(condition)
        if index is None:
            return np.full((len(queries), 1), -np.inf, np.float32), np.full((len(queries), 1), -1)
        scores, found = index.search(queries, min(k, len(index)))
        return scores, np.where(found < 0, -1, rows[found])

    def _where(self, condition: Filter | None) -> tuple[MemoryIndex | None, Ids]:
        """Return the documents that the filter lets through; those of the last one are kept."""
        if condition is None:
            return self.index, np.arange(len(self.index))
        if self.filtered[0] != condition:
            columns = {name: self._column(name) for name in keys(condition)}
            rows = np.flatnonzero(matching(condition, columns))
            self.filtered = (condition, MemoryIndex(self.index.corpus.meaning[rows]) if len(rows) else None, rows)
        return self.filtered[1], self.filtered[2]

    def _column(self, name: str) -> NDArray[Any]:
        """Return what the documents have under a name, None where they have nothing."""
        written = self.folder.text(f"column-{name}-{self.part}.json")
        if written is None:
            raise ValueError(f"where must name columns of the corpus, got {name!r}")
        return np.array(json.loads(written))

    def _named(self, rows: Ids) -> Keys:
        """The ids of rows, padded as ids are: with -1, or with an empty string."""
        padding = -1 if self.ids.dtype.kind == "i" else ""
        return np.where(rows < 0, np.array(padding, self.ids.dtype), self.ids[rows])
