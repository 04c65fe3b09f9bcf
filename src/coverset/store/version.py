"""Reading one whole version of a store's table, every row checked against its digest."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats, Ids
from coverset.extras import require
from coverset.plain import Foreign
from coverset.store import rows
from coverset.store.counting import Counts
from coverset.store.waiting import to_the_end

DOCUMENTS = f"id != '{rows.STATE}'"
# Up to this many documents that changed are fetched by their ids; for more, everything is read.
FEW = 1000
# Rows read at a time.
BATCH = 8192
# The share of the machine's memory that vectors may take.
MOST = 0.5


@dataclass(frozen=True, eq=False)
class Version:
    """One whole version: the documents in the order of their ids, their vectors, and their words if it has any."""

    number: int
    state: rows.State
    table: Foreign
    vectors: Floats
    counts: Counts | None


@dataclass(frozen=True, eq=False)
class Outline:
    """What a version says of itself, and the ids and digests of its documents, in the order of the ids."""

    number: int
    state: rows.State
    dim: int
    documents: Foreign


def outline(table: Foreign) -> Outline:
    """Return the outline of the version that a table is at."""
    found = _checked(_select(table, among([rows.STATE])))
    if len(found) != 1:
        raise ValueError("the row that describes it is missing")
    state = rows.read_state(found["meta"][0].as_py())
    documents = _select(table, DOCUMENTS, ["id", "digest"])
    if state != state.of(documents["digest"].to_numpy()):
        raise ValueError(f"its {state.documents} documents are not all there, or not all those that were written")
    return Outline(int(table.version), state, _vectors(found).shape[1], in_order(documents))


def size(table: Foreign) -> int:
    """Return how many bytes the data of the version that a table is at take."""
    return sum(field.bytes_on_disk for field in table.stats.data_stats().fields)


def in_order(documents: Foreign) -> Foreign:
    """Return ids and digests in the order of the ids."""
    return documents.sort_by("id").combine_chunks()


def read(table: Foreign, now: Outline, known: Version | None) -> Version:
    """Return the version that a table is at; of what an earlier one had, nothing is read again."""
    pa, pc = require("pyarrow", "store"), require("pyarrow.compute", "store")
    known = known or _nothing(now)
    vectors = _room(len(now.documents), now.dim)
    origin = pc.index_in(now.documents["digest"], value_set=known.table["digest"])
    source = pc.fill_null(origin, -1).to_numpy().astype(np.int64)
    if len(known.table):
        np.take(known.vectors, np.maximum(source, 0), axis=0, out=vectors, mode="clip")
    place = _Places(now.documents["digest"].to_numpy())
    new, read = [], len(known.table)
    for part in _batches(table, now.documents.filter(pa.array(source < 0))["id"]):
        at = place(part["digest"].to_numpy())
        vectors[at] = _vectors(part)
        source[at] = read + np.arange(len(part))
        new.append(part.drop_columns("vector"))
        read += len(part)
    documents = pa.concat_tables([known.table, *(part.select(rows.TEXTS) for part in new)]).take(source)
    if (source < 0).any() or not documents.select(["id", "digest"]).equals(now.documents):
        raise ValueError("its documents are not those that its outline lists")
    counts = None
    if now.state.words is not None:
        # A store that had no words before may have documents that have none now.
        counts = (known.counts or Counts.none(len(known.table))).then(Counts.read(new), source)
    return Version(now.number, now.state, documents.combine_chunks(), vectors, counts)


def _nothing(now: Outline) -> Version:
    """Return a version without documents, which all others can be read from."""
    table = rows.schema(now.dim, words=False).empty_table().select(rows.TEXTS)
    return Version(0, now.state, table, np.empty((0, now.dim), np.float32), None)


def among(ids: Iterable[str]) -> str:
    """Return the condition that a row's id is one of these, for Lance's filters."""
    return f"id IN ({', '.join(_quoted(i) for i in ids)})"


def _quoted(identifier: str) -> str:
    return "'" + identifier.replace("'", "''") + "'"


class _Places:
    """Where the documents with these digests stand."""

    def __init__(self, digests: NDArray[np.uint64]) -> None:
        self.order = np.argsort(digests)
        self.digests = digests[self.order]

    def __call__(self, digests: NDArray[np.uint64]) -> Ids:
        found = np.searchsorted(self.digests, digests)
        if (found == len(self.digests)).any() or (self.digests[found] != digests).any():
            raise ValueError("it has documents that its outline does not list")
        return self.order[found]


def _batches(table: Foreign, ids: Foreign) -> Iterator[Foreign]:
    """Yield these documents, checked, a batch at a time: few are asked for by id, many with all others."""
    pa = require("pyarrow", "store")
    if len(ids):
        condition = DOCUMENTS if len(ids) > FEW else among(ids.to_pylist())
        batches = table.to_batches(filter=condition, batch_size=BATCH)
        while (batch := to_the_end(lambda: next(batches, None))) is not None:
            yield _checked(pa.Table.from_batches([batch]))


def _select(table: Foreign, condition: str, columns: list[str] | None = None) -> Foreign:
    """Return the rows that meet a condition. Lance would take an interrupt meanwhile for an error of its own."""
    return to_the_end(lambda: table.to_table(columns, condition))


def _checked(part: Foreign) -> Foreign:
    """Return some rows after checking their digests."""
    wrong = np.flatnonzero(rows.digests(part, _vectors(part)) != part["digest"].to_numpy())
    if len(wrong):
        identifier = part["id"][int(wrong[0])].as_py()
        what = f"the document {identifier!r}" if identifier else "the row that describes it"
        raise ValueError(f"{what} is damaged ({len(wrong)} such rows)")
    return part


def _vectors(part: Foreign) -> Floats:
    dim = part.schema.field("vector").type.list_size
    vectors: Floats = part["vector"].combine_chunks().flatten().to_numpy().reshape(-1, dim)
    return vectors


def _room(documents: int, dim: int) -> Floats:
    """Return room for vectors: in memory or, where they would fill it, in a file that the system pages."""
    if 4 * documents * dim <= MOST * _memory():
        return np.empty((documents, dim), np.float32)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, np.float32, shape=(documents, dim))


def _memory() -> float:
    """Return the machine's memory in bytes; where the system does not tell, as if there were no end to it."""
    if sys.platform == "win32":
        return float("inf")
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
