"""Labelled data in BEIR layout: corpus.jsonl[.gz], queries.jsonl[.gz], qrels/{train,dev,test}.tsv.

Files are read as streams, and every error names the file and the line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coverset.arrays import Ids
from coverset.lines import FileError, lines, records
from coverset.plain import Json


@dataclass(frozen=True)
class Split:
    """Queries and, for each, the rows of the corpus that are relevant."""

    ids: list[str]
    texts: list[str]
    relevant: list[Ids]


@dataclass(frozen=True)
class Dataset:
    """The documents of a folder in BEIR layout."""

    folder: Path
    ids: list[str]
    texts: list[str]

    def split(self, name: str) -> Split:
        """Read the labelled queries of a split."""
        path = self.folder / "qrels" / f"{name}.tsv"
        if not path.is_file():
            there = sorted(p.stem for p in path.parent.glob("*.tsv"))
            raise FileError(f"{path}: no such split; there are: {', '.join(there) or 'none'}")
        labels = _qrels(path, {i: row for row, i in enumerate(self.ids)})
        if not labels:
            raise FileError(f"{path}: the split {name!r} has no queries")
        texts = _queries(_plain_or_gz(self.folder, "queries.jsonl"), set(labels), path)
        ids = list(labels)
        return Split(ids, [texts[i] for i in ids], [np.array(labels[i], np.int64) for i in ids])


def load(folder: str | Path) -> Dataset:
    """Read a data set's documents; the text of a document is its title, if it has one, and its text."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(f"{folder}: no such folder")
    path = _plain_or_gz(folder, "corpus.jsonl")
    texts: dict[str, str] = {}
    for line, record in records(path):
        identifier = _string(path, line, record, "_id")
        if identifier in texts:
            raise FileError(f"{path}:{line}: the _id {identifier!r} occurs before")
        title = _string(path, line, record, "title") if "title" in record else ""
        texts[identifier] = f"{title} {_string(path, line, record, 'text')}".strip()
    if not texts:
        raise FileError(f"{path}: the corpus has no documents")
    return Dataset(folder, list(texts), list(texts.values()))


def _queries(path: Path, wanted: set[str], qrels: Path) -> dict[str, str]:
    """Read the texts of the wanted queries."""
    texts: dict[str, str] = {}
    for line, record in records(path):
        identifier = _string(path, line, record, "_id")
        if identifier not in wanted:
            continue
        if identifier in texts:
            raise FileError(f"{path}:{line}: the _id {identifier!r} occurs before")
        texts[identifier] = _string(path, line, record, "text")
    missing = sorted(wanted - set(texts))
    if missing:
        raise FileError(f"{qrels}: the query {missing[0]!r} is not in {path} ({len(missing)} such queries)")
    return texts


def _qrels(path: Path, rows: dict[str, int]) -> dict[str, list[int]]:
    """Read query id -> rows of its relevant documents (score above 0), in the order of the file."""
    labels: dict[str, list[int]] = {}
    for line, text in lines(path):
        cells = text.rstrip("\n").split("\t")
        if line == 1 and cells[:2] == ["query-id", "corpus-id"]:
            continue
        if len(cells) != 3:
            raise FileError(f"{path}:{line}: expected query-id, corpus-id and score, tab-separated")
        query, document, score = cells
        if not score.strip().lstrip("-").isdigit():
            raise FileError(f"{path}:{line}: the score must be a whole number, got {score!r}")
        if document not in rows:
            raise FileError(f"{path}:{line}: the document {document!r} is not in the corpus")
        if int(score) <= 0:
            continue
        if rows[document] in labels.setdefault(query, []):
            raise FileError(f"{path}:{line}: {query!r} and {document!r} are paired before")
        labels[query].append(rows[document])
    return labels


def _plain_or_gz(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise FileError(f"{folder}: neither {name} nor {name}.gz is there")


def _string(path: Path, line: int, record: Json, field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str) or (field == "_id" and not value):
        raise FileError(f"{path}:{line}: {field!r} must be a string, got {value!r}")
    return value
