"""Retriever: text in, documents out, kept in a folder."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from coverset.answer import Answer, Hit, make_answer, make_hits
from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.decoders.registry import as_decoder, as_setting
from coverset.encoders import Encoder
from coverset.encoders.hybrid import Reading
from coverset.encoders.precomputed import FINGERPRINT
from coverset.encoders.words import Analyser
from coverset.inputs import as_number
from coverset.plain import Fields
from coverset.store.choosing import Chosen, Wanted, choose
from coverset.store.documents import Document, check_documents, check_ids
from coverset.store.newest import Newest
from coverset.store.opening import create_store, own_encoder, same_encoder, same_words
from coverset.store.preparing import prepared, with_words
from coverset.store.queries import Parts, PartsOfEach, Queries, Query, of_each
from coverset.store.rows import FORMATS, State
from coverset.store.snapshot import Snapshot
from coverset.store.table import Table
from coverset.store.whole import document_of, whole

__all__ = ["Answer", "Hit", "Retriever"]


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
        self._loading, self._newest = threading.Lock(), Newest(table)
        self._queries = Queries(lambda: self.encoder, dim)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        encoder: str | Encoder | None = None,
        *,
        words: str | None = "auto",
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
        words
            The language that words are taken out of texts by, to be searched for beside their meaning: "english",
            "german", ..., or "none" for words as they are written; None: meaning only. "auto": the store's own,
            and English for a new one. Opening a store with other words is an error.
        create
            False: a missing store is an error.
        timeout
            How long a write waits for another writer, in seconds, before it raises BusyStoreError.
        """
        if Path(folder).is_file():
            raise ValueError(
                f"a store is a folder, and {folder} is a file: name a folder, which is made if it is missing"
            )
        table = Table(Path(folder), timeout)
        if not table.exists:
            if not create:
                raise FileNotFoundError(f"there is no store at {folder}")
            encoder = create_store(table, encoder, words)
        now = table.outline()
        same_words(table.folder, now.state, words)
        if encoder is not None:
            encoder = same_encoder(table.folder, now.state, now.dim, encoder)
        return cls(table, encoder, now.state, now.dim)

    def __repr__(self) -> str:
        """Say where it is and, if its documents have been read, how many there were."""
        known = self._newest.known
        read = "" if known is None else f", {len(known):,} documents"
        return f"<Retriever {str(self.folder)!r}{read}>"

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
    def takes_text(self) -> bool:
        """Whether requests may be text alone: where vectors were made elsewhere, they have to bring theirs."""
        return self._state.fingerprint != FINGERPRINT

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._dim

    @property
    def decoder(self) -> Decoder:
        """The decoder that searches use unless told otherwise."""
        return self._newest.read().decoder

    @property
    def words(self) -> str | None:
        """The language that words are taken out of texts by; None: the store keeps meaning only."""
        return self._newest.read().contents.state.words

    @property
    def share(self) -> float | None:
        """The share of words in scores that the store was set to; None: as it comes."""
        return self._newest.read().contents.state.share

    def configure(self, decoder: Decoder | str, *, share: float | None = None) -> None:
        """Make a decoder, and a share of words if one is given, the store's own, for everyone who opens it."""
        changes: dict[str, object] = {"decoder": as_setting(as_decoder(decoder, self.decoder))}
        if share is not None:
            changes["share"] = as_number("share", share, 0.0, 1.0)
        self._table.write(None, [], **changes)

    def upgrade(self, words: str = "english") -> int:
        """Give a store of the first format words beside the meaning that it has; return how many documents it has.

        Nothing is encoded again. Until the last step the store is as it was, so it can be run again.
        """
        if self.words is not None:
            return len(self)
        analyser, now = Analyser(words), self._newest.read()
        self._table.prepare_words()
        self._table.write(with_words(now, analyser), [], words=words, format=FORMATS[-1])
        return len(now)

    def add(self, documents: Iterable[Fields | Document]) -> int:
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
        return self._table.write(prepared(incoming, self._newest.read(), lambda: self.encoder), [])

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; return how many of these ids were there."""
        gone = list(dict.fromkeys(check_ids(ids)))
        return self._table.write(None, gone) if gone else 0

    def get(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents of those ids that are there, in the order asked for."""
        snapshot = self._newest.read()
        return [snapshot.document(snapshot.row[i]) for i in check_ids(ids) if i in snapshot.row]

    def ids(self) -> list[str]:
        """Return all ids, sorted."""
        return list(self._newest.read().ids)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._newest.read())

    def __iter__(self) -> Iterator[Document]:
        """Go through the documents of the newest version, in the order of their ids."""
        snapshot = self._newest.read()
        return (snapshot.document(row) for row in range(len(snapshot)))

    def __contains__(self, identifier: object) -> bool:
        """Say whether a document of this id is there."""
        return identifier in self._newest.read().row

    def answer(
        self,
        query: Query,
        k: int | None = 5,
        *,
        where: Fields | None = None,
        decoder: Decoder | str | None = None,
        parts: Parts = "auto",
        share: float | None = None,
        per: str = "passage",
        explain: bool = False,
    ) -> Answer:
        """Return the documents that together cover a query, best first, and all that is known about them.

        Parameters
        ----------
        query
            Text, a vector, or text with its vector, `{"text": "...", "vector": [...]}`: where vectors are made
            elsewhere, this is how words count. What brings its vector stays whole unless its parts are stated.
        k
            How many documents at most; None with NNN: as many as have weight. Where nothing seems to answer the
            query, and there is no filter, one, and the answer says so.
        where
            Only documents whose metadata match: `{"lang": "py", "year": [2024, 2025]}`.
        decoder
            Another rule than the store's own, or its name: "dense".
        parts
            What the request is made of, as further things to look for: "auto" tells it from the text, None takes
            the request as one thing, a list of texts is taken as it is: an agent knows its steps. A part may bring
            its vector too.
        share
            The share of words in a score, from 0 to 1; None: the store's own.
        per
            "document": of a document that was cut into passages only the best one, and k counts documents; `whole`
            returns the documents of such hits.
        explain
            Also say of each document what it adds, and which of the nearest that are left out are most like it.
        """
        return self.answer_batch(
            [query], k, where=where, decoder=decoder, parts=of_each(parts), share=share, per=per, explain=explain
        )[0]

    def answer_batch(
        self,
        queries: Sequence[Query],
        k: int | None = 5,
        *,
        where: Fields | None = None,
        decoder: Decoder | str | None = None,
        parts: PartsOfEach = "auto",
        share: float | None = None,
        per: str = "passage",
        explain: bool = False,
    ) -> list[Answer]:
        """Answer several queries at once, all from the same version; `parts` may list those of each query."""
        chosen = self._choose(queries, parts, Wanted(k, where, decoder, share, per))
        documents, by, seconds = chosen.documents, chosen.decoder, chosen.seconds
        return [
            make_answer(documents, judged, by, explain=explain, seconds=seconds) for judged in chosen.selections
        ]

    def search(
        self,
        query: Query,
        k: int | None = 5,
        *,
        where: Fields | None = None,
        decoder: Decoder | str | None = None,
        parts: Parts = "auto",
        share: float | None = None,
        per: str = "passage",
    ) -> list[Hit]:
        """Return the hits of `answer`, without what else is known about them."""
        return self.search_batch(
            [query], k, where=where, decoder=decoder, parts=of_each(parts), share=share, per=per
        )[0]

    def search_batch(
        self,
        queries: Sequence[Query],
        k: int | None = 5,
        *,
        where: Fields | None = None,
        decoder: Decoder | str | None = None,
        parts: PartsOfEach = "auto",
        share: float | None = None,
        per: str = "passage",
    ) -> list[list[Hit]]:
        """Search for several queries at once, all in the same version."""
        chosen = self._choose(queries, parts, Wanted(k, where, decoder, share, per))
        return [make_hits(chosen.documents, each.reading, each.selection) for each in chosen.selections]

    def whole(self, hits: Iterable[Hit | Document]) -> list[Document]:
        """Return the documents that hits are passages of, put together again, each once, in the hits' order."""
        found = {document_of(hit): hit for hit in hits}
        parts: dict[str, list[Document]] = {}
        if found:
            passages = self.snapshot().where({"document": list(found)})
            for row in range(len(passages)):
                parts.setdefault(document_of(passages.document(row)), []).append(passages.document(row))
        return [
            whole(i, parts[i]) if i in parts else Document(hit.id, hit.text, hit.meta) for i, hit in found.items()
        ]

    def query_vectors(self, queries: Sequence[Query]) -> Floats:
        """Return (n, dim) unit vectors of queries, which are texts, or bring their vectors."""
        return self._queries.vectors(queries)

    def snapshot(self) -> Snapshot:
        """Return the newest version, whole and unchanging: `ids`, `index`, `where(...)`, `document(row)`."""
        return self._newest.indexed()

    def read(
        self, queries: Sequence[Query], snapshot: Snapshot | None = None, parts: PartsOfEach = "auto"
    ) -> list[Reading]:
        """Return queries as they are read against a version: their vectors, their parts, their words."""
        return self._queries.read(queries, snapshot or self.snapshot(), parts)

    def _choose(self, queries: Sequence[Query], parts: PartsOfEach, wanted: Wanted) -> Chosen:
        """Return what is chosen for queries, all read and answered from one version."""
        version = self.snapshot()
        return choose(self.read(queries, version, parts), version, wanted)


def as_retriever(value: object) -> Retriever:
    """Return a Retriever, or say how to come by one."""
    if isinstance(value, Retriever):
        return value
    hint = f": Retriever.open({str(value)!r}) opens it" if isinstance(value, (str, Path)) else ""
    raise ValueError(f"store must be a coverset.Retriever, got a {type(value).__name__}{hint}")
