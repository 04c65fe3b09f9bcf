"""Retriever: text in, documents out, kept in a folder."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from coverset.answer import Answer, Hit, make_answer, make_hits
from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.decoders.registry import as_setting
from coverset.encoders import Encoder
from coverset.explaining.reasons import Target
from coverset.inputs import as_count
from coverset.selection import Selection
from coverset.store.documents import Document, Incoming, check_documents, check_ids, unit_vector
from coverset.store.opening import check_free, first_encoder, own_encoder, same_encoder
from coverset.store.rows import State, document_rows
from coverset.store.snapshot import Snapshot
from coverset.store.table import Table

__all__ = ["Answer", "Hit", "Retriever"]

# A query is text, or a vector.
Query: TypeAlias = str | ArrayLike

# Queries whose vectors are kept: whoever changes a setting asks the same query again and again.
REMEMBERED = 1024


@dataclass(frozen=True)
class Found:
    """The documents that were searched, the queries' vectors, and what was chosen for each, by which decoder."""

    documents: Snapshot
    vectors: Floats
    decoder: Decoder
    selections: list[Selection]
    seconds: float


class Retriever:
    """Documents in a folder, and searches that return the set which together covers a query.

        tools = Retriever.open("tools.cover")
        tools.add([{"id": "np.sort", "text": "Return a sorted copy of an array.", "meta": {"lang": "py"}}])
        tools.search("sort, then drop duplicates", k=5, where={"lang": "py"})

    Every write is one version: on disk when the call returns, seen whole or not at all. Any number of
    threads and processes may search while one writes; further writers queue. Searches notice what others
    have written.
    """

    def __init__(self, table: Table, encoder: Encoder | None, state: State, dim: int) -> None:
        self._table, self._encoder, self._state, self._dim = table, encoder, state, dim
        self._loading, self._refreshing = threading.Lock(), threading.Lock()
        self._snapshot: Snapshot | None = None
        self._remembered = lru_cache(REMEMBERED)(lambda text: self.encoder.encode_queries([text])[0])

    @classmethod
    def open(
        cls,
        folder: str | Path,
        encoder: str | Encoder | None = None,
        *,
        create: bool = True,
        timeout: float = 30.0,
    ) -> Retriever:
        """Open a store, or make one where none is.

        Parameters
        ----------
        folder
            Where the store is.
        encoder
            The encoder's name or folder, or an Encoder. None: the one the store was made with, and for a new
            store all-MiniLM-L6-v2, which works offline. Opening a store with another encoder is an error.
        create
            False: a missing store is an error.
        timeout
            How long a write waits for another writer, in seconds, before it raises BusyStoreError.
        """
        table = Table(Path(folder), timeout)
        if not table.exists:
            if not create:
                raise FileNotFoundError(f"there is no store at {folder}")
            check_free(Path(folder))
            encoder, source = first_encoder(encoder)
            table.create(State(encoder.name, encoder.fingerprint, source), encoder.dim)
        now = table.outline()
        if encoder is not None:
            encoder = same_encoder(table.folder, now.state, now.dim, encoder)
        return cls(table, encoder, now.state, now.dim)

    @property
    def folder(self) -> Path:
        """Where the store is."""
        return self._table.folder

    @property
    def encoder(self) -> Encoder:
        """The encoder; loaded when first needed."""
        with self._loading:
            if self._encoder is None:
                self._encoder = own_encoder(self.folder, self._state, self._dim)
            return self._encoder

    @property
    def encoder_name(self) -> str:
        """Name of the encoder that the store was made with."""
        return self._state.encoder

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._dim

    @property
    def decoder(self) -> Decoder:
        """The decoder that searches use unless told otherwise."""
        return self.snapshot().decoder

    def configure(self, decoder: Decoder) -> None:
        """Make a decoder the store's own, for everyone who opens it."""
        self._table.write(None, [], decoder=as_setting(decoder))

    def add(self, documents: Iterable[Mapping[str, Any] | Document]) -> int:
        """Add documents, or replace those whose id is already there; return how many were new or changed.

        All are checked before anything is written, and written as one version. A document whose text has
        not changed keeps its vector.

        Parameters
        ----------
        documents
            Dicts with `id` and `text`, and optionally `meta` (what JSON can hold) and `vector` (made
            elsewhere; it is scaled to length 1).
        """
        incoming = check_documents(documents, self._dim)
        if not incoming:
            return 0
        return self._table.write(document_rows(incoming, self._vectors(incoming)), [])

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; return how many of these ids were there."""
        gone = list(dict.fromkeys(check_ids(ids)))
        return self._table.write(None, gone) if gone else 0

    def get(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents of those ids that are there, in the order asked for."""
        snapshot = self.snapshot()
        return [snapshot.document(snapshot.row[i]) for i in check_ids(ids) if i in snapshot.row]

    def ids(self) -> list[str]:
        """Return all ids, sorted."""
        return list(self.snapshot().ids)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.snapshot())

    def __iter__(self) -> Iterator[Document]:
        """Go through the documents of the newest version, in the order of their ids."""
        snapshot = self.snapshot()
        return (snapshot.document(row) for row in range(len(snapshot)))

    def __contains__(self, identifier: object) -> bool:
        """Say whether a document of this id is there."""
        return identifier in self.snapshot().row

    def answer(
        self,
        query: Query,
        k: int | None = 5,
        *,
        where: Mapping[str, Any] | None = None,
        decoder: Decoder | None = None,
        explain: bool = False,
    ) -> Answer:
        """Return the documents that together cover a query, best first, and all that is known about them.

        Parameters
        ----------
        query
            Text, or a vector.
        k
            How many documents; None with NNN: as many as have weight.
        where
            Only documents whose metadata match: `{"lang": "py", "year": [2024, 2025]}`.
        decoder
            Another rule than the store's own.
        explain
            Also say of each document what it adds, and which of the nearest it stands for.
        """
        return self.answer_batch([query], k, where=where, decoder=decoder, explain=explain)[0]

    def answer_batch(
        self,
        queries: Sequence[Query],
        k: int | None = 5,
        *,
        where: Mapping[str, Any] | None = None,
        decoder: Decoder | None = None,
        explain: bool = False,
    ) -> list[Answer]:
        """Answer several queries at once, all from the same version."""
        found = self._select(queries, k, where, decoder)
        return [
            make_answer(found.documents, vector, selection, found.decoder, explain=explain, seconds=found.seconds)
            for vector, selection in zip(found.vectors, found.selections, strict=True)
        ]

    def search(
        self,
        query: Query,
        k: int | None = 5,
        *,
        where: Mapping[str, Any] | None = None,
        decoder: Decoder | None = None,
    ) -> list[Hit]:
        """Return the hits of `answer`, without what else is known about them."""
        return self.search_batch([query], k, where=where, decoder=decoder)[0]

    def search_batch(
        self,
        queries: Sequence[Query],
        k: int | None = 5,
        *,
        where: Mapping[str, Any] | None = None,
        decoder: Decoder | None = None,
    ) -> list[list[Hit]]:
        """Search for several queries at once, all in the same version."""
        found = self._select(queries, k, where, decoder)
        index = found.documents.index
        if index is None:
            return [[] for _ in queries]
        pairs = zip(found.vectors, found.selections, strict=True)
        return [make_hits(found.documents, Target.of(vector, index), selection) for vector, selection in pairs]

    def query_vectors(self, queries: Sequence[Query]) -> Floats:
        """Return (n, dim) unit vectors of queries, which are texts or vectors."""
        if isinstance(queries, str):
            raise ValueError("queries must be a list of texts or vectors, got one text")
        out = np.empty((len(queries), self._dim), np.float32)
        texts: dict[int, str] = {}
        for n, query in enumerate(queries):
            if not isinstance(query, str):
                out[n] = unit_vector("query", query, self._dim)
            elif query.strip():
                texts[n] = query
            else:
                raise ValueError("query must not be empty")
        if len(texts) == 1:
            out[list(texts)] = self._remembered(*texts.values())
        elif texts:
            out[list(texts)] = self.encoder.encode_queries(list(texts.values()))
        return out

    def snapshot(self) -> Snapshot:
        """Return the newest version, whole and unchanging: `ids`, `index`, `where(...)`, `document(row)`."""
        with self._refreshing:
            if self._snapshot is None:
                self._snapshot = Snapshot(self._table.read(None))
            elif self._snapshot.version != self._table.number():
                self._snapshot = Snapshot(self._table.read(self._snapshot.contents))
            return self._snapshot

    def _select(
        self, queries: Sequence[Query], k: int | None, where: Mapping[str, Any] | None, decoder: Decoder | None
    ) -> Found:
        as_count("k", k, optional=True)
        vectors = self.query_vectors(queries)
        snapshot = self.snapshot().where(where)
        decoder = decoder or snapshot.decoder
        if snapshot.index is None:
            return Found(snapshot, vectors, decoder, [Selection.none()] * len(vectors), 0.0)
        start = time.perf_counter()
        selections = decoder.decode_batch(vectors, snapshot.index, k)
        seconds = (time.perf_counter() - start) / max(len(vectors), 1)
        return Found(snapshot, vectors, decoder, selections, seconds)

    def _vectors(self, incoming: list[Incoming]) -> Floats:
        """Return the documents' vectors: their own, those of the same text in the store, or new ones."""
        out = np.empty((len(incoming), self._dim), np.float32)
        bare = []
        for row, document in enumerate(incoming):
            if document.vector is None:
                bare.append(row)
            else:
                out[row] = document.vector
        if bare:
            snapshot = self.snapshot()
            missing = [row for row in bare if snapshot.text(incoming[row].id) != incoming[row].text]
            for row in set(bare) - set(missing):
                out[row] = snapshot.vector(incoming[row].id)
            if missing:
                out[missing] = self.encoder.encode([incoming[row].text for row in missing])
        return out
