"""PostgreSQL: a connection that knows vectors, and a table filled with them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from coverset.arrays import Floats, Keys
from coverset.extras import require
from coverset.indexes.engines.engine import blocks, example
from coverset.plain import Foreign

TYPES = {bool: "boolean", int: "bigint", float: "double precision", str: "text", uuid.UUID: "uuid"}


@contextmanager
def connected(database: Foreign, *, create: bool = False) -> Iterator[Foreign]:
    """Give a connection that knows the type vector; one that was opened here is closed if something fails.

    Only with `create` is the extension made where it is missing: a read replica would refuse it.
    """
    psycopg = require("psycopg", "pgvector")
    adapters = require("pgvector.psycopg", "pgvector")
    try:
        connection = psycopg.connect(database, autocommit=True) if isinstance(database, str) else database
    except psycopg.OperationalError as error:
        raise ConnectionError(f"PostgreSQL cannot be reached, start it or correct the address: {error}") from error
    try:
        if create:
            connection.execute("create extension if not exists vector")
        try:
            adapters.register_vector(connection)
        except psycopg.ProgrammingError as error:
            raise ValueError(
                "database must have the extension vector: PgvectorIndex.build makes it, or CREATE EXTENSION vector"
            ) from error
        yield connection
    except BaseException:
        if isinstance(database, str):
            connection.close()
        raise


def make_table(
    connection: Foreign, table: str, rows: Floats, ids: Keys, columns: dict[str, list[Any]], kind: str
) -> None:
    """Make a table with columns `id`, `embedding` and those given, and index it by `kind`: all or nothing."""
    sql = require("psycopg.sql", "pgvector")
    target = sql.Identifier(*table.split("."))
    values = {"id": ids.tolist(), "embedding": rows, **columns}
    types = {
        name: "vector" if name == "embedding" else _type(name, example(column)) for name, column in values.items()
    }
    extras = {"id": " primary key", "embedding": f"({rows.shape[1]})"}
    typed = [
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(type_ + extras.get(name, "")))
        for name, type_ in types.items()
    ]
    with connection.transaction():
        if connection.execute("select to_regclass(%s)", (target.as_string(connection),)).fetchone()[0]:
            raise ValueError(
                f"table must not exist yet, got {table!r}: PgvectorIndex(database, table) attaches to it"
            )
        connection.execute(sql.SQL("create table {} ({})").format(target, sql.SQL(", ").join(typed)))
        names = sql.SQL(", ").join(map(sql.Identifier, types))
        into = sql.SQL("copy {} ({}) from stdin with (format binary)").format(target, names)
        with connection.cursor().copy(into) as copy:
            copy.set_types(list(types.values()))
            for part in blocks("filling the table", len(rows)):
                for row in zip(*(column[part] for column in values.values()), strict=True):
                    copy.write_row(row)
        lists = max(1, len(rows) // 1000)
        ways = {"hnsw": "using hnsw ({})", "ivf": f"using ivfflat ({{}}) with (lists = {lists})"}
        if kind in ways:
            vectors = sql.SQL("embedding vector_ip_ops")
            connection.execute(sql.SQL("create index on {} " + ways[kind]).format(target, vectors))
        connection.execute(sql.SQL("analyze {}").format(target))


def _type(column: str, example: object) -> str:
    if type(example) in TYPES:
        return TYPES[type(example)]
    accepted = ", ".join(kind.__name__ for kind in TYPES)
    raise ValueError(f"{column} must have values of one of the types {accepted}, got {example!r}")
