"""Files that are one text each: plain text, Markdown, HTML, PDF; what is in them, and where it may be cut."""

from __future__ import annotations

import copy
import logging
from pathlib import Path

from coverset.extras import require
from coverset.lines import FileError, lines
from coverset.plain import Json
from coverset.sources.passages import Mark, markdown_marks

# What trafilatura takes to be too short to be a page's text; here a page may be short.
SHORTEST = ("MIN_FILE_SIZE", "MIN_EXTRACTED_SIZE", "MIN_OUTPUT_SIZE")

Page = tuple[Json, list[Mark]]


def text(path: Path) -> Page:
    """Return a text file as a document, without marks."""
    return _document(path, _whole(path)), []


def markdown(path: Path) -> Page:
    """Return a Markdown file as a document, marked at its headings."""
    document = _document(path, _whole(path))
    return document, markdown_marks(document["text"])


def html(path: Path) -> Page:
    """Return what a web page says, without what stands around it, as Markdown; its title is metadata."""
    trafilatura = require("trafilatura", "documents")
    config = copy.deepcopy(require("trafilatura.settings", "documents").DEFAULT_CONFIG)
    for name in SHORTEST:
        config.set("DEFAULT", name, "1")
    page = path.read_bytes()
    found = trafilatura.extract(page, output_format="markdown", include_comments=False, config=config)
    if not found:
        raise FileError(f"{path}: no text was found in this page")
    about = trafilatura.extract_metadata(page, extensive=False)
    document = _document(path, found, {"title": about.title} if about and about.title else {})
    return document, markdown_marks(found)


def pdf(path: Path) -> Page:
    """Return the text of a PDF, marked where a page begins; its title is metadata."""
    pypdf = require("pypdf", "documents")
    # What it says of small faults in a file is not for those who want the text.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise FileError(f"{path}: this PDF is locked with a password")
        pages = [page.extract_text().strip() for page in reader.pages]
        title = reader.metadata.title if reader.metadata else None
    except FileError:
        raise
    except Exception as error:  # whatever a broken file makes of the extractor
        raise FileError(f"{path}: not a PDF that can be read: {error}") from error
    found, marks = "", []
    for number, page in enumerate(pages, 1):
        marks.append(Mark(len(found), {"page": number}, cuts=False))
        found += page + "\n\n" if page else ""
    if not found.strip():
        raise FileError(f"{path}: no text was found in this PDF; scanned pages have to be recognised first")
    return _document(path, found.strip(), {"title": str(title)} if title else {}), marks


def _whole(path: Path) -> str:
    return "".join(line for _, line in lines(path))


def _document(path: Path, content: str, meta: Json | None = None) -> Json:
    return {"id": path.as_posix(), "text": content, **({"meta": meta} if meta else {})}
