"""Which files are read, and how; what is wrong is named, and what is left out is said.

A file that is named must be right. Of a folder, what holds no documents is passed over, each with a reason; but
a wrong line in a file of records is an error there too: those are documents that somebody meant to be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from coverset.inputs import as_choice, as_count
from coverset.lines import STDIN, FileError
from coverset.plain import Json
from coverset.sources import pages, records
from coverset.sources.passages import SIZE, Mark, cut
from coverset.sources.records import Columns, NoDocumentsError
from coverset.store.documents import DocumentError, check_documents

RECORDS: dict[str, Callable[[Path, Columns], Iterator[tuple[str, Json]]]] = {
    "jsonl": records.jsonl,
    "json": records.json_file,
    "csv": records.csv_file,
    "lines": records.line_each,
}
PAGES: dict[str, Callable[[Path], pages.Page]] = {
    "text": pages.text,
    "markdown": pages.markdown,
    "html": pages.html,
    "pdf": pages.pdf,
}
SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".txt": "text",
    ".rst": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
}
# Formats that gzip may have packed: those that are read line by line.
PACKED = (*RECORDS, "text", "markdown")


@dataclass(frozen=True)
class Source:
    """A document as a file has it, and where it stands."""

    place: str
    document: Json


@dataclass(frozen=True)
class Skipped:
    """A file that was left out, and why."""

    file: str
    reason: str


@dataclass(frozen=True)
class Read:
    """What was read.

    Attributes
    ----------
    sources
        The documents, long ones in passages.
    skipped
        The files of folders that were left out.
    origins
        The ids of the documents that files have, before they were cut.
    long
        How many records are longer than a passage and were kept whole.
    """

    sources: list[Source]
    skipped: list[Skipped]
    origins: list[str]
    long: int


def read_sources(
    paths: Sequence[Path], form: str | None = None, passages: int | str = "auto", columns: Columns | None = None
) -> Read:
    """Read the documents of files and folders, check them, and name file and line of what is wrong.

    Parameters
    ----------
    paths
        Files, folders, or `-` for standard input. Of a folder, all files with a suffix in `SUFFIXES` are read
        (with a `form`, all files), save hidden ones.
    form
        A name in `RECORDS` or `PAGES`. None: by the file's suffix; another file that is named is text, and
        standard input is jsonl.
    passages
        The most characters of a passage; "off" cuts nothing; "auto" cuts files that are one text each, and
        leaves records as they are.
    columns
        Under which keys records have their text and their id; default: `text` and `id`.
    """
    if form is not None:
        as_choice("format", form, (*RECORDS, *PAGES))
    if not isinstance(passages, str):
        as_count("passages", passages)
    elif passages not in ("auto", "off"):
        raise ValueError(f"passages must be 'off' or a whole number >= 1, got {passages!r}")
    found, skipped = [], []
    for path in paths:
        for file, inside in _files(path):
            if inside and form is None and _suffix(file) not in SUFFIXES:
                skipped.append(Skipped(str(file), f"no kind of file that is read: {file.suffix or 'no suffix'}"))
                continue
            try:
                found += _read(file, form, columns or Columns())
            except (FileError, ImportError) as error:
                wrong_record = (form or _form(file)) in RECORDS and not isinstance(error, NoDocumentsError)
                if not inside or wrong_record:
                    raise
                skipped.append(Skipped(str(file), str(error).removeprefix(f"{file}:").strip()))
    if not found:
        why = "".join(f"; {s.file}: {s.reason}" for s in skipped[:3])
        raise FileError(f"{', '.join(map(str, paths))}: there are no documents{why}")
    return _checked(found, skipped, passages)


def check_sources(sources: Sequence[Source], dim: int | None = None) -> None:
    """Check documents, and their vectors if it is known how wide they must be; an error says where one stands."""
    try:
        check_documents([source.document for source in sources], dim)
    except DocumentError as error:
        earlier = "" if error.earlier is None else f", in {sources[error.earlier].place}"
        raise FileError(f"{sources[error.position].place}: {error.reason}{earlier}") from error


@dataclass(frozen=True)
class _Whole:
    """A document that has not been cut yet."""

    source: Source
    marks: Sequence[Mark]
    record: bool


def _checked(found: list[_Whole], skipped: list[Skipped], passages: int | str) -> Read:
    sources = [whole.source for whole in found]
    check_sources(sources)
    size = SIZE if isinstance(passages, str) else passages
    parts, long = [], 0
    for whole in found:
        stays = passages == "off" or (whole.record and passages == "auto")
        pieces = [whole.source.document] if stays else cut(whole.source.document, size, whole.marks)
        parts += [Source(whole.source.place, piece) for piece in pieces]
        long += whole.record and passages == "auto" and len(whole.source.document["text"]) > size
    return Read(parts, skipped, [source.document["id"] for source in sources], long)


def _read(file: Path, form: str | None, columns: Columns) -> list[_Whole]:
    name = form or _form(file)
    if file.suffix == ".gz" and name not in PACKED:
        raise FileError(f"{file}: a {name} file must not be gzipped")
    if name in RECORDS:
        return [_Whole(Source(place, document), (), True) for place, document in RECORDS[name](file, columns)]
    document, marks = PAGES[name](file)
    if not document["text"].strip():
        raise FileError(f"{file}: text must not be empty")
    return [_Whole(Source(str(file), document), marks, False)]


def _files(path: Path) -> Iterator[tuple[Path, bool]]:
    """Yield files, and whether they were found in a folder."""
    if path == STDIN or path.is_file():
        yield path, False
    elif not path.exists():
        raise FileError(f"{path}: no such file or folder")
    else:
        for home, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from ((Path(home, name), True) for name in sorted(names) if not name.startswith("."))


def _form(path: Path) -> str:
    return "jsonl" if path == STDIN else SUFFIXES.get(_suffix(path), "text")


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()
