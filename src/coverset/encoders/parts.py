"""What a request is made of: lists, sentences, and what connectives join, each a part of its own.

A cut is made only where something is said on both sides of it, so names, dates and short requests stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from itertools import pairwise

from coverset.encoders.abbreviations import ORDINALS, shortened
from coverset.encoders.connectives import LANGUAGES, PUNCTUATION
from coverset.encoders.words import UNSPACED, Analyser, runs

# A request has at most this many; what is beyond them goes with the last.
MOST = 16
# Patterns that look for spaces take long where there are thousands.
SPACES = re.compile(r"[^\S\n]{3,}")
# A list: lines, or numbers, letters and bullets within one. Scripts without spaces put none after a number either.
_NUMBER = rf"[(\uff08]?\d{{1,2}}[.)\u3001\uff0e\uff09]\s*(?={UNSPACED.pattern})"
LINE = re.compile(
    r"\s*\n\s*|\s+(?=(?:\(?(?P<number>\d{1,2})[.)]|[a-h]\)|[-*•])\s+[^\W\d_])"
    rf"|(?:\uff0c?\s|\uff0c|(?<=\uff1a))(?={_NUMBER})|\s*(?=[\u2460-\u2473])"
)
MARK = re.compile(
    rf"^(?:(?:step\s+)?(?:\(?\d{{1,2}}[.):]|\(?[a-h]\)|[-*•])\s+|{_NUMBER}|[\u2460-\u2473]\s*)", re.IGNORECASE
)
# What ends a sentence and does nothing else: Han and full width, Arabic, Indic, Armenian, Ethiopic, Burmese, Khmer
STOPS = "\u3002\uff61\uff1b\u061b\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4"
ASKS = "?!\uff1f\uff01\u061f"
CLOSING = "\"'\u201c\u201d\u2019)\xbb\u300d\u300f\uff09"
OPENING = "\"'\u201c\u2018(\xab\xbb\u201e\xbf\xa1"
# The end of a sentence, an arrow, and what may be an end: a full stop, with what follows it.
SENTENCE = re.compile(
    rf"(?<=[{ASKS}{STOPS}])[{CLOSING}]*\s*(?=\S)|;\s+|\s+(?:->|=>)\s+|\s*[\u2192\u21d2\u279c]\s*"
    rf"|\.(?P<closed>[{CLOSING}]*)\s+(?=[{OPENING}]*(?P<follows>[^\W_]))"
)
# A comma or semicolon without a space, and the plain words that it must stand among.
TIGHT = re.compile(r"(?<=[^\W\d_])[,;](?=[^\W\d_])")
PLAIN = re.compile(r"[,;]?[^\W\d_]+(?:[,;'\u2019-][^\W\d_]+)*[.,;:!?]*")
# An initial or a short title (No. 8, Dr. Who, Rep. Hall); e.g., a.m., z. B.
TITLE = re.compile(r"\b[^\W\d_]{1,3}$")
DOTTED = re.compile(r"\b[^\W\d_]\.\s?[^\W\d_]$")
# How much of a text tells whether a mark in it takes it apart.
NEAR = 40
KATAKANA = re.compile("[\u30a0-\u30ff]+")
# "email it" says two things: what is done, and to what.
OBJECTS = frozenset({"it", "them", "these", "those"})
EDGE = f' \t,.;:"\u201c\u201d\u201e\xab\xbb\u300c\u300d\uff0c\u3001\uff1a\u060c{STOPS}'

Unless = Callable[[str, re.Match[str]], bool]


def split(text: str, analyser: Analyser) -> list[str]:
    """Return the parts of a request, in their order; none where it is one thing."""
    joined, stop = LANGUAGES.get(analyser.language), analyser.stop_words
    ordinals = analyser.language in ORDINALS
    lines = [MARK.sub("", line) for line in _lines(SPACES.sub(" ", text.strip()), stop, ordinals=ordinals)]
    goes_on = partial(_goes_on, shortened(analyser.language), ordinals)
    sentences = [MARK.sub("", one) for line in lines for one in _cut(line, SENTENCE, 2, stop, goes_on)]
    pieces = sentences
    if joined is not None:
        pieces = [piece for sentence in sentences for piece in _cut(sentence, joined.strong, 1, stop)]
    if len(sentences) == 1:
        weak, names = (PUNCTUATION, None) if joined is None else (joined.weak, joined.between_names)
        pieces = [part for piece in pieces for part in _cut(piece, weak, 2, stop, partial(_between, names))]
        pieces = [part for piece in pieces for part in _cut(piece, TIGHT, 2, stop, _in_code)]
    found = [piece.strip(EDGE) for piece in pieces]
    if joined is not None:
        found = [joined.lead.sub("", part).strip(EDGE) for part in found]
    found = [part for part in dict.fromkeys(found) if _content(part, stop)]
    if len(found) > MOST:
        found[MOST - 1 :] = ["; ".join(found[MOST - 1 :])]
    return found if len(found) > 1 else []


def _lines(text: str, stop: Collection[str], *, ordinals: bool) -> list[str]:
    """Return the lines of a request, without a word that only announces a list ("Steps:").

    Where a number with a full stop may be an ordinal, those of a list within a line count from 1.
    """
    marks = list(LINE.finditer(text))
    numbers = [mark["number"] for mark in marks if mark["number"]]
    first = 2 if re.match(r"\(?1[.)]", text) else 1
    if ordinals and (numbers == ["1"] or numbers != [str(first + n) for n in range(len(numbers))]):
        marks = [mark for mark in marks if not mark["number"]]
    edges = [0, *(edge for mark in marks for edge in mark.span()), len(text)]
    lines = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    announces = len(lines) > 1 and lines[0].endswith((":", "\uff1a")) and MARK.match(lines[1]) is not None
    return lines[1:] if announces and _content(lines[0], stop) < 2 else lines


def _content(text: str, stop: Collection[str]) -> int:
    """Count the words that carry content: no stop words, single letters, nor anything with a digit in it.

    Where words are not told apart, two characters of Han and hiragana count as a word, and four of other scripts;
    katakana, which writes foreign words, is one each.
    """
    words = [run.casefold() for run in runs(text)]
    count = sum(word in OBJECTS for word in words)
    for word in words:
        if UNSPACED.match(word):
            rest, foreign = KATAKANA.subn("", word)
            count += foreign + len(rest) // (2 if word >= "\u3000" else 4)
        else:
            count += word not in stop and len(word) > 1 and not any(c.isdigit() for c in word)
    return count


def _cut(
    text: str, separator: re.Pattern[str], least: int, stop: Collection[str], unless: Unless | None = None
) -> list[str]:
    """Cut where both sides, up to the next separators, have `least` words of content; else text stays as it is."""
    marks = [mark for mark in separator.finditer(text) if unless is None or not unless(text, mark)]
    edges = [0, *(edge for mark in marks for edge in mark.span()), len(text)]
    sizes = [_content(text[a:b], stop) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    out, start = [], 0
    for mark, (before, after) in zip(marks, pairwise(sizes), strict=True):
        if min(before, after) >= least:
            out.append(text[start : mark.start()])
            start = mark.end()
    return [*out, text[start:]]


def _goes_on(short: re.Pattern[str], ordinals: bool, text: str, mark: re.Match[str]) -> bool:
    """Whether a sentence goes on after what may be its end: a full stop shortens words too."""
    if (follows := mark["follows"]) is None:
        return False
    before = text[max(0, mark.start() - NEAR) : mark.start()]
    title = TITLE.search(before)
    if DOTTED.search(before) or (title is not None and title[0].istitle()):
        return True
    if ordinals and re.search(r"\b\d{1,2}$", before):
        return True
    if follows.isupper() or follows.isdigit():
        return title is not None and len(title[0]) == 1 and not title[0].isascii()
    # Who begins sentences in small letters, or has no others, gives less to go by: "he wrote 'Done.' into it".
    word = before.rstrip(CLOSING)
    return bool(mark["closed"]) or re.search(r"[^\s.]{2}$", word) is None or short.search(word) is not None


def _in_code(text: str, mark: re.Match[str]) -> bool:
    """Whether a comma or semicolon without a space stands in code, in quotes, or where others have a space."""
    before = text[: mark.start()]
    around = before[-NEAR:].split()[-1] + mark[0] + text[mark.end() : mark.end() + NEAR].split()[0]
    inside = any(before.count(a) > before.count(b) for a, b in ("()", "[]", "{}"))
    quoted = any(before.count(quote) % 2 for quote in '"`')
    return inside or quoted or f"{mark[0]} " in text or PLAIN.fullmatch(around) is None


def _between(names: re.Pattern[str] | None, text: str, mark: re.Match[str]) -> bool:
    """Whether what joins stands between two names; the first word of a text may just begin a sentence."""
    before = text[: mark.start()]
    words = before.rsplit(None, 1)
    if names is None or len(words) < 2 or before[-1].isspace():
        return False
    found = names.fullmatch(words[1] + text[mark.start() : mark.end() + 1])
    return found is not None and found[1].isupper() and found[2].isupper()
