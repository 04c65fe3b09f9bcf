"""FAISS: an index in memory or in a file, exact (flat) or approximate (IVF, HNSW)."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats, Ids, Keys
from coverset.extras import require
from coverset.indexes.engines.engine import CANDIDATES, LISTS, Engine, as_documents, blocks, missing
from coverset.indexes.engines.pushdown import matching
from coverset.inputs import as_choice, as_count
from coverset.plain import Foreign


class FaissIndex(Engine):
    """Any FAISS index of inner products or squared distances, bare or in an IndexIDMap.

    A flat index is exact. An HNSW graph over flat storage and an IVF index of flat lists are approximate, and
    can be searched exhaustively to certify an answer. An IVF index is given a direct map, if it has none, so
    that vectors can be fetched by id.

    Parameters
    ----------
    index
        A faiss index, or the path of a file that `faiss.write_index` wrote.
    effort
        How hard a search tries: candidates kept (HNSW) or lists looked at (IVF). None: 8192
        candidates, 640 lists.
    columns
        Values to filter by, {"lang": ["py", ...]}, in the order in which the documents were added.
    ids
        The documents' ids in that order, where an IVF index was filled with `add_with_ids` and has columns.
    """

    def __init__(
        self,
        index: Foreign,
        *,
        effort: int | None = None,
        columns: Mapping[str, Iterable[object]] | None = None,
        ids: Iterable[Hashable] | None = None,
    ) -> None:
        self.faiss = faiss = require("faiss", "faiss")
        if isinstance(index, (str, os.PathLike)):
            index = faiss.read_index(os.fspath(index))
        if not isinstance(index, faiss.Index):
            raise ValueError(f"index must be a faiss index or a file of one, got a {type(index).__name__}")
        names = {faiss.METRIC_INNER_PRODUCT: "ip", faiss.METRIC_L2: "l2"}
        if index.metric_type not in names:
            raise ValueError("index must use METRIC_INNER_PRODUCT or METRIC_L2")
        self.metric, self.dim, self.index = names[index.metric_type], index.d, index
        wrapped = isinstance(index, (faiss.IndexIDMap, faiss.IndexIDMap2))
        # FAISS numbers rows; a wrapping map, if there is one, gives them their ids.
        self.rows = faiss.downcast_index(index.index) if wrapped else faiss.downcast_index(index)
        self.names: Ids | None = faiss.vector_to_array(index.id_map) if wrapped else None
        self.order = np.argsort(self.names) if self.names is not None else None
        self.columns = {str(name): np.asarray(values) for name, values in dict(columns or {}).items()}
        self.numbers: Ids = np.arange(index.ntotal) if ids is None or wrapped else np.asarray(ids, np.int64)
        for name, values in {"ids": self.numbers, **self.columns}.items():
            if len(values) != index.ntotal:
                raise ValueError(f"{name} must have {index.ntotal} values, one per document, got {len(values)}")
        # The numbers of the documents that the filter lets through, if there is one.
        self.selected: Ids | None = None
        self._set_effort(as_count("effort", effort, optional=True))
        if self.metric == "l2" and index.ntotal:
            self.vectors(self.search(np.eye(1, self.dim), 16)[1][0, : min(16, index.ntotal)])

    @classmethod
    def build(
        cls,
        vectors: ArrayLike,
        ids: Iterable[Hashable] | None = None,
        *,
        kind: str = "hnsw",
        effort: int | None = None,
        columns: Mapping[str, Iterable[object]] | None = None,
    ) -> FaissIndex:
        """Build an index of inner products: "flat", "hnsw" or "ivf" (with about 2 sqrt(N) lists)."""
        faiss = require("faiss", "faiss")
        rows, named, values = as_documents(vectors, ids, columns)
        if named.dtype.kind != "i":
            raise ValueError(f"ids must be whole numbers in FAISS, got {named[0]!r}")
        as_choice("kind", kind, ("flat", "hnsw", "ivf"))
        index = faiss.IndexFlatIP(rows.shape[1])
        if kind == "hnsw":
            index = faiss.IndexHNSWFlat(rows.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = 128
        elif kind == "ivf":
            lists = max(1, min(int(2 * len(rows) ** 0.5), len(rows) // 39))
            index = faiss.IndexIVFFlat(index, rows.shape[1], lists, faiss.METRIC_INNER_PRODUCT)
            index.cp.max_points_per_centroid = 64
            index.train(rows)
        if ids is not None:
            index = faiss.IndexIDMap2(index)
        for part in blocks("building the FAISS index", len(rows)):
            index.add(rows[part]) if ids is None else index.add_with_ids(rows[part], named[part])
        return cls(index, effort=effort, columns=values)

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self.index.ntotal)

    def _set_effort(self, effort: int | None) -> None:
        """Find out what kind of index this is, and so what effort means and whether it is exact."""
        faiss, rows = self.faiss, self.rows
        flat_graph = isinstance(rows, faiss.IndexHNSW) and isinstance(
            faiss.downcast_index(rows.storage), faiss.IndexFlat
        )
        if isinstance(rows, faiss.IndexIVF):
            if rows.direct_map.no():
                rows.set_direct_map_type(faiss.DirectMap.Hashtable)
            self.effort, self.quick = min(effort or max(rows.nprobe, LISTS), rows.nlist), LISTS // 8
        else:
            self.effort, self.quick = effort or CANDIDATES, CANDIDATES // 8
        self.exact = isinstance(rows, faiss.IndexFlat) or (
            isinstance(rows, faiss.IndexIVFFlat) and self.effort == rows.nlist
        )
        self.can_be_exact = self.exact or flat_graph or isinstance(rows, faiss.IndexIVFFlat)

    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        faiss, rows = self.faiss, self.rows
        selected = None if self.selected is None else faiss.IDSelectorBatch(self.selected)
        if isinstance(rows, faiss.IndexIVF):
            lists = rows.nlist if self.exact else self.effort
            parameters = faiss.SearchParametersIVF(sel=selected, nprobe=lists)
        elif isinstance(rows, faiss.IndexHNSW) and not self.exact:
            parameters = faiss.SearchParametersHNSW(sel=selected, efSearch=max(self.effort, k))
        else:
            parameters = faiss.SearchParameters(sel=selected)
            rows = faiss.downcast_index(rows.storage) if isinstance(rows, faiss.IndexHNSW) else rows
        scores, found = rows.search(queries, k, params=parameters)
        scores[found < 0] = -np.inf
        return scores, found if self.names is None else np.where(found < 0, -1, self.names[found])

    def _vectors(self, ids: Keys) -> Floats:
        rows = ids
        if self.names is not None and self.order is not None:
            place = np.searchsorted(self.names, ids, sorter=self.order)
            rows = self.order[np.minimum(place, len(self.order) - 1)]
            if (self.names[rows] != ids).any():
                raise missing(ids[self.names[rows] != ids])
        try:
            vectors: Floats = self.rows.reconstruct_batch(rows)
        except RuntimeError as error:
            raise missing(ids) from error
        return vectors

    def _check_condition(self, columns: list[str]) -> None:
        for column in columns:
            if column not in self.columns:
                raise ValueError(f"where must name columns of the index, {sorted(self.columns)}, got {column!r}")
        assert self.condition is not None
        self.selected = self.numbers[matching(self.condition, self.columns)]
