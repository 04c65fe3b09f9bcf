"""Files of records, each of which is a document: JSON lines, JSON, CSV, a line each.

A record without an id gets one from where it stands: `notes.jsonl:7`, the file and the line.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coverset.lines import FileError, lines, records
from coverset.plain import Json

SHAPES = (
    "expected an array of objects with 'text' or of texts, one such object, an object of ids and texts or "
    "objects, or an object with one such array"
)


# How numbers are written in cells: 007, 1e9 and 1,5 are texts, and so is what a double would not hold.
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?", re.ASCII)


class NoDocumentsError(FileError):
    """A file that is right as such, and holds no documents: another's JSON, a table without texts."""


# How to say where a record has its text, if not under `text`.
HINT = "--text KEY names the key of the text, and --id KEY that of the id"


@dataclass(frozen=True)
class Columns:
    """Under which keys, or in which columns, records have their text (of several, a line each) and their id."""

    text: tuple[str, ...] = ("text",)
    id: str | None = None

    def named(self, record: Json) -> Json:
        """Return a record with its text under `text` and its id under `id`; what makes them up is no metadata."""
        if self == Columns():
            return record
        named = {key: value for key, value in record.items() if key not in (*self.text, self.id)}
        if self.id is not None and self.id in record:
            named["id"] = record[self.id]
        found = [record[key] for key in self.text if record.get(key)]
        if found:
            named["text"] = "\n".join(found) if all(isinstance(text, str) for text in found) else found
        return named


def jsonl(path: Path, columns: Columns) -> Iterator[tuple[str, Json]]:
    """Yield (place, document) for each object of a JSON lines file."""
    for line, record in records(path):
        place, named = f"{path}:{line}", columns.named(record)
        if "text" not in named:
            raise FileError(f"{place}: text must be a string, got None; {HINT}, among {list(record)}")
        yield place, _document(place, named)


def json_file(path: Path, columns: Columns) -> Iterator[tuple[str, Json]]:
    """Yield (place, document) for each document of a JSON file: `SHAPES` says where they may be."""
    try:
        value = json.loads("".join(text for _, text in lines(path)))
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}: not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise FileError(f"{path}: not JSON that can be read: nested too deeply") from error
    if isinstance(value, dict) and "text" not in columns.named(value):
        arrays = [found for found in value.values() if isinstance(found, list)]
        if len(arrays) == 1:
            value = arrays[0]
        elif value and all(isinstance(found, (str, dict)) for found in value.values()):
            named = {key: {"text": found} if isinstance(found, str) else found for key, found in value.items()}
            value = [{"id": key, **found} for key, found in named.items()]
    found = value if isinstance(value, list) else [value]
    for number, record in enumerate(found, 1):
        place = f"{path}:{number}" if isinstance(value, list) else str(path)
        record = {"text": record} if isinstance(record, str) else record
        record = columns.named(record) if isinstance(record, dict) else record
        if not isinstance(record, dict) or "text" not in record:
            raise NoDocumentsError(f"{place}: {SHAPES}, got {json.dumps(record):.60}; {HINT}")
        yield place, _document(place, record)


def csv_file(path: Path, columns: Columns) -> Iterator[tuple[str, Json]]:
    """Yield (place, document) for each row: columns `id` and `text`; the others are metadata, numbers as such."""
    rows = csv.reader((text for _, text in lines(path)), strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in rows:
            place, line = f"{path}:{line}", rows.line_num + 1
            if not header:
                header = [cell.strip() for cell in cells]
                if not set(columns.text) <= set(header) or len(set(header)) < len(header):
                    wanted = " and ".join(f"one {name!r}" for name in columns.text)
                    raise NoDocumentsError(
                        f"{place}: the header must name each column once, and {wanted}, got {header}; {HINT}"
                    )
            elif cells:
                if len(cells) != len(header):
                    raise FileError(f"{place}: {len(cells)} cells, and the header has {len(header)}")
                record = columns.named(dict(zip(header, cells, strict=True)))
                meta = {k: _value(v) for k, v in record.items() if k not in ("id", "text") and v}
                yield place, {"id": record.get("id") or place, "text": record.get("text", ""), "meta": meta}
    except csv.Error as error:
        raise FileError(f"{path}:{line}: not CSV: {error}") from error


def line_each(path: Path, _columns: Columns) -> Iterator[tuple[str, Json]]:
    """Yield (place, document) for each line that is not blank."""
    for line, text in lines(path):
        if text.strip():
            yield f"{path}:{line}", {"id": f"{path.as_posix()}:{line}", "text": text.strip()}


def _value(cell: str) -> str | int | float:
    """Return a cell as metadata: a number where one is written, so that ranges compare it as one."""
    found = NUMBER.fullmatch(cell)
    return cell if found is None else float(cell) if found[2] else int(cell)


def _document(place: str, record: Json) -> Json:
    """Return an object's document: `id` (or `_id`), `text`, `meta`, `vector`; further keys become metadata."""
    identifier = record.pop("id" if "id" in record else "_id", None)
    document: Json = {key: record.pop(key) for key in ("text", "meta", "vector") if key in record}
    if record:
        if not isinstance(document.get("meta", {}), dict):
            raise FileError(f"{place}: meta must be an object")
        document["meta"] = {**record, **document.get("meta", {})}
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    return {"id": place if identifier is None else identifier, **document}
