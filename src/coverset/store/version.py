"""Reading one whole version of a store's table, every row checked against its digest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.extras import require
from coverset.inputs import Floats
from coverset.store import rows

# Up to this many documents that changed are fetched one by one; for more, everything is read.
FEW = 1000


@dataclass(frozen=True, eq=False)
class Version:
    """One whole version: the documents in the order of their ids, and their vectors, row for row."""

    number: int
    state: rows.State
    table: Any
    vectors: Floats


@dataclass(frozen=True, eq=False)
class Outline:
    """What a version says of itself, and the ids and digests of its documents, in the order of the ids."""

    state: rows.State
    dim: int
    documents: Any


def outline(table: Any) -> Outline:
    """Return the outline of the version that a LanceDB table is at."""
    state, _, vectors = _checked(table.search().where(f"id = '{rows.STATE}'").to_arrow())
    found = table.search().select(["id", "digest"]).where(f"id != '{rows.STATE}'").to_arrow()
    if state != state.of(found["digest"].to_numpy()):
        raise ValueError(f"its {state.documents} documents are not all there, or not all those that were written")
    return Outline(state, vectors.shape[1], found.sort_by("id").combine_chunks())


def read(table: Any, known: Version | None) -> Version:
    """Return the version that a LanceDB table is at; of what an earlier one had, nothing is read again."""
    number, now = int(table.version), outline(table)
    if known is None:
        return _read_all(table, number, now)
    pa, pc = require("pyarrow", "store"), require("pyarrow.compute", "store")
    origin = pc.index_in(now.documents["digest"], value_set=known.table["digest"]).combine_chunks()
    new = now.documents.filter(pc.is_null(origin))
    if len(new) > FEW:
        return _read_all(table, number, now)
    _, fetched, vectors = _checked(table.search().where(among([rows.STATE, *new["id"].to_pylist()])).to_arrow())
    place = pc.is_null(origin).to_numpy(zero_copy_only=False)
    source = pc.fill_null(origin, 0).to_numpy().astype(np.int64)
    merged = (
        np.take(known.vectors, source, axis=0)
        if len(known.vectors)
        else np.empty((len(source), now.dim), np.float32)
    )
    merged[place] = vectors
    source[place] = len(known.table) + np.arange(len(fetched))
    documents = pa.concat_tables([known.table, fetched]).combine_chunks().take(source)
    return _whole(number, now, documents, merged)


def among(ids: Iterable[str]) -> str:
    """Return the condition that a row's id is one of these, for LanceDB's filters."""
    return f"id IN ({', '.join(_quoted(i) for i in ids)})"


def _quoted(identifier: str) -> str:
    return "'" + identifier.replace("'", "''") + "'"


def _read_all(table: Any, number: int, now: Outline) -> Version:
    _, documents, vectors = _checked(table.to_arrow())
    return _whole(number, now, documents, vectors)


def _whole(number: int, now: Outline, documents: Any, vectors: Floats) -> Version:
    """Return the version after checking that it is what its outline says."""
    if not documents.select(["id", "digest"]).equals(now.documents):
        raise ValueError("its documents are not those that its outline lists")
    return Version(number, now.state, documents, vectors)


def _checked(found: Any) -> tuple[rows.State, Any, Floats]:
    """Return the state, the documents ordered by id, and their vectors, after checking every row's digest."""
    pc = require("pyarrow.compute", "store")
    found = found.take(pc.sort_indices(found["id"])).combine_chunks()
    dim = found.schema.field("vector").type.list_size
    vectors: NDArray[np.float32] = found["vector"].combine_chunks().flatten().to_numpy().reshape(-1, dim)
    wrong = np.flatnonzero(rows.digests(found, vectors) != found["digest"].to_numpy())
    if len(wrong):
        identifier = found["id"][int(wrong[0])].as_py()
        raise ValueError(f"the document {identifier!r} is damaged ({len(wrong)} such documents)")
    if not len(found) or found["id"][0].as_py() != rows.STATE:
        raise ValueError("the row that describes it is missing")
    state = rows.read_state(found["meta"][0].as_py())
    return state, found.drop_columns("vector").slice(1), vectors[1:]
