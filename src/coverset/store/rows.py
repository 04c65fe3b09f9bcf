"""The rows of a store's table: documents, each with a digest of its own, and one row that describes the rest.

The row with the empty id is the store's state: encoder, decoder, and the number and the summed digests of the
documents. It is written in the same commit as they are, so a version is whole or it is not there, and a file
that was damaged afterwards shows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats
from coverset.extras import require
from coverset.store.documents import Incoming

FORMAT = 1
STATE = ""  # no document has it: an id has at least one character
# Rows that are turned into Python strings at a time.
BLOCK = 8192


@dataclass(frozen=True)
class State:
    """What a version says of itself. `source` is what the encoder can be loaded by, where its name is not."""

    encoder: str
    fingerprint: str
    source: str | None = None
    decoder: dict[str, Any] | None = None
    documents: int = 0
    digest: int = 0
    format: int = FORMAT

    def of(self, digests: NDArray[np.uint64]) -> State:
        """Return the state of a version with these documents."""
        return replace(self, documents=len(digests), digest=int(digests.sum(dtype=np.uint64)))


def schema(dim: int) -> Any:
    """Return the Arrow schema for vectors of this width."""
    pa = require("pyarrow", "store")
    vector = pa.list_(pa.field("item", pa.float32()), dim)
    strings = {"id": pa.string(), "text": pa.large_string(), "meta": pa.large_string()}
    return pa.schema([*strings.items(), ("vector", vector), ("digest", pa.uint64())])


def document_rows(documents: Sequence[Incoming], vectors: Floats) -> Any:
    """Return checked documents and their vectors as an Arrow table."""
    return _table([(document.id, document.text, document.meta) for document in documents], vectors)


def state_row(state: State, dim: int) -> Any:
    """Return the state as an Arrow table of one row."""
    return _table([(STATE, "", json.dumps(asdict(state)))], np.zeros((1, dim), np.float32))


def read_state(meta: str) -> State:
    """Return the state that a row's metadata holds."""
    state = json.loads(meta)
    if state["format"] != FORMAT:
        raise ValueError(f"it has format {state['format']}, and this version of coverset reads format {FORMAT}")
    return State(**state)


def digests(table: Any, vectors: Floats) -> NDArray[np.uint64]:
    """Return every row's digest: 64 bits of BLAKE2b over all that is in it."""
    out = bytearray()
    for start in range(0, len(table), BLOCK):
        part = table.slice(start, BLOCK)
        strings = (part[name].to_pylist() for name in ("id", "text", "meta"))
        for identifier, text, meta, vector in zip(*strings, vectors[start : start + BLOCK], strict=True):
            head = f"{len(identifier)} {len(text)} {identifier}{text}{meta}".encode()
            out += hashlib.blake2b(head + vector.tobytes(), digest_size=8).digest()
    return np.frombuffer(bytes(out), "<u8").astype(np.uint64)


def _table(strings: Sequence[tuple[str, str, str]], vectors: Floats) -> Any:
    pa = require("pyarrow", "store")
    dim = vectors.shape[1]
    names = schema(dim)
    columns = [pa.array([row[n] for row in strings], names.field(n).type) for n in range(3)]
    table = pa.table(columns, schema=pa.schema([names.field(n) for n in range(3)]))
    packed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1), pa.float32()), dim)
    return table.append_column(names.field(3), packed).append_column(
        names.field(4), pa.array(digests(table, vectors))
    )
