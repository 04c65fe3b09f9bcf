"""usearch: a compact HNSW index in memory or in a file."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats, Keys
from coverset.extras import require
from coverset.indexes.engines.engine import CANDIDATES, Engine, as_documents, blocks, missing
from coverset.indexes.ids import as_ids
from coverset.inputs import as_count
from coverset.plain import Foreign


class UsearchIndex(Engine):
    """A usearch index of inner products, cosines or squared distances. The ids are its keys.

    It is approximate. If it keeps vectors in single precision, it can be searched exhaustively to certify an
    answer. usearch has no columns, and so no filters.

    Parameters
    ----------
    index
        A `usearch.index.Index`, or the path of a file that its `save` wrote.
    effort
        Candidates that a search keeps (usearch's `expansion`). None: 8192.
    """

    exact = False

    def __init__(self, index: Foreign, *, effort: int | None = None) -> None:
        module = require("usearch.index", "usearch")
        if isinstance(index, (str, os.PathLike)):
            path, index = index, module.Index.restore(os.fspath(index))
            if index is None:
                raise ValueError(f"index must be a usearch index or a file of one, got {os.fspath(path)!r}")
        if not isinstance(index, module.Index):
            raise ValueError(f"index must be a usearch index or a file of one, got a {type(index).__name__}")
        names = {module.MetricKind.IP: "ip", module.MetricKind.Cos: "cosine", module.MetricKind.L2sq: "l2"}
        if index.metric_kind not in names or index.multi:
            raise ValueError("index must have one vector per key and the metric ip, cos or l2sq")
        self.index, self.dim, self.metric = index, index.ndim, names[index.metric_kind]
        self.effort = as_count("effort", effort, optional=True) or CANDIDATES
        # Half precision rounds queries too: an exhaustive search is then no proof.
        self.can_be_exact = index.dtype in (module.ScalarKind.F32, module.ScalarKind.F64)
        if self.metric == "l2" and len(index):
            self.vectors(self.search(np.eye(1, self.dim), min(16, len(index)))[1][0])

    @classmethod
    def build(
        cls, vectors: ArrayLike, ids: Iterable[Hashable] | None = None, *, effort: int | None = None
    ) -> UsearchIndex:
        """Build an index of inner products in single precision."""
        module = require("usearch.index", "usearch")
        rows, named, _ = as_documents(vectors, ids)
        if named.dtype.kind != "i":
            raise ValueError(f"ids must be whole numbers in usearch, got {named[0]!r}")
        index = module.Index(ndim=rows.shape[1], metric="ip", dtype="f32", connectivity=32)
        for part in blocks("building the usearch index", len(rows)):
            index.add(named[part], rows[part])
        return cls(index, effort=effort)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.index)

    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        count = min(k, len(self.index))
        # usearch keeps its effort on the index, for all threads alike, and takes no less than it is asked for.
        self.index.expansion_search = max(self.effort, count)
        found = self.index.search(queries, count, exact=self.exact)
        shape = (len(queries), -1)
        distances, keys = found.distances.reshape(shape), found.keys.reshape(shape)
        inside = np.arange(count) < np.reshape(found.counts if len(queries) > 1 else len(found), (-1, 1))
        scores = np.full((len(queries), k), -np.inf, np.float32)
        ids = np.full((len(queries), k), -1, np.int64)
        scores[:, :count][inside] = (distances if self.metric == "l2" else 1.0 - distances)[inside]
        ids[:, :count][inside] = as_ids(keys[inside])
        return scores, ids

    def _vectors(self, ids: Keys) -> Floats:
        rows = self.index.get(ids, "f32")
        if any(row is None for row in rows):
            raise missing([i for i, row in zip(ids.tolist(), rows, strict=True) if row is None])
        return np.stack(rows)

    def _check_condition(self, columns: list[str]) -> None:
        raise ValueError("where needs an engine with columns: usearch has none")
