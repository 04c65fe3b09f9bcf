"""PostgreSQL with pgvector: a table with a vector column."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats, Keys
from coverset.extras import require
from coverset.filters import Contains, Filter, Leaf, OneOf, Range, fold
from coverset.indexes.engines.engine import CANDIDATES, LISTS, Engine, as_documents, in_order
from coverset.indexes.engines.postgres import connected, make_table
from coverset.indexes.engines.pushdown import bounds
from coverset.indexes.ids import padded
from coverset.inputs import as_choice, as_count
from coverset.plain import Foreign

# pgvector keeps no more candidates than this.
MOST_CANDIDATES = 1000
OPERATORS = {"ip": "<#>", "cosine": "<=>", "l2": "<->"}

COLUMNS = """
select attname, atttypid::regtype::text, atttypmod from pg_attribute
where attrelid = to_regclass(%s) and attnum > 0 and not attisdropped
"""
INDEXES = """
select method.amname, class.opcname
from pg_index as entry
join pg_class as named on named.oid = entry.indexrelid
join pg_am as method on method.oid = named.relam
join pg_opclass as class on class.oid = entry.indclass[0]
join pg_attribute as attribute on attribute.attrelid = entry.indrelid and attribute.attnum = entry.indkey[0]
where entry.indrelid = to_regclass(%s) and attribute.attname = %s and entry.indisvalid and entry.indpred is null
  and method.amname in ('hnsw', 'ivfflat')
order by class.opcname = 'vector_ip_ops' desc
"""


class PgvectorIndex(Engine):
    """A table of PostgreSQL with an id column of any kind and a column of type vector.

    Without an HNSW or IVFFlat index on the vectors, searches are exact. With one they use it, whatever its
    metric; they are then approximate, and can be made exhaustive to certify an answer. A filtered search is
    always exhaustive: pgvector filters what its index found, and can be left with nothing.

    A batch of queries is one statement. Only what a search found, and only ids and scores, comes back.

    Parameters
    ----------
    database
        A psycopg connection, or what to connect to: "postgresql://user@host/name".
    table
        The table, as "name" or "schema.name".
    id_column, vector_column
        The columns with ids and vectors.
    effort
        How hard a search with an index tries: candidates kept (HNSW, at most 1000) or lists looked at
        (IVFFlat). None: as many as pgvector can, 640 lists.
    """

    def __init__(
        self,
        database: Foreign,
        table: str,
        *,
        id_column: str = "id",
        vector_column: str = "embedding",
        effort: int | None = None,
    ) -> None:
        self._turn = threading.Lock()
        with connected(database) as self.connection:
            self.sql = require("psycopg.sql", "pgvector")
            self.table = self.sql.Identifier(*table.split("."))
            self.id_column, self.vector_column = id_column, vector_column
            self.columns = {name: (kind, size) for name, kind, size in self._rows(COLUMNS, (self._name(),))}
            self.dim = self._read_dim(table)
            found = self._rows(INDEXES, (self._name(), vector_column))
            self.method: str | None = found[0][0] if found else None
            self.metric = found[0][1].split("_")[1] if found else "ip"
            self.exact = self.method is None
            self.effort = as_count("effort", effort, optional=True) or (
                LISTS if self.method == "ivfflat" else CANDIDATES
            )
            if self.metric == "l2":
                self.vectors([i for (i,) in self._rows(self._sql("select {id} from {table} limit 16"))])

    @classmethod
    def build(
        cls,
        database: Foreign,
        table: str,
        vectors: ArrayLike,
        ids: Iterable[Hashable] | None = None,
        *,
        kind: str = "hnsw",
        columns: Mapping[str, Iterable[object]] | None = None,
        effort: int | None = None,
    ) -> PgvectorIndex:
        """Make a table with columns `id`, `embedding` and those given, all or nothing, and index it.

        `kind` is the index: "hnsw", "ivf", or "flat" for none.
        """
        rows, named, values = as_documents(vectors, ids, columns)
        as_choice("kind", kind, ("flat", "hnsw", "ivf"))
        with connected(database, create=True) as connection:
            make_table(connection, table, rows, named, values, kind)
            return cls(connection, table, effort=effort)

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self._rows(self._sql("select count(*) from {table} where {vector} is not null"))[0][0])

    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        wanted: list[Any] = []
        chosen = self.sql.SQL("true") if self.condition is None else self._chosen(self.condition, wanted)
        statement = self._sql(
            "select query.number, found.id, found.distance"
            " from unnest(%s::vector[]) with ordinality as query(vector, number) cross join lateral"
            " (select {id} as id, {vector} {operator} query.vector as distance from {table}"
            " where {vector} is not null and {chosen}"
            " order by ({vector} {operator} query.vector){exact} limit %s) as found"
            " order by query.number, found.distance",
            chosen=chosen,
            # No index serves an expression, whatever the planner is told or has remembered.
            exact=self.sql.SQL(" + 0" if self.exact else ""),
        )
        vector = require("pgvector", "pgvector").Vector
        values = ([vector(q) for q in queries], *wanted, k)
        found: list[tuple[list[float], list[Any]]] = [([], []) for _ in queries]
        for number, name, distance in self._rows(statement, values, self._settings(k)):
            found[number - 1][0].append(distance)
            found[number - 1][1].append(name)
        distances, ids = padded(found, k)
        values_of = {"ip": -distances, "cosine": 1.0 - distances, "l2": distances**2}
        return np.where(np.isfinite(distances), values_of[self.metric], -np.inf).astype(np.float32), ids

    def _vectors(self, ids: Keys) -> Floats:
        statement = self._sql("select {id}, {vector} from {table} where {id} = any(%s)")
        found = self._rows(statement, (ids.tolist(),))
        # Some versions of the client wrap vectors, others hand out arrays.
        return in_order(ids, {name: v.to_numpy() if hasattr(v, "to_numpy") else v for name, v in found})

    def _check_condition(self, columns: list[str]) -> None:
        self.exact = True
        for column in columns:
            if column not in self.columns:
                raise ValueError(f"where must name columns of the table, {self.columns}, got {column!r}")

    def _chosen(self, condition: Filter, wanted: list[Any]) -> Foreign:
        """Return a filter in SQL, and put the values that it speaks of into `wanted`, in their order."""
        sql = self.sql

        def leaf(one: Leaf) -> Foreign:
            column = sql.Identifier(one.key)
            if isinstance(one, OneOf):
                wanted.append([value for _, value in one.values])
                return sql.SQL("coalesce({} = any(%s), false)").format(column)
            if isinstance(one, Contains):
                wanted.append(one.text)
                return sql.SQL("coalesce(strpos({}, %s) > 0, false)").format(column)
            if isinstance(one, Range):
                # Texts by code points, as everywhere, not as the database's language has them.
                order = ' collate "C"' if self.columns[one.key][0].startswith(("text", "char")) else ""
                limits = list(bounds(one))
                wanted.extend(value for _, value in limits)
                parts = [sql.SQL(f"{{}}{order} {sign} %s").format(column) for sign, _ in limits]
                return sql.SQL("coalesce({}, false)").format(sql.SQL(" and ").join(parts))
            return sql.SQL("({} is not null)").format(column)

        def combine(word: str, parts: list[Any]) -> Foreign:
            joined = sql.SQL(f" {word} ").join(parts)
            return sql.SQL("(not {})" if word == "not" else "({})").format(joined)

        return fold(condition, leaf, combine)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _read_dim(self, table: str) -> int:
        """Return the width of the vectors, having checked that table and columns are there."""
        if not self.columns:
            raise ValueError(
                f"table must be a table of the database, got {table!r}: PgvectorIndex.build makes one"
            )
        for argument, name in (("id_column", self.id_column), ("vector_column", self.vector_column)):
            if name not in self.columns:
                raise ValueError(f"{argument} must be a column of {table}, {sorted(self.columns)}, got {name!r}")
        kind, size = self.columns[self.vector_column]
        if kind.split(".")[-1] != "vector":
            raise ValueError(f"vector_column must have the type vector, got {self.vector_column!r} of type {kind}")
        if size > 0:
            return int(size)
        found = self._rows(
            self._sql("select vector_dims({vector}) from {table} where {vector} is not null limit 1")
        )
        if not found:
            raise ValueError(
                f"vector_column must have a width, got {self.vector_column!r} of type vector, and no rows"
            )
        return int(found[0][0])

    def _settings(self, k: int) -> dict[str, str]:
        """What to tell PostgreSQL for one search: how hard to try with an index."""
        if self.exact:
            return {}
        if self.method == "ivfflat":
            return {"ivfflat.probes": str(self.effort)}
        return {"hnsw.ef_search": str(min(max(self.effort, k), MOST_CANDIDATES))}

    def _sql(self, statement: str, **parts: Foreign) -> Foreign:
        """Fill in the names of table and columns, quoted."""
        return self.sql.SQL(statement).format(
            table=self.table,
            id=self.sql.Identifier(self.id_column),
            vector=self.sql.Identifier(self.vector_column),
            operator=self.sql.SQL(OPERATORS[self.metric]),
            **parts,
        )

    def _name(self) -> str:
        return str(self.table.as_string(self.connection))

    def _rows(self, statement: Foreign, values: object = (), settings: dict[str, str] | None = None) -> list[Any]:
        """Run one statement, under settings that hold for it alone."""
        psycopg = require("psycopg", "pgvector")
        try:
            # A connection has one transaction at a time, so threads take turns.
            with self._turn, self.connection.transaction(), self.connection.pipeline():
                for name, value in (settings or {}).items():
                    self.connection.execute("select set_config(%s, %s, true)", (name, value))
                return list(self.connection.cursor(binary=True).execute(statement, values).fetchall())
        except (psycopg.ProgrammingError, psycopg.DataError) as error:
            if self.condition is None:
                raise
            raise ValueError(
                f"where must have values of the columns' types, got {self.condition!r}: {error}"
            ) from error
