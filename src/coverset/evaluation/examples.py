"""A few queries of one's own: lines of {"query": ..., "relevant": [ids]}, or without labels {"query": ...}.

A list among the ids is any one of these: "relevant": [["np.round", "np.around"], "np.save"].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from coverset.evaluation.measuring import Labelled, Relevant
from coverset.indexes import MemoryIndex
from coverset.lines import FileError, records
from coverset.plain import Json
from coverset.retriever import Retriever

# A document's id, or the ids of documents any one of which will do.
Need: TypeAlias = str | list[str]


def label_store(folder: Path, path: Path, *, labels: bool = True) -> tuple[Retriever, MemoryIndex, Labelled]:
    """Open a store and label it with the examples of a file; without labels, read only the queries."""
    store = Retriever.open(folder, create=False)
    snapshot = store.snapshot()
    if snapshot.index is None:
        raise FileError(f"the store {folder} has no documents")
    queries, relevant = read_examples(path, snapshot.row) if labels else (read_queries(path), [])
    return store, snapshot.index, Labelled.read(store.read(queries, snapshot), relevant)


def read_queries(path: Path) -> list[str]:
    """Return the queries of lines of {"query": ...}, whatever else is in them."""
    queries = [_query(example, f"{path}:{line}") for line, example in records(path)]
    if not queries:
        raise FileError(f"{path}: no queries; each line is {{'query': text}}")
    return queries


def read_examples(path: Path, rows: Mapping[str, int]) -> tuple[list[str], list[Relevant]]:
    """Return queries and, for each, the rows of what is relevant; `rows` says which row an id has.

    Every error names the file and the line.
    """
    queries: list[str] = []
    relevant: list[Relevant] = []
    for line, example in records(path):
        query, needs = _checked(example, f"{path}:{line}")
        try:
            relevant.append(needed(needs, rows))
        except KeyError as error:
            raise FileError(f"{path}:{line}: the store has no document {error.args[0]!r}") from error
        queries.append(query)
    if not queries:
        raise FileError(f"{path}: no examples; each line is {{'query': text, 'relevant': [ids]}}")
    return queries, relevant


def needed(needs: Sequence[Need], rows: Mapping[str, int]) -> list[int | frozenset[int]]:
    """Return the rows of what is relevant, each once; a KeyError holds an id that has none."""
    found = [rows[n] if isinstance(n, str) else frozenset(rows[i] for i in n) for n in needs]
    return list(dict.fromkeys(found))


def _checked(example: Json, where: str) -> tuple[str, list[Need]]:
    if set(example) != {"query", "relevant"}:
        raise FileError(f"{where}: must be an object with 'query' and 'relevant' and nothing else")
    query, needs = _query(example, where), example["relevant"]
    if not isinstance(needs, list) or not needs or not all(_is_need(need) for need in needs):
        raise FileError(f"{where}: relevant must be a list of ids, or of lists of ids, with at least one in each")
    return query, needs


def _is_need(need: object) -> bool:
    return isinstance(need, str) or (
        isinstance(need, list) and bool(need) and all(isinstance(i, str) for i in need)
    )


def _query(example: Json, where: str) -> str:
    query = example.get("query")
    if not isinstance(query, str) or not query.strip():
        raise FileError(f"{where}: query must be a text that is not empty")
    return query
