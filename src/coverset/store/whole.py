"""Passages and their documents: one passage of each in an answer, and a document put together again.

A passage's metadata name its `document`; a document that was not cut is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from coverset.inputs import as_choice
from coverset.plain import Foreign, Json
from coverset.store.documents import Document

UNITS = ("passage", "document")
# What is a passage's own, not its document's.
OWN = ("document", "passage", "start", "heading", "page")


class _Found(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def meta(self) -> Json: ...


F = TypeVar("F", bound=_Found)


def document_of(found: _Found) -> str:
    """Return the id of the document that a passage is of."""
    return str(found.meta.get("document", found.id))


def one_per_document(search: Callable[[int | None], list[F]], k: int | None, limit: int) -> list[F]:
    """Return the first passage of each document, as many as asked for or there are.

    Parameters
    ----------
    search
        Returns the best so many passages, in order.
    k
        How many documents; None: all that one search without a number gives.
    limit
        How many passages there are.
    """
    asked = k
    while True:
        found = search(asked)
        first: dict[str, F] = {}
        for passage in found:
            first.setdefault(document_of(passage), passage)
        if asked is None or k is None or len(first) >= k or len(found) < asked or asked >= limit:
            return list(first.values())[:k]
        asked = min(2 * asked, limit)


def check_per(per: Foreign) -> str:
    """Return what an answer is made of, checked."""
    return as_choice("per", per, UNITS)


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
