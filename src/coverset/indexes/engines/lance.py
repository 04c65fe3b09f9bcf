"""LanceDB: a table in a folder or in object storage, with no server."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Mapping
from datetime import timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats, Keys
from coverset.extras import require
from coverset.filters import Contains, Leaf, OneOf, Range
from coverset.indexes.engines.engine import LISTS, Engine, as_documents, blocks, in_order
from coverset.indexes.engines.pushdown import bounds, expression
from coverset.indexes.ids import as_ids, padded
from coverset.inputs import as_choice, as_count
from coverset.plain import Foreign

METRICS = {"dot": "ip", "cosine": "cosine", "l2": "l2"}


class LanceIndex(Engine):
    """A LanceDB table with a column of ids and a column of vectors of fixed width.

    Without a vector index, searches are exact. With one they use it, whatever its metric; they are then
    approximate, and can go round it to certify an answer. Readers see each write whole or not at all, and see
    it at their next search.

    Parameters
    ----------
    database
        A LanceDB connection, or what to connect to: a folder, "s3://bucket/path".
    table
        The name of the table.
    id_column, vector_column
        The columns with ids and vectors.
    effort
        How many lists of the vector index a search looks at. None: 640.
    """

    def __init__(
        self,
        database: Foreign,
        table: str,
        *,
        id_column: str = "id",
        vector_column: str = "vector",
        effort: int | None = None,
    ) -> None:
        connection = connect(database)
        if table not in connection.list_tables(limit=None).tables:
            raise ValueError(f"table must be a table of the database, got {table!r}: LanceIndex.build makes one")
        self.table = connection.open_table(table)
        self.schema = self.table.schema
        for argument, name in (("id_column", id_column), ("vector_column", vector_column)):
            if name not in self.schema.names:
                raise ValueError(f"{argument} must be a column of {table}, {self.schema.names}, got {name!r}")
        self.id_column, self.vector_column = id_column, vector_column
        self.dim = getattr(self.schema.field(vector_column).type, "list_size", 0)
        if not self.dim:
            raise ValueError(f"vector_column must hold vectors of fixed width, got {vector_column!r}")
        self.effort = as_count("effort", effort, optional=True) or LISTS
        used = [i for i in self.table.list_indices() if list(i.columns) == [vector_column]]
        self.exact = not used
        self.distance = self.table.index_stats(used[0].name).distance_type.lower() if used else "dot"
        self.metric = METRICS[self.distance]
        # Compressed vectors give rough distances: ask for more, and compute theirs again from the vectors.
        self.refine = 4 if used and not used[0].index_type.lower().endswith("flat") else None
        if self.metric == "l2":
            self.vectors(self.table.search().select([id_column]).limit(16).to_arrow()[id_column].to_pylist())

    @classmethod
    def build(
        cls,
        database: Foreign,
        table: str,
        vectors: ArrayLike,
        ids: Iterable[Hashable] | None = None,
        *,
        kind: str = "flat",
        columns: Mapping[str, Iterable[object]] | None = None,
        effort: int | None = None,
    ) -> LanceIndex:
        """Make a table with columns `id`, `vector` and those given; "ivf" adds an index of flat lists."""
        arrow, connection = require("pyarrow", "lance"), connect(database)
        rows, named, values = as_documents(vectors, ids, columns)
        as_choice("kind", kind, ("flat", "ivf"))
        if table in connection.list_tables(limit=None).tables:
            raise ValueError(
                f"table must not exist yet, got {table!r}: LanceIndex(database, table) attaches to it"
            )
        others = arrow.table({"id": named.tolist(), **values})
        schema = others.schema.insert(1, arrow.field("vector", arrow.list_(arrow.float32(), rows.shape[1])))

        def batches() -> Foreign:
            for part in blocks("filling the table", len(rows), 65_536):
                flat = arrow.FixedSizeListArray.from_arrays(arrow.array(rows[part].ravel()), rows.shape[1])
                piece = others.slice(part.start, part.stop - part.start).add_column(
                    1, schema.field("vector"), flat
                )
                yield from piece.to_batches()

        made = connection.create_table(table, batches(), schema=schema)
        indexes = require("lancedb.index", "lance")
        if kind == "ivf":
            made.create_index("vector", config=indexes.IvfFlat(distance_type="dot"))
        made.create_index("id", config=indexes.BTree())
        return cls(connection, table, effort=effort)

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self.table.count_rows())

    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        search = self.table.search(queries, vector_column_name=self.vector_column).distance_type(self.distance)
        search = search.limit(k).select([self.id_column, "_distance"])
        search = search.bypass_vector_index() if self.exact else search.nprobes(self.effort)
        if self.refine and not self.exact:
            search = search.refine_factor(self.refine)
        if self.condition is not None:
            search = search.where(expression(self.condition, self._leaf), prefilter=True)
        found = search.to_arrow()
        distances = found["_distance"].to_numpy()
        numbers = (
            found["query_index"].to_numpy() if "query_index" in found.column_names else np.zeros(len(found), int)
        )
        order = np.lexsort((distances, numbers))
        ends = np.searchsorted(numbers[order], np.arange(len(queries) + 1))
        values = (distances if self.metric == "l2" else 1.0 - distances)[order]
        ids = as_ids(found[self.id_column].to_pylist())[order]
        return padded([(values[a:b], ids[a:b]) for a, b in pairwise(ends)], k)

    def _vectors(self, ids: Keys) -> Floats:
        search = self.table.search().where(f"{_quoted(self.id_column)} in ({_listed(ids.tolist())})")
        found = search.select([self.id_column, self.vector_column]).limit(len(ids)).to_arrow()
        rows = found[self.vector_column].combine_chunks().flatten().to_numpy().reshape(-1, self.dim)
        return in_order(ids, dict(zip(found[self.id_column].to_pylist(), rows, strict=True)))

    def _check_condition(self, columns: list[str]) -> None:
        for column in columns:
            if column not in self.schema.names or "`" in column:
                raise ValueError(f"where must name columns of the table, {self.schema.names}, got {column!r}")

    def _leaf(self, leaf: Leaf) -> str:
        """Return a condition in SQL; a value that is missing makes it false, not null."""
        column, kind = _quoted(leaf.key), str(self.schema.field(leaf.key).type)
        there = f"{column} is not null"
        if isinstance(leaf, OneOf):
            return f"({there} and {column} in ({_listed([value for _, value in leaf.values])}))"
        if isinstance(leaf, Contains):
            return f"({there} and contains({column}, {_listed([leaf.text])}))"
        if isinstance(leaf, Range):
            # A column of dates is compared with dates.
            dated = "date " if kind.startswith("date") else "timestamp " if kind.startswith("timestamp") else ""
            # LanceDB does not compare whole numbers with fractions.
            whole = kind.startswith(("int", "uint"))
            limits = [(sign, _rounded(sign, value) if whole else value) for sign, value in bounds(leaf)]
            parts = [f"{column} {sign} {dated}{_listed([value])}" for sign, value in limits]
            return f"({' and '.join([there, *parts])})"
        return f"({there})"


def connect(database: Foreign) -> Foreign:
    """Return a connection; what is none yet is connected to."""
    lancedb = require("lancedb", "lance")
    if isinstance(database, (str, os.PathLike)):
        return lancedb.connect(os.fspath(database), read_consistency_interval=timedelta(0))
    return database


def _rounded(sign: str, value: object) -> Foreign:
    """Return a bound for whole numbers that says the same as one for all numbers."""
    if not isinstance(value, float):
        return value
    return math.floor(value) if sign in (">", "<=") else math.ceil(value)


def _quoted(column: str) -> str:
    return f"`{column}`"


def _listed(values: Iterable[object]) -> str:
    """SQL literals: quotes inside strings are doubled, and nothing else in them means anything."""
    return ", ".join("'" + v.replace("'", "''") + "'" if isinstance(v, str) else repr(v).lower() for v in values)
