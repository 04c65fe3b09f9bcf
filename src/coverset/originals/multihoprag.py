"""MultiHop-RAG (Tang and Yang, COLM 2024): questions over news, answered from several articles."""

from __future__ import annotations

from pathlib import Path

from coverset.lines import FileError
from coverset.originals.collection import Collection, Document, Query, drawn
from coverset.originals.files import entries, find, text

FILES = ("corpus.json", "MultiHopRAG.json")
# The paper's shares; train is the rest. Its own draw is not published.
SHARES = {"dev": 0.1, "test": 0.1}


def files(_name: str) -> tuple[str, ...]:
    """Return the names of the files that it is read from."""
    return tuple(f"*{name}" for name in FILES)


def read(folder: Path, _name: str, seed: int = 0) -> Collection:
    """Read it; a query needs the articles that its evidence is from."""
    corpus, questions = (find(folder, name) for name in FILES)
    documents = [
        Document(text(where, entry, "url"), text(where, entry, "title"), text(where, entry, "body"))
        for where, entry in entries(corpus)
    ]
    known, queries, without = {document.id for document in documents}, [], 0
    for number, (where, entry) in enumerate(entries(questions)):
        found = _urls(where, entry)
        unknown = [url for url in found if url not in known]
        if unknown:
            raise FileError(f"{where}: the article {unknown[0]!r} is not in {corpus}")
        if found:
            queries.append(Query(f"q{number}", text(where, entry, "query"), found))
        else:
            without += 1
    notes = [
        "Documents are whole articles: `_id` is `url`, with `title` and `body`. A query needs every article in "
        f"its `evidence_list`; {without} queries without evidence were left out.",
        f"Split at random with seed {seed}: {SHARES['dev']:.0%} dev, {SHARES['test']:.0%} test, the rest train.",
    ]
    splits = drawn(queries, SHARES, "train", seed)
    return Collection("MultiHop-RAG (Tang and Yang, COLM 2024)", documents, splits, notes)


def _urls(where: str, entry: dict[str, object]) -> tuple[str, ...]:
    evidence = entry.get("evidence_list")
    if not isinstance(evidence, list) or not all(isinstance(item, dict) for item in evidence):
        raise FileError(f"{where}: 'evidence_list' must be a list of objects, got {evidence!r}")
    return tuple(dict.fromkeys(text(f"{where}, evidence {n}", item, "url") for n, item in enumerate(evidence)))
