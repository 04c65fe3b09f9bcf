"""The rows of a store's table: documents, each with a digest of its own, and one row that describes the rest.

The row with the empty id is the store's state: encoder, decoder, and the number and the summed digests of the
documents. It is written in the same commit as they are, so a version is whole or it is not there, and a file
that was damaged afterwards shows.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats
from coverset.extras import require
from coverset.plain import Foreign, Json
from coverset.store.documents import Incoming

# Stores of the first format have no words.
FORMATS = (1, 2)
STATE = ""  # no document has it: an id has at least one character
# What a row has beside its vector and its words.
TEXTS = ["id", "text", "meta", "digest"]
# Rows that are turned into Python strings at a time.
BLOCK = 8192


@dataclass(frozen=True)
class State:
    """What a version says of itself.

    `source` is what the encoder can be loaded by, where its name is not; `words` the language that words are taken
    out of texts by, None where none are kept; `share` the share of words in a score, None: the usual one.
    """

    encoder: str
    fingerprint: str
    source: str | None = None
    decoder: Json | None = None
    documents: int = 0
    digest: int = 0
    format: int = FORMATS[-1]
    words: str | None = None
    share: float | None = None

    @property
    def first(self) -> bool:
        """Whether it is of the first format, which keeps no words: `coverset upgrade` brings it over."""
        return self.format == FORMATS[0]

    def of(self, digests: NDArray[np.uint64]) -> State:
        """Return the state of a version with these documents."""
        return replace(self, documents=len(digests), digest=int(digests.sum(dtype=np.uint64)))


def schema(dim: int, *, words: bool) -> Foreign:
    """Return the Arrow schema for vectors of this width, and for counted words if there are any."""
    pa = require("pyarrow", "store")
    vector = pa.list_(pa.field("item", pa.float32()), dim)
    strings = {"id": pa.string(), "text": pa.large_string(), "meta": pa.large_string()}
    counted = [("terms", pa.list_(pa.string())), ("counts", pa.list_(pa.int32()))] if words else []
    return pa.schema([*strings.items(), ("vector", vector), ("digest", pa.uint64()), *counted])


def document_rows(
    documents: Sequence[Incoming], vectors: Floats, counts: Sequence[Counter[str]] | None = None
) -> Foreign:
    """Return checked documents, their vectors and the counts of their terms as an Arrow table."""
    return _table([(document.id, document.text, document.meta) for document in documents], vectors, counts)


def state_row(state: State, dim: int, *, words: bool) -> Foreign:
    """Return the state as an Arrow table of one row."""
    said = [(STATE, "", json.dumps(asdict(state)))]
    return _table(said, np.zeros((1, dim), np.float32), [Counter()] if words else None)


def read_state(meta: str) -> State:
    """Return the state that a row's metadata holds."""
    state = json.loads(meta)
    if state["format"] not in FORMATS:
        told = " and ".join(map(str, FORMATS))
        raise ValueError(f"it has format {state['format']}, and this version of coverset reads {told}")
    return State(**state)


def digests(table: Foreign, vectors: Floats) -> NDArray[np.uint64]:
    """Return every row's digest: 64 bits of BLAKE2b over all that is in it."""
    out = bytearray()
    for start in range(0, len(table), BLOCK):
        part = table.slice(start, BLOCK)
        strings = (part[name].to_pylist() for name in ("id", "text", "meta"))
        words = _said(part)
        for identifier, text, meta, vector, said in zip(
            *strings, vectors[start : start + BLOCK], words, strict=True
        ):
            head = f"{len(identifier)} {len(text)} {identifier}{text}{meta}".encode()
            out += hashlib.blake2b(head + vector.tobytes() + said, digest_size=8).digest()
    return np.frombuffer(bytes(out), "<u8").astype(np.uint64)


def _said(part: Foreign) -> list[bytes]:
    """Return what each row says of its words; nothing where none are kept."""
    if "terms" not in part.column_names:
        return [b""] * len(part)
    pairs = zip(part["terms"].to_pylist(), part["counts"].to_pylist(), strict=True)
    return [b"" if terms is None else "\0".join((*terms, *map(str, times))).encode() for terms, times in pairs]


def _table(
    strings: Sequence[tuple[str, str, str]], vectors: Floats, counts: Sequence[Counter[str]] | None
) -> Foreign:
    pa = require("pyarrow", "store")
    dim = vectors.shape[1]
    names = schema(dim, words=counts is not None)
    columns = [pa.array([row[n] for row in strings], names.field(n).type) for n in range(3)]
    table = pa.table(columns, schema=pa.schema([names.field(n) for n in range(3)]))
    if counts is not None:
        # In the order of the terms, so that a digest does not depend on how they were met.
        terms = [sorted(count) for count in counts]
        times = [[count[term] for term in said] for count, said in zip(counts, terms, strict=True)]
        table = table.append_column(names.field(5), pa.array(terms, names.field(5).type))
        table = table.append_column(names.field(6), pa.array(times, names.field(6).type))
    packed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1), pa.float32()), dim)
    table = table.append_column("digest", pa.array(digests(table, vectors)))
    return table.append_column(names.field(3), packed).select(names.names)
