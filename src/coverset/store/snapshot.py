"""Snapshot: one whole version of a store in memory."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from functools import cached_property

from coverset.arrays import Floats, Ids
from coverset.decoders import Decoder
from coverset.decoders.registry import from_setting
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.filters import Filter, check_where
from coverset.indexes import MemoryIndex
from coverset.indexes.memory.index import SHARE
from coverset.sparse import Words
from coverset.store.columns import Columns
from coverset.store.documents import Document
from coverset.store.version import Version
from coverset.vectors import Vectors

# Narrowed snapshots kept, so that the same filter is not worked out for every query.
NARROWED = 8


class Snapshot:
    """The documents of one version, in the order of their ids; it never changes.

    Attributes
    ----------
    version
        Which version of the store it is.
    decoder
        The decoder that the store was set to.
    analyser
        What takes words out of texts; None where no words are kept.
    """

    def __init__(self, contents: Version, words: tuple[Vocabulary, Words] | None = None) -> None:
        self.contents, self._table = contents, contents.table
        self.version: int = contents.number
        self.decoder: Decoder = from_setting(contents.state.decoder)
        language = contents.state.words
        self.analyser = None if language is None else Analyser(language)
        self._given = words
        self._narrowed: dict[Filter, Snapshot] = {}

    @cached_property
    def _words(self) -> tuple[Vocabulary, Words] | None:
        # What words weigh is that of the whole version, whatever the filter; whoever only writes need not know it.
        counts = self.contents.counts
        return self._given if counts is None else Vocabulary.weighed(counts.terms, counts.times)

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """What the words of this version weigh; None where no words are kept."""
        return None if self._words is None else self._words[0]

    @cached_property
    def index(self) -> MemoryIndex | None:
        """The vectors, row for row; None when there are no documents."""
        vectors, share = self.contents.vectors, self.contents.state.share
        if not len(vectors):
            return None
        if self._words is None:
            return MemoryIndex(vectors)
        both = Vectors.made(vectors, self._words[1], (1.0, 1.0))
        return MemoryIndex(both, SHARE if share is None else share)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._table)

    @cached_property
    def ids(self) -> list[str]:
        """The ids, row by row."""
        ids: list[str] = self._table["id"].to_pylist()
        return ids

    @cached_property
    def row(self) -> dict[str, int]:
        """The row of each id."""
        return {identifier: row for row, identifier in enumerate(self.ids)}

    def document(self, row: int) -> Document:
        """Return the document in a row."""
        identifier, text, meta = (self._table[name][row].as_py() for name in ("id", "text", "meta"))
        return Document(identifier, text, json.loads(meta))

    def text(self, identifier: str) -> str | None:
        """Return a document's text; None if there is no such document."""
        row = self.row.get(identifier)
        text: str | None = None if row is None else self._table["text"][row].as_py()
        return text

    def vector(self, identifier: str) -> Floats:
        """Return a document's vector."""
        vector: Floats = self.contents.vectors[self.row[identifier]]
        return vector

    def sharing(self, share: float) -> Snapshot:
        """Return the same documents with another share of words in their scores."""
        if self.vocabulary is None:
            first = "is of the first format and " if self.contents.state.first else ""
            raise ValueError(
                f"share must be None: the store {first}keeps no words, and coverset upgrade gives it some"
            )
        if self.index is None:
            return self
        view = copy.copy(self)
        view.index = self.index.sharing(share)
        return view

    def where(self, where: object) -> Snapshot:
        """Return the documents whose metadata match `{"lang": "py", "year": {"$gte": 2024}}`, as a snapshot."""
        checked = check_where(where)
        if checked is None:
            return self
        narrowed = self._narrowed.get(checked)
        if narrowed is None:
            narrowed = self._taken(self._columns.matching(checked))
            kept = list(self._narrowed.items())[1 - NARROWED :]
            self._narrowed = {**dict(kept), checked: narrowed}
        return narrowed

    @cached_property
    def _columns(self) -> Columns:
        return Columns([json.loads(meta) for meta in self._table["meta"].to_pylist()])

    def _taken(self, rows: Ids) -> Snapshot:
        contents = self.contents
        words = None if self._words is None else (self._words[0], self._words[1].take(rows))
        table, vectors = contents.table.take(rows), contents.vectors[rows]
        return Snapshot(replace(contents, table=table, vectors=vectors, counts=None), words)
