"""What a request is made of: lists, sentences, and what connectives join, each a part of its own.

A cut is made only where something is said on both sides of it, so names, dates and short requests stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from coverset.encoders.connectives import LANGUAGES
from coverset.encoders.words import Analyser

# A request has at most this many; what is beyond them goes with the last.
MOST = 16
# A list: lines, or numbers, letters and bullets within one.
LINE = re.compile(r"\s*\n\s*|\s+(?=(?:\(?\d{1,2}[.)]|[a-h]\)|[-*•])\s+[^\W\d_])")
MARK = re.compile(r"^(?:step\s+)?(?:\(?\d{1,2}[.):]|\(?[a-h]\)|[-*•])\s+", re.IGNORECASE)
QUOTES = "\"'\u201d\u2019)"
# The end of a sentence; not after an initial or a short title (No. 8, Dr. Who, Rep. Hall), nor after a.m. and p.m.
SENTENCE = re.compile(
    rf"(?<=[?!\u3002\uff01\uff1f\uff1b])[{QUOTES}]*\s*(?=\S)|;\s+"
    rf"|(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<!\b[A-Z][a-z]{{2}})(?<!\b[ap]\.m)\.[{QUOTES}]*\s+(?=[\"'\u201c\u2018(]*[A-Z0-9])"
)
COMMA = re.compile(r"(?<!\d),\s+|\s*[:\u2014]\s+|[\u3001\uff0c]")
WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
# "email it" says two things: what is done, and to what.
OBJECTS = frozenset({"it", "them", "these", "those"})
EDGE = ' \t,.;:"\u201c\u201d'


def split(text: str, analyser: Analyser) -> list[str]:
    """Return the parts of a request, in their order; none where it is one thing."""
    joined, stop = LANGUAGES.get(analyser.language), analyser.stop_words
    lines = [MARK.sub("", line) for line in LINE.split(text.strip())]
    sentences = [MARK.sub("", one) for line in lines for one in _cut(line, SENTENCE, 2, stop)]
    pieces = sentences
    if joined is not None:
        pieces = [piece for sentence in sentences for piece in _cut(sentence, joined.strong, 1, stop)]
    if len(sentences) == 1:
        weak, names = (COMMA, None) if joined is None else (joined.weak, joined.between_names)
        pieces = [part for piece in pieces for part in _cut(piece, weak, 2, stop, names)]
    found = [piece.strip(EDGE) for piece in pieces]
    if joined is not None:
        found = [joined.lead.sub("", part).strip(EDGE) for part in found]
    found = [part for part in dict.fromkeys(found) if _content(part, stop)]
    if len(found) > MOST:
        found[MOST - 1 :] = ["; ".join(found[MOST - 1 :])]
    return found if len(found) > 1 else []


def _content(text: str, stop: Collection[str]) -> int:
    """Count the words that carry content: no stop words, single letters, nor anything with a digit in it."""
    words = WORD.findall(text.lower().replace("\u2019", "'"))
    told = [word for word in words if word not in stop and len(word) > 1 and not any(c.isdigit() for c in word)]
    return len(told) + sum(word in OBJECTS for word in words)


def _cut(
    text: str,
    separator: re.Pattern[str],
    least: int,
    stop: Collection[str],
    names: re.Pattern[str] | None = None,
) -> list[str]:
    """Cut where both sides, up to the next separators, have `least` words of content; else text stays as it is."""
    marks = [mark for mark in separator.finditer(text) if names is None or not _between(names, text, mark)]
    edges = [0, *(edge for mark in marks for edge in mark.span()), len(text)]
    sizes = [_content(text[a:b], stop) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    out, start = [], 0
    for mark, (before, after) in zip(marks, pairwise(sizes), strict=True):
        if min(before, after) >= least:
            out.append(text[start : mark.start()])
            start = mark.end()
    return [*out, text[start:]]


def _between(names: re.Pattern[str], text: str, mark: re.Match[str]) -> bool:
    """Whether what joins stands between two names; the first word of a text may just begin a sentence."""
    before = re.search(r"\S+$", text[: mark.start()])
    if before is None or before.start() == 0:
        return False
    return names.fullmatch(text[before.start() : mark.end() + 1]) is not None
