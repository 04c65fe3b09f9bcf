"""Retriever: text in, documents out, kept in a folder."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.decoders.registry import as_setting
from coverset.encoders import Encoder
from coverset.inputs import as_count
from coverset.selection import Selection
from coverset.store.answers import Explanation, Hit, explained, hits
from coverset.store.documents import Document, Incoming, check_documents, check_ids, unit_vector
from coverset.store.opening import check_free, first_encoder, own_encoder, same_encoder
from coverset.store.rows import State, document_rows
from coverset.store.snapshot import Snapshot
from coverset.store.table import Table

__all__ = ["Hit", "Retriever"]


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

    def search(
        self,
        query: str | Any,
        k: int | None = 5,
        *,
        where: Mapping[str, Any] | None = None,
        decoder: Decoder | None = None,
    ) -> list[Hit]:
        """Return the documents that together cover a query, best first.

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
        """
        return self.search_batch([query], k, where=where, decoder=decoder)[0]

    def search_batch(
        self,
        queries: Sequence[str | Any],
        k: int | None = 5,
        *,
        where: Mapping[str, Any] | None = None,
        decoder: Decoder | None = None,
    ) -> list[list[Hit]]:
        """Search for several queries at once, all in the same version."""
        snapshot, _, selections = self._select(queries, k, where, decoder)
        return [hits(snapshot, selection) for selection in selections]

    def explain(
        self,
        queries: Sequence[str | Any],
        k: int | None = 5,
        *,
        where: Mapping[str, Any] | None = None,
        decoder: Decoder | None = None,
    ) -> list[Explanation]:
        """Search, and say of each document what it adds and which of the nearest it stands for."""
        snapshot, vectors, selections = self._select(queries, k, where, decoder)
        return [explained(snapshot, v, s) for v, s in zip(vectors, selections, strict=True)]

    def query_vectors(self, queries: Sequence[str | Any]) -> Floats:
        """Return (n, dim) unit vectors of queries, which are texts or vectors."""
        if isinstance(queries, str):
            raise ValueError("queries must be a list of texts or vectors, got one text")
        out = np.empty((len(queries), self._dim), np.float32)
        texts = {n: query for n, query in enumerate(queries) if isinstance(query, str)}
        for n, query in enumerate(queries):
            if n not in texts:
                out[n] = unit_vector("query", query, self._dim)
            elif not query.strip():
                raise ValueError("query must not be empty")
        if texts:
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
        self, queries: Sequence[str | Any], k: int | None, where: Any, decoder: Decoder | None
    ) -> tuple[Snapshot, Floats, list[Selection]]:
        """Return the documents that were searched, the queries' vectors, and the rows chosen for each."""
        as_count("k", k, optional=True)
        vectors = self.query_vectors(queries)
        snapshot = self.snapshot().where(where)
        if snapshot.index is None:
            nothing = Selection(ids=np.empty(0, np.int64), weights=np.empty(0, np.float32))
            return snapshot, vectors, [nothing] * len(vectors)
        return snapshot, vectors, (decoder or snapshot.decoder).decode_batch(vectors, snapshot.index, k)

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
