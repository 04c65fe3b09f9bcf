"""Text to words: the terms of a text, counted. What a term weighs belongs to a corpus, see `vocabulary.py`.

Identifiers come apart at case, digits, underscores, dots and hyphens; stop words go, the rest is stemmed, and
pairs of neighbours are terms as well. Scripts that are written without spaces come as pairs of letters, each
with its marks; what stands among them in another script comes as words.
"""

from __future__ import annotations

import importlib.util
import re
import runpy
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from coverset.extras import require
from coverset.inputs import as_choice

# A run of letters and digits, with an apostrophe inside it.
RUN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
# Scripts that do not put spaces between words: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u303b-\u303c\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{_UNSPACED}]")
# Hangul has spaces, but writes its endings on to words of other scripts.
_HANGUL = "\u1100-\u11ff\uac00-\ud7ff"
# What `words` may be, beside None: languages that there is a stemmer for, and "none", words as they are written.
UNSTEMMED = "none"
# Of running text some 40 in 100 words are stop words of its language, and next to none of another's.
FEW_STOP_WORDS = 0.1


class Analyser:
    """Turns texts into terms, by the rules of a language.

    Parameters
    ----------
    language
        "english", "german", ...: any language of Snowball's; "none": neither stemming nor stop words.
    """

    def __init__(self, language: str = "english") -> None:
        self.language = as_choice("words", language, languages())
        stemmer = require("Stemmer", "words").Stemmer(language) if language != UNSTEMMED else None
        self._stem = stemmer.stemWords if stemmer is not None else list
        self.stop_words = stop_words(language)

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in their order, pairs of neighbours after them."""
        words = self._stem([word for word in plain_words(text) if word not in self.stop_words and _says(word)])
        return [*words, *(f"{a} {b}" for a, b in pairwise(words))]

    def counts(self, text: str) -> Counter[str]:
        """Return how often each term occurs in a text."""
        return Counter(self.terms(text))

    def surfaces(self, text: str) -> dict[str, str]:
        """Return the words of a text that say something, as they are written, and the term of each."""
        words = [word for word in plain_words(text) if word not in self.stop_words and _says(word)]
        return dict(zip(words, self._stem(words), strict=True))

    def foreign(self, texts: Iterable[str]) -> bool:
        """Whether texts hardly have a stop word of this language, and so are likely in another one."""
        if not self.stop_words:
            return False
        words = [word for text in texts for word in plain_words(text)]
        return len(words) >= 50 and sum(word in self.stop_words for word in words) < FEW_STOP_WORDS * len(words)


def plain_words(text: str) -> list[str]:
    """Return the words of a text, small, identifiers taken apart."""
    if text.isascii():
        return [piece.lower() for run in runs(text) for piece in pieces(run)]
    words: list[str] = []
    for run in runs(text):
        for piece in pieces(run):
            words += [piece.casefold()] if piece.isascii() or not UNSPACED.match(piece) else _pairs(piece)
    return words


def runs(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, letters with their marks, each in one kind of script."""
    if text.isascii():
        return RUN.findall(text)
    marked, pattern = _marked(), RUN
    normal = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    if not marked.marks.isdisjoint(normal):
        pattern, normal = marked.run, marked.unseen.sub("", normal)
    return [
        one for run in pattern.findall(normal) for one in ([run] if run.isascii() else marked.script.findall(run))
    ]


def pieces(run: str) -> list[str]:
    """Return what a run of letters and digits is made of: HTTPServer2 is HTTP, Server, 2."""
    if run.isalpha() and run[1:].islower():
        return [run]
    starts = [0]
    for at in range(1, len(run)):
        before, here, after = run[at - 1], run[at], run[at + 1 : at + 2]
        digit = before.isdigit() != here.isdigit()
        if digit or (here.isupper() and (before.islower() or (before.isupper() and after.islower()))):
            starts.append(at)
    return [run[a:b] for a, b in pairwise([*starts, len(run)])]


@lru_cache(maxsize=1)
def languages() -> tuple[str, ...]:
    """Return the languages that texts can be analysed by."""
    return (*require("Stemmer", "words").algorithms(), UNSTEMMED)


@lru_cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language; none where there is no list of them."""
    require("bm25s", "words", run=False)
    package = importlib.util.find_spec("bm25s")
    assert package is not None
    assert package.origin is not None
    # Its lists without the rest of it, which takes half a second to import.
    lists = runpy.run_path(str(Path(package.origin).with_name("stopwords.py")))
    name = "EN_PLUS" if language == "english" else language.upper()
    return frozenset(word.casefold().replace("\u2019", "'") for word in lists.get(f"STOPWORDS_{name}", ()))


def _says(word: str) -> bool:
    """Whether a word says anything: single letters do not, digits and characters of unspaced scripts do."""
    return len(word) > 1 or word.isdigit() or UNSPACED.match(word) is not None


def _pairs(piece: str) -> list[str]:
    """Return the pairs of letters of a run in an unspaced script; a mark goes with the letter it is on."""
    letters = _marked().letter.findall(piece)
    return ["".join(letters[n : n + 2]) for n in range(max(1, len(letters) - 1))]


class _Marked(NamedTuple):
    """How texts are read whose letters have marks, as vowels are in India's scripts: to `re` these are no letters.

    Attributes
    ----------
    marks
        All of them, and what only says how a letter is drawn.
    unseen
        What is left out: variation selectors, what encloses a letter, stress on Cyrillic, joiners after a mark.
    run
        As `RUN`.
    script
        What of a run is in one kind of script.
    letter
        A letter and its marks.
    """

    marks: frozenset[str]
    unseen: re.Pattern[str]
    run: re.Pattern[str]
    script: re.Pattern[str]
    letter: re.Pattern[str]


@lru_cache(maxsize=1)
def _marked() -> _Marked:
    # When a text first needs it: to look all marks up takes 20 ms. `re` is fast in the first plane only.
    kinds: dict[str, list[str]] = {"Mn": [], "Mc": [], "Me": []}
    for mark in map(chr, range(0x300, 0x10000)):
        kinds.get(unicodedata.category(mark), []).append(mark)
    marks = "".join(kinds["Mn"] + kinds["Mc"])
    drawn = "".join(kinds["Me"]) + "\ufe00-\ufe0f\U000e0100-\U000e01ef"
    run, word = (rf"{letters}+(?:(?<!\d)[{marks}]+{letters}*)*" for letters in (r"[^\W_]", r"[^\W\d_]"))
    scripts = (f"[{_UNSPACED}]", f"[{_HANGUL}]", f"[^{_UNSPACED}{_HANGUL}]")
    return _Marked(
        marks=frozenset(marks + "".join(kinds["Me"])) | frozenset(map(chr, range(0xE0100, 0xE01F0))),
        unseen=re.compile(f"[{drawn}]|(?<=[\u0400-\u04ff])[\u0300\u0301]|(?<=[{marks}])[\u200c\u200d]"),
        run=re.compile(f"{run}(?:'{word})*"),
        script=re.compile("|".join(f"(?:{kind}[{marks}]*)+" for kind in scripts)),
        letter=re.compile(f".[{marks}]*"),
    )
