"""Documents as callers hand them in, checked one by one before anything is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coverset.inputs import Floats, as_vectors

ACCEPTED = ("id", "text", "meta", "vector")


@dataclass(frozen=True)
class Document:
    """One document: its id, its text, and metadata of any shape JSON has."""

    id: str
    text: str
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Incoming:
    """A checked document on its way into a store; `meta` is JSON, and the vector may still have to be made."""

    id: str
    text: str
    meta: str
    vector: Floats | None


def check_documents(documents: Any, dim: int) -> list[Incoming]:
    """Check all documents, or raise a ValueError that says which one is wrong and how."""
    if isinstance(documents, (str, bytes, Mapping)) or not isinstance(documents, Iterable):
        raise ValueError(f"documents must be an iterable of documents, got a {type(documents).__name__}")
    checked = [check_document(document, dim, f"documents[{n}]") for n, document in enumerate(documents)]
    places: dict[str, int] = {}
    for n, document in enumerate(checked):
        if places.setdefault(document.id, n) != n:
            raise ValueError(
                f"documents[{n}]: the id {document.id!r} occurs before, in documents[{places[document.id]}]"
            )
    return checked


def check_document(document: Any, dim: int, where: str) -> Incoming:
    """Check one document; `where` says which one it is, for the error."""
    if isinstance(document, Document):
        document = {"id": document.id, "text": document.text, "meta": document.meta}
    if not isinstance(document, Mapping):
        raise ValueError(f"{where} must be a dict with {', '.join(ACCEPTED)}, got a {type(document).__name__}")
    for key in document:
        if key not in ACCEPTED:
            raise ValueError(f"{where}: unknown key {key!r}; accepted: {', '.join(ACCEPTED)}")
    identifier = check_id(document.get("id"), where)
    vector = document.get("vector")
    return Incoming(
        id=identifier,
        text=_text(document.get("text"), vector is not None, where),
        meta=_meta(document.get("meta"), where),
        vector=None if vector is None else unit_vector(vector, dim, f"{where}: vector"),
    )


def check_id(value: Any, where: str) -> str:
    """Return an id: a string that is not empty and that UTF-8 can write."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where}: id must be a string of at least one character, got {value!r}")
    return _writable(value, f"{where}: id")


def check_ids(ids: Any) -> list[str]:
    """Return a list of ids, given as any iterable of strings but not as one string."""
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise ValueError(f"ids must be an iterable of strings, got {ids!r}")
    return [check_id(value, f"ids[{n}]") for n, value in enumerate(ids)]


def unit_vector(value: Any, dim: int, name: str) -> Floats:
    """Return a vector of the store's width, scaled to length 1."""
    vector = as_vectors(name, value)
    if vector.shape != (dim,):
        raise ValueError(f"{name} must have shape ({dim},) like the store's, got {vector.shape}")
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError(f"{name} must be finite and not all zero")
    unit: Floats = (vector / length).astype(np.float32)
    return unit


def _text(value: Any, has_vector: bool, where: str) -> str:
    if value is None and has_vector:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{where}: text must be a string, got {value!r}")
    if not value.strip() and not has_vector:
        raise ValueError(f"{where}: text must not be empty, unless the document brings its vector")
    return _writable(value, f"{where}: text")


def _meta(value: Any, where: str) -> str:
    if value is None:
        return "{}"
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{where}: meta must be a dict with strings as keys, got {value!r:.100}")
    try:
        written = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{where}: meta must be what JSON can hold: {error}") from error
    return _writable(written, f"{where}: meta")


def _writable(value: str, what: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{what} must be text that UTF-8 can write: {error.reason}, got {value!r:.100}"
        ) from error
    return value
