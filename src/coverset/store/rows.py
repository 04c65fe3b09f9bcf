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

from coverset.extras import require
from coverset.inputs import Floats
from coverset.store.documents import Incoming

FORMAT = 1
STATE = ""  # no document has it: an id has at least one character


@dataclass(frozen=True)
class State:
    """What a version says of itself."""

    encoder: str
    fingerprint: str
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
    columns = {"id": pa.string(), "text": pa.string(), "meta": pa.string(), "vector": vector}
    return pa.schema([*columns.items(), ("digest", pa.uint64())])


def document_rows(documents: Sequence[Incoming], vectors: Floats) -> Any:
    """Return checked documents and their vectors as an Arrow table."""
    texts = [(document.id, document.text, document.meta) for document in documents]
    return _table(texts, vectors)


def state_row(state: State, dim: int) -> Any:
    """Return the state as an Arrow table of one row."""
    return _table([(STATE, "", json.dumps(asdict(state)))], np.zeros((1, dim), np.float32))


def read_state(meta: str) -> State:
    """Return the state that a row's metadata holds."""
    return State(**json.loads(meta))


def digests(ids: list[str], texts: list[str], metas: list[str], vectors: Floats) -> NDArray[np.uint64]:
    """Return every row's digest: 64 bits of BLAKE2b over all that is in it."""
    out = np.empty(len(ids), np.uint64)
    for row, (vector, *strings) in enumerate(zip(vectors, ids, texts, metas, strict=True)):
        parts = [part.encode() for part in strings]
        lengths = b"".join(len(part).to_bytes(8, "little") for part in parts)
        digest = hashlib.blake2b(b"".join([lengths, *parts, vector.tobytes()]), digest_size=8).digest()
        out[row] = int.from_bytes(digest, "little")
    return out


def _table(strings: Sequence[tuple[str, str, str]], vectors: Floats) -> Any:
    pa = require("pyarrow", "store")
    ids, texts, metas = ([row[n] for row in strings] for n in range(3))
    dim = vectors.shape[1]
    packed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1), pa.float32()), dim)
    columns = [ids, texts, metas, packed, pa.array(digests(ids, texts, metas, vectors))]
    return pa.table(columns, schema=schema(dim))
