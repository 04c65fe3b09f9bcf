"""Documents as callers hand them in, checked one by one before anything is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats
from coverset.inputs import as_vectors
from coverset.plain import Json

ACCEPTED = ("id", "text", "meta", "vector")
# Lists and dicts inside each other, in metadata: what writes an answer as JSON has limits of its own.
DEEPEST = 64


@dataclass(frozen=True)
class Document:
    """One document: its id, its text, and metadata of any shape JSON has."""

    id: str
    text: str
    meta: Json = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Incoming:
    """A checked document on its way into a store; `meta` is JSON, and the vector may still have to be made."""

    id: str
    text: str
    meta: str
    vector: Floats | None


class DocumentError(ValueError):
    """One of several documents is wrong; `position` says which one, and `reason` how.

    If its id occurs before, `earlier` says where.
    """

    def __init__(self, position: int, reason: str, earlier: int | None = None) -> None:
        super().__init__(
            f"documents[{position}]: {reason}" + (f", in documents[{earlier}]" if earlier is not None else "")
        )
        self.position, self.reason, self.earlier = position, reason, earlier


def check_documents(documents: object, dim: int | None) -> list[Incoming]:
    """Check all documents, or raise a DocumentError that says which one is wrong and how."""
    if isinstance(documents, (str, bytes, Mapping)) or not isinstance(documents, Iterable):
        raise ValueError(f"documents must be an iterable of documents, got a {type(documents).__name__}")
    checked: list[Incoming] = []
    places: dict[str, int] = {}
    for position, document in enumerate(documents):
        try:
            checked.append(_checked(document, dim))
        except ValueError as error:
            raise DocumentError(position, str(error)) from error
        identifier = checked[-1].id
        if (earlier := places.setdefault(identifier, position)) != position:
            raise DocumentError(position, f"the id {identifier!r} occurs before", earlier)
    return checked


def _checked(document: object, dim: int | None) -> Incoming:
    if isinstance(document, Document):
        document = vars(document)
    if not isinstance(document, Mapping):
        raise ValueError(f"a document must be a dict with {', '.join(ACCEPTED)}, got a {type(document).__name__}")
    for key in document:
        if key not in ACCEPTED:
            raise ValueError(f"unknown key {key!r}; accepted: {', '.join(ACCEPTED)}")
    vector = document.get("vector")
    return Incoming(
        id=_id(document.get("id")),
        text=_text(document.get("text"), vector is not None),
        meta=_meta(document.get("meta")),
        vector=None if vector is None else unit_vector("vector", vector, dim),
    )


def check_ids(ids: object) -> list[str]:
    """Return a list of ids, given as any iterable of strings but not as one string."""
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise ValueError(f"ids must be an iterable of strings, got {ids!r}")
    return [_id(value) for value in ids]


def unit_vector(name: str, value: ArrayLike, dim: int | None) -> Floats:
    """Return a vector of the store's width (None: of any), scaled to length 1."""
    vector = as_vectors(name, value)
    if vector.ndim != 1 or (dim is not None and len(vector) != dim):
        raise ValueError(f"{name} must have shape ({dim or 'd'},) like the documents', got {vector.shape}")
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError(f"{name} must be finite and not all zero")
    unit: Floats = (vector / length).astype(np.float32)
    return unit


def _id(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"id must be a string of at least one character, got {value!r:.100}")
    return _writable("id", value)


def _text(value: object, has_vector: bool) -> str:
    if value is None and has_vector:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"text must be a string, got {value!r:.100}")
    if not value.strip() and not has_vector:
        raise ValueError("text must not be empty, unless the document brings its vector")
    return _writable("text", value)


def _meta(value: object) -> str:
    if value is None:
        return "{}"
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"meta must be a dict with strings as keys, got {value!r:.100}")
    _check_nested(value, DEEPEST)
    try:
        written = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"meta must be what JSON can hold: {error}") from error
    return _writable("meta", written)


def _check_nested(value: object, room: int) -> None:
    """Refuse what is nested too deeply, and keys of which JSON, where all are strings, would make one."""
    if not isinstance(value, (Mapping, list, tuple)):
        return
    if not room:
        raise ValueError(f"meta must be nested at most {DEEPEST} deep")
    if isinstance(value, Mapping) and not all(isinstance(key, str) for key in value):
        seen: Json = {}
        for key in value:
            if (other := seen.setdefault(_written(key), key)) is not key:
                raise ValueError(f"meta must not have the keys {other!r} and {key!r}, which are the same in JSON")
    for inside in value.values() if isinstance(value, Mapping) else value:
        _check_nested(inside, room - 1)


def _written(key: object) -> str:
    """Return a key as JSON has it, where it can have it at all."""
    return key if isinstance(key, str) else json.dumps(key, default=repr)


def _writable(name: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} must be text that UTF-8 can write, got {value!r:.100}") from error
    return value
