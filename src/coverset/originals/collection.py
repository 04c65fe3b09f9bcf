"""A labelled collection on its way from its authors' files to a folder in BEIR layout."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from coverset.lines import FileError

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Document:
    """A document; its text, as an encoder sees it, is title and text."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Query:
    """A query and the ids of all documents that it needs."""

    id: str
    text: str
    relevant: tuple[str, ...]


@dataclass(frozen=True)
class Collection:
    """Documents and queries by split.

    Attributes
    ----------
    title
        What it is, and whose.
    notes
        What was done to the authors' files, a sentence each.
    scenes
        For COLT: scenes as `scenes.jsonl` has them, if there are any.
    """

    title: str
    documents: list[Document]
    splits: dict[str, list[Query]]
    notes: list[str]
    scenes: list[dict[str, object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """See that it is one: ids that occur once, and queries in every split that need known documents."""
        known = _once("document", (document.id for document in self.documents))
        _once("query", (query.id for name in SPLITS for query in self.splits[name]))
        for name in SPLITS:
            if not self.splits[name]:
                raise FileError(f"{self.title}: the split {name!r} has no queries")
            for query in self.splits[name]:
                missing = [document for document in query.relevant if document not in known]
                if missing or not query.relevant:
                    what = f"{missing[0]!r}, which is not in the corpus" if missing else "no document at all"
                    raise FileError(f"{self.title}: the {name} query {query.id!r} needs {what}")


def drawn(queries: list[Query], shares: dict[str, float], rest: str, seed: int) -> dict[str, list[Query]]:
    """Split queries at random: these shares, rounded down, and what remains; each keeps the given order."""
    order = list(range(len(queries)))
    random.Random(seed).shuffle(order)
    splits, start = {}, 0
    for name, share in shares.items():
        count = int(share * len(queries))
        splits[name] = [queries[row] for row in sorted(order[start : start + count])]
        start += count
    splits[rest] = [queries[row] for row in sorted(order[start:])]
    return splits


def _once(what: str, ids: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for identifier in ids:
        if identifier in seen:
            raise FileError(f"the {what} id {identifier!r} occurs twice")
        seen.add(identifier)
    return seen
