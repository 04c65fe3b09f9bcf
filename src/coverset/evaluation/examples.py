"""A few queries of one's own: lines of {"query": ..., "relevant": [ids]}, or without labels {"query": ...}."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from coverset.arrays import Ids
from coverset.decoders.requests import Requests
from coverset.evaluation.embedded import Labelled
from coverset.indexes import MemoryIndex
from coverset.lines import FileError, records
from coverset.plain import Json
from coverset.retriever import Retriever
from coverset.vectors import Vectors


def label_store(folder: Path, path: Path, *, labels: bool = True) -> tuple[Retriever, MemoryIndex, Labelled]:
    """Open a store and label it with the examples of a file; without labels, read only the queries."""
    try:
        store = Retriever.open(folder, create=False)
    except FileNotFoundError as error:
        raise FileError(str(error)) from error
    snapshot = store.snapshot()
    if snapshot.index is None:
        raise FileError(f"the store {folder} has no documents")
    queries, relevant = read_examples(path, snapshot.row) if labels else (read_queries(path), [])
    readings = store.read(queries, snapshot)
    parts = [reading.targets for reading in readings]
    asked = Requests.checked(Vectors.join([r.whole for r in readings]), parts, guessed=True)
    return store, snapshot.index, Labelled(asked, relevant)


def read_queries(path: Path) -> list[str]:
    """Return the queries of lines of {"query": ...}, whatever else is in them."""
    queries = [_query(example, f"{path}:{line}") for line, example in records(path)]
    if not queries:
        raise FileError(f"{path}: no queries; each line is {{'query': text}}")
    return queries


def read_examples(path: Path, rows: Mapping[str, int]) -> tuple[list[str], list[Ids]]:
    """Return queries and, for each, the rows of its relevant documents; `rows` says which row an id has.

    Every error names the file and the line.
    """
    queries: list[str] = []
    relevant: list[Ids] = []
    for line, example in records(path):
        query, ids = _checked(example, f"{path}:{line}")
        unknown = next((i for i in ids if i not in rows), None)
        if unknown is not None:
            raise FileError(f"{path}:{line}: the store has no document {unknown!r}")
        queries.append(query)
        relevant.append(np.array([rows[i] for i in dict.fromkeys(ids)], np.int64))
    if not queries:
        raise FileError(f"{path}: no examples; each line is {{'query': text, 'relevant': [ids]}}")
    return queries, relevant


def _checked(example: Json, where: str) -> tuple[str, list[str]]:
    if set(example) != {"query", "relevant"}:
        raise FileError(f"{where}: must be an object with 'query' and 'relevant' and nothing else")
    query, ids = _query(example, where), example["relevant"]
    if not isinstance(ids, list) or not ids or not all(isinstance(i, str) for i in ids):
        raise FileError(f"{where}: relevant must be a list of ids with at least one in it")
    return query, ids


def _query(example: Json, where: str) -> str:
    query = example.get("query")
    if not isinstance(query, str) or not query.strip():
        raise FileError(f"{where}: query must be a text that is not empty")
    return query
