"""Passages and their documents: one passage of each in an answer, and a document put together again.

A passage's metadata name its `document`; a document that was not cut is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from coverset.plain import Json
from coverset.selection import Selection
from coverset.store.documents import Document
from coverset.store.snapshot import Snapshot

# What an answer is made of.
UNITS = ("passage", "document")
# What is a passage's own, not its document's.
OWN = ("document", "passage", "start", "heading", "page")


class _Found(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def meta(self) -> Json: ...


def document_of(found: _Found) -> str:
    """Return the id of the document that a passage is of."""
    return str(found.meta.get("document", found.id))


def one_per_document(
    found: Selection, again: Callable[[int], Selection], documents: Snapshot, k: int | None
) -> Selection:
    """Return the first passage of each document, as many as asked for or there are.

    Parameters
    ----------
    found
        The best k passages, in order.
    again
        Returns the best so many, where these are of too few documents.
    documents
        What the passages' rows are of.
    k
        How many documents; None: all of `found`.
    """
    asked = k
    while True:
        first: dict[str, int] = {}
        for place, row in enumerate(found.ids.tolist()):
            first.setdefault(document_of(documents.document(row)), place)
        if asked is None or len(first) >= (k or 0) or len(found) < asked or asked >= len(documents.ids):
            return found.take(list(first.values())[:k])
        asked = min(2 * asked, len(documents.ids))
        found = again(asked)


def whole(identifier: str, passages: Iterable[Document]) -> Document:
    """Return a document from all its passages: what two of them share is said once."""
    parts = sorted(passages, key=lambda passage: int(passage.meta["start"]))
    text, meta = "", {}
    for part in parts:
        gap = int(part.meta["start"]) - len(text)
        # Between two passages there is white space only.
        text = text[: len(text) + gap] if gap <= 0 else text + ("\n" * gap if gap > 1 else " ")
        text += part.text
        meta = {key: value for key, value in part.meta.items() if key not in OWN}
    return Document(identifier, text.strip(), meta)
