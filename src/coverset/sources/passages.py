"""Long texts in passages: cut at headings, else at the ends of paragraphs, else of sentences, with some overlap.

An encoder reads the beginning of a text only, and one vector blurs what a long text is about. A passage is a
piece of its document word for word, and its metadata say of which:

    {"id": "guide.md#3", "text": ..., "meta": {"document": "guide.md", "passage": 3, "start": 1804, ...}}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from coverset.inputs import as_count
from coverset.plain import Fields, Json

# Characters of a passage: about as much as all-MiniLM-L6-v2 reads of a text, 256 tokens.
SIZE = 1000
# The share of a passage that may be said again at the start of the next, in whole sentences.
OVERLAP = 0.1
# A section shorter than this share of a passage is not left alone: the next one joins it.
SHORT = 0.25

# Where a text may be cut, from best to worst; a cut is made after the match.
PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？]")  # noqa: RUF001  (the marks of Chinese and Japanese)
LINE = re.compile(r"\n\s*")
WORD = re.compile(r"\s+")
HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t#]*$")
FENCE = re.compile(r"[ \t]*(```|~~~)")


@dataclass(frozen=True)
class Mark:
    """From here on, a text is about this: what it adds to the metadata of the passages that begin after it."""

    start: int
    meta: Json = field(default_factory=dict)
    cuts: bool = True


def passages(documents: Iterable[Fields], size: int = SIZE, *, headings: bool = False) -> Iterator[Json]:
    """Yield documents, those longer than `size` characters in passages.

    Parameters
    ----------
    documents
        Dicts with `id`, `text` and optionally `meta`, as `Retriever.add` takes them. One that brings its own
        `vector` stays whole.
    size
        The most characters of a passage.
    headings
        Whether the texts are Markdown, to be cut at its headings first.
    """
    as_count("size", size)
    for document in documents:
        text = document.get("text")
        marks = markdown_marks(text) if headings and isinstance(text, str) else ()
        yield from cut(dict(document), size, marks)


def cut(document: Json, size: int, marks: Sequence[Mark] = ()) -> list[Json]:
    """Return a document's passages, or the document itself where it is short or brings a vector."""
    text, meta = document.get("text"), document.get("meta") or {}
    if not isinstance(text, str) or len(text) <= size or "vector" in document or not isinstance(meta, Mapping):
        return [document]
    found = []
    for number, (start, stop) in enumerate(_spans(text, size, marks), 1):
        known = {key: value for mark in marks if mark.start <= start for key, value in mark.meta.items()}
        place = {"document": document["id"], "passage": number, "start": start}
        found.append(
            {"id": f"{document['id']}#{number}", "text": text[start:stop], "meta": {**meta, **known, **place}}
        )
    return found


def markdown_marks(text: str) -> list[Mark]:
    """Return a mark for each heading of a Markdown text, which knows the headings that it stands under."""
    marks, path, start, fenced = [], [""] * 6, 0, False
    for line in text.splitlines(keepends=True):
        fenced ^= bool(FENCE.match(line))
        heading = None if fenced else HEADING.match(line.rstrip("\r\n"))
        if heading:
            level = len(heading[1])
            path = [*path[: level - 1], heading[2], *[""] * (6 - level)]
            marks.append(Mark(start, {"heading": " > ".join(name for name in path if name)}))
        start += len(line)
    return marks


def _spans(text: str, size: int, marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Yield where passages start and stop, without the white space around them."""
    edges = [0, *(mark.start for mark in marks if mark.cuts and mark.start), len(text)]
    start = 0
    for stop in edges[1:]:
        # A short section goes on with the next, as long as the two fit into one passage.
        following = next((edge for edge in edges if edge > stop), stop)
        if stop < len(text) and stop - start < SHORT * size and following - start <= size:
            continue
        yield from _section(text, start, stop, size)
        start = stop


def _section(text: str, start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the passages of a section: as many whole sentences as fit, ending with a paragraph if it can be."""
    pieces = list(_pieces(text, start, stop, size))
    begin = 0
    while begin < len(pieces):
        end = begin + 1
        while end < len(pieces) and _length(text, pieces[begin][0], pieces[end][1]) <= size:
            end += 1
        if end < len(pieces):
            ends = [n for n in range(begin + 1, end + 1) if pieces[n - 1][2]]
            if ends and pieces[ends[-1] - 1][1] - pieces[begin][0] >= size / 2:
                end = ends[-1]
        trimmed = _trimmed(text, pieces[begin][0], pieces[end - 1][1])
        if trimmed[0] < trimmed[1]:
            yield trimmed
        if end == len(pieces):
            return
        again = end
        # What is said again must leave room for something new.
        while (
            again - 1 > begin
            and _length(text, pieces[again - 1][0], pieces[end - 1][1]) <= OVERLAP * size
            and _length(text, pieces[again - 1][0], pieces[end][1]) <= size
        ):
            again -= 1
        begin = again


def _pieces(text: str, start: int, stop: int, size: int) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, stop, ends a paragraph) of sentences, and of lines and words of one too long."""
    for a, b in _split(text, start, stop, PARAGRAPH):
        for c, d in _split(text, a, b, SENTENCE):
            for e, f in _short(text, c, d, (LINE, WORD), size):
                yield e, f, f == b


def _short(
    text: str, start: int, stop: int, ends: Sequence[re.Pattern[str]], size: int
) -> Iterator[tuple[int, int]]:
    """Yield a span as it is, or if it is too long, cut at the first of these ends that helps, or anywhere."""
    if _length(text, start, stop) <= size:
        yield start, stop
    elif ends:
        for a, b in _split(text, start, stop, ends[0]):
            yield from _short(text, a, b, ends[1:], size)
    else:
        yield from ((a, min(a + size, stop)) for a in range(start, stop, size))


def _split(text: str, start: int, stop: int, ends: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for match in ends.finditer(text, start, stop):
        if match.end() < stop:
            yield start, match.end()
            start = match.end()
    yield start, stop


def _length(text: str, start: int, stop: int) -> int:
    start, stop = _trimmed(text, start, stop)
    return stop - start


def _trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return a span without the white space at its ends."""
    while start < stop and text[start].isspace():
        start += 1
    while start < stop and text[stop - 1].isspace():
        stop -= 1
    return start, stop
