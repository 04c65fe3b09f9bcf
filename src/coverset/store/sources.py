"""Documents out of files: JSON lines, CSV, plain text, folders of these, and standard input.

A document that has no id gets one from where it stands: `notes.jsonl:7`, the file and the line, or just the
file where a file is a document.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coverset.inputs import as_choice
from coverset.lines import STDIN, FileError, lines, records
from coverset.store.documents import DocumentError, check_documents

SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".txt": "text",
    ".md": "text",
    ".rst": "text",
}


@dataclass(frozen=True)
class Source:
    """A document as a file has it, and where it stands."""

    place: str
    document: dict[str, Any]


def read_sources(paths: Sequence[Path], form: str | None = None) -> list[Source]:
    """Read the documents of files and folders, check them, and name file and line of what is wrong.

    Parameters
    ----------
    paths
        Files, folders, or `-` for standard input. Of a folder, all files with a suffix in `SUFFIXES` are read.
    form
        jsonl, csv, text (a file is a document) or lines (a line is a document). None: by the file's suffix;
        other files are text, and standard input is jsonl.
    """
    if form is not None:
        as_choice("format", form, tuple(READERS))
    found = [source for path in paths for file in _files(path) for source in READERS[form or _form(file)](file)]
    if not found:
        raise FileError(f"{', '.join(map(str, paths))}: there are no documents")
    try:
        check_documents([source.document for source in found], None)
    except DocumentError as error:
        raise located(error, found) from error
    return found


def located(error: DocumentError, sources: Sequence[Source]) -> FileError:
    """Return the error with the document's place instead of its position."""
    earlier = "" if error.earlier is None else f", in {sources[error.earlier].place}"
    return FileError(f"{sources[error.position].place}: {error.reason}{earlier}")


def _files(path: Path) -> list[Path]:
    if path == STDIN:
        return [path]
    if not path.exists():
        raise FileError(f"{path}: no such file or folder")
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file() and _suffix(file) in SUFFIXES)


def _form(path: Path) -> str:
    return "jsonl" if path == STDIN else SUFFIXES.get(_suffix(path), "text")


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()


def _jsonl(path: Path) -> Iterator[Source]:
    """Yield a document per object: `id` (or `_id`), `text`, `meta`, `vector`; further keys become metadata."""
    for line, record in records(path):
        place = f"{path}:{line}"
        identifier = record.pop("id" if "id" in record else "_id", None)
        document: dict[str, Any] = {key: record.pop(key) for key in ("text", "meta", "vector") if key in record}
        if record:
            if not isinstance(document.get("meta", {}), dict):
                raise FileError(f"{place}: meta must be an object")
            document["meta"] = {**record, **document.get("meta", {})}
        if isinstance(identifier, int) and not isinstance(identifier, bool):
            identifier = str(identifier)
        yield Source(place, {"id": place if identifier is None else identifier, **document})


def _csv(path: Path) -> Iterator[Source]:
    """Yield a document per row: the columns `id` and `text`; the others become metadata."""
    rows = csv.reader((text for _, text in lines(path)), strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in rows:
            place, line = f"{path}:{line}", rows.line_num + 1
            if not header:
                header = [cell.strip() for cell in cells]
                if "text" not in header or len(set(header)) < len(header):
                    raise FileError(
                        f"{place}: the header must name each column once, and one 'text', got {header}"
                    )
            elif cells:
                if len(cells) != len(header):
                    raise FileError(f"{place}: {len(cells)} cells, and the header has {len(header)}")
                record = dict(zip(header, cells, strict=True))
                meta = {k: v for k, v in record.items() if k not in ("id", "text") and v}
                yield Source(place, {"id": record.get("id") or place, "text": record["text"], "meta": meta})
    except csv.Error as error:
        raise FileError(f"{path}:{line}: not CSV: {error}") from error


def _text(path: Path) -> Iterator[Source]:
    """Yield the file as one document."""
    yield Source(str(path), {"id": path.as_posix(), "text": "".join(text for _, text in lines(path))})


def _lines(path: Path) -> Iterator[Source]:
    """Yield a document per line that is not blank."""
    for line, text in lines(path):
        if text.strip():
            yield Source(f"{path}:{line}", {"id": f"{path.as_posix()}:{line}", "text": text.strip()})


READERS: dict[str, Callable[[Path], Iterator[Source]]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "text": _text,
    "lines": _lines,
}
