"""Text to words: the terms of a text, counted. What a term weighs belongs to a corpus, see `vocabulary.py`.

Identifiers come apart at case, digits, underscores, dots and hyphens; stop words go, the rest is stemmed, and
pairs of neighbours are terms as well. Scripts that are written without spaces come as pairs of characters.
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

from coverset.extras import require
from coverset.inputs import as_choice

# A run of letters and digits, with an apostrophe inside it.
RUN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
# Scripts that do not put spaces between words: Han, kana, Thai, Lao, Khmer, Burmese.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
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
    normal = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    words: list[str] = []
    for run in RUN.findall(normal):
        for piece in pieces(run):
            words += _characters(piece) if UNSPACED.search(piece) else [piece.casefold()]
    return words


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


def _characters(piece: str) -> list[str]:
    """Return the pairs of characters of a run in an unspaced script."""
    return [piece[n : n + 2] for n in range(max(1, len(piece) - 1))]
