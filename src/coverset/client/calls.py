"""What is asked of a service and how its answers are read, whoever carries them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Generic, TypedDict, TypeVar
from urllib.parse import quote

from coverset.answer import Hit, Part
from coverset.decoders import Decoder
from coverset.decoders.registry import NAMES, from_setting, name_of, options
from coverset.explaining.reasons import LeftOut
from coverset.inputs import as_choice
from coverset.plain import Fields, Foreign, Json
from coverset.server.settings import MOST_DOCUMENTS
from coverset.store.documents import Document, check_documents, check_ids
from coverset.store.errors import BusyStoreError
from coverset.store.queries import PartsOfEach

T = TypeVar("T")


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, and how its answer is read; an answer 404 is read as None where it may be."""

    method: str
    path: str
    body: Json | None
    read: Callable[[Any], T]
    missing: bool = False


class How(TypedDict, total=False):
    """How a query is to be answered, as `Retriever.answer` has it."""

    where: Fields | None
    decoder: Decoder | str | None
    share: float | None
    per: str
    explain: bool


@dataclass(frozen=True)
class Reply:
    """What a service found for a query, and what stands behind it, field by field as `Answer` has it.

    `decoder` is None and `version` 0 where an earlier service does not tell them; `more` is whatever else it says.
    """

    hits: list[Hit]
    covered: float
    certified: bool | None
    gap: float | None
    passes: int
    share: float = 0.0
    answered: bool = True
    parts: list[Part] = field(default_factory=list)
    uncovered_words: list[str] = field(default_factory=list)
    unknown_words: list[str] = field(default_factory=list)
    decoder: Decoder | None = None
    version: int = 0
    more: Json = field(default_factory=dict)


def ask(
    queries: Sequence[str],
    k: int,
    parts: PartsOfEach,
    *,
    where: Fields | None = None,
    decoder: Decoder | str | None = None,
    share: float | None = None,
    per: str = "passage",
    explain: bool = False,
) -> Call[list[Reply]]:
    """Ask several queries of one version of the store."""
    if isinstance(queries, str):
        raise ValueError("queries must be a list of texts, got one text")
    listed = parts if parts is None or isinstance(parts, str) else [some and list(some) for some in parts]
    body: Json = {
        "queries": list(queries),
        "k": k,
        "parts": listed,
        "share": share,
        "per": per,
        "explain": explain,
    }
    body.update(_chosen(decoder))
    if where is not None:
        body["where"] = dict(where)
    return Call("POST", "/v1/search/batch", body, lambda said: [_reply(answer) for answer in said["answers"]])


def add(documents: Iterable[Fields | Document]) -> list[Call[int]]:
    """Add documents, so many at a time; all are checked before the first request is made."""
    found = [dict(vars(d) if isinstance(d, Document) else d) for d in documents]
    check_documents(found, None)
    parts = (found[start : start + MOST_DOCUMENTS] for start in range(0, len(found), MOST_DOCUMENTS))
    return [
        Call("POST", "/v1/documents", {"documents": part}, lambda said: int(said["changed"])) for part in parts
    ]


def delete(ids: Iterable[str]) -> list[Call[int]]:
    """Delete documents, so many at a time."""
    gone = check_ids(ids)
    parts = (gone[start : start + MOST_DOCUMENTS] for start in range(0, len(gone), MOST_DOCUMENTS))
    return [Call("POST", "/v1/documents/delete", {"ids": p}, lambda said: int(said["changed"])) for p in parts]


def get(ids: Iterable[str]) -> list[Call[Document | None]]:
    """Get documents, one by one; None for one that is not there."""
    return [
        Call("GET", f"/v1/documents/{quote(i, safe='')}", None, lambda said: Document(**said), missing=True)
        for i in check_ids(ids)
    ]


def store() -> Call[Json]:
    """Ask what is being served."""
    return Call("GET", "/v1/store", None, dict)


def configure(decoder: Decoder | str, share: float | None) -> Call[None]:
    """Make a decoder, and a share of words if one is given, the store's own."""
    return Call("PUT", "/v1/default", {**_chosen(decoder), "share": share}, lambda _said: None)


def refused(status: int, said: Foreign) -> Exception:
    """Return the error that a Retriever would have raised, for an answer that is one."""
    error = said.get("error", {}) if isinstance(said, dict) else {}
    message = f"{error.get('message', 'the service refused')} (HTTP {status})"
    if status in (401, 403):
        return PermissionError(message)
    if status in (429, 503):
        return BusyStoreError(message)
    if status in (400, 404, 413, 422):
        return ValueError(message)
    return RuntimeError(message)


def _reply(said: Json) -> Reply:
    hits = [_hit(hit) for hit in said.pop("hits")]
    parts = [Part(part["text"], tuple(part["served_by"])) for part in said.pop("parts", [])]
    run = from_setting(said.pop("decoder")) if "decoder" in said else None
    known = {f.name: said.pop(f.name) for f in fields(Reply) if f.name in said}
    return Reply(hits, **known, parts=parts, decoder=run, more=said)


def _hit(said: Json) -> Hit:
    """Return a hit, as a Retriever does; reasons, which the service keeps apart, stand with the rest."""
    flat = {**said, **(said.get("reason") or {})}
    flat.update({name: tuple(flat[name]) for name in ("words", "alike")})
    flat["displaced"] = tuple(LeftOut(**other) for other in flat.get("displaced", ()))
    return Hit(**{f.name: flat[f.name] for f in fields(Hit) if f.name in flat})


def _chosen(decoder: Decoder | str | None) -> Json:
    """Return a decoder as requests have it; one with parameters that they have no word for is refused."""
    if decoder is None:
        return {}
    if isinstance(decoder, str):
        return {"decoder": as_choice("decoder", decoder, NAMES)}
    chosen: Json = {"decoder": name_of(decoder)}
    for parameter in fields(decoder):
        value = getattr(decoder, parameter.name)
        if parameter.name in options() or parameter.name == "distinct":
            chosen[parameter.name] = value
        elif parameter.default is not MISSING and value != parameter.default:
            raise ValueError(
                f"decoder must not set {parameter.name}, which a service does not take, got {value!r}"
            )
    return chosen
