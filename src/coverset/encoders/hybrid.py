"""Text to vectors with words and meaning, in the space of one corpus: how a request is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.parts import MOST, split
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser, plain_words
from coverset.sparse import Words
from coverset.vectors import Vectors

Encode = Callable[[Sequence[str]], Floats]


@dataclass(frozen=True)
class Said:
    """The words of a text that say something.

    Attributes
    ----------
    words
        Those that documents have, as they are written, and the number of each one's term.
    unknown
        Those that no document has.
    known
        The share of the length of all of them that documents have.
    blank
        The text has no letter and no digit.
    """

    words: dict[str, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    known: float = 1.0
    blank: bool = False

    def __len__(self) -> int:
        """Return how many words there are."""
        return len(self.words) + len(self.unknown)


@dataclass(frozen=True, eq=False)
class Reading:
    """A request as it was read.

    Attributes
    ----------
    whole
        Its vector, one row.
    parts, targets
        What it is made of, as text and as vectors; none where it is one thing.
    said
        The words of the whole, then of each part; None of what came as a vector, and where words do not count.
    guessed
        The parts were told from its text, and not stated.
    """

    whole: Vectors
    parts: list[str] = field(default_factory=list)
    targets: Vectors | None = None
    said: list[Said | None] = field(default_factory=lambda: [None])
    guessed: bool = False

    @cached_property
    def every(self) -> Vectors:
        """All that it asks for: the whole, then its parts."""
        return self.whole if self.targets is None else Vectors.join([self.whole, self.targets])

    @property
    def stated(self) -> bool:
        """Whether it has parts that whoever asks has stated."""
        return self.targets is not None and not self.guessed

    @cached_property
    def words(self) -> dict[str, int]:
        """The words of the request and its parts that documents have, and the number of each one's term."""
        return {word: term for said in self.said if said is not None for word, term in said.words.items()}

    @cached_property
    def unknown(self) -> list[str]:
        """The words of the request and its parts that no document has."""
        return list(dict.fromkeys(word for said in self.said if said is not None for word in said.unknown))


@dataclass(frozen=True, eq=False)
class Hybrid:
    """How requests are read against a corpus.

    Attributes
    ----------
    meaning
        Encodes queries; None: the corpus has words only.
    analyser, vocabulary
        Take words out of text, and weigh them; None: the corpus has meaning only.
    """

    meaning: Encode | None
    analyser: Analyser | None = None
    vocabulary: Vocabulary | None = None

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts."""
        meaning = None if self.meaning is None else self.meaning(texts)
        if self.analyser is None or self.vocabulary is None:
            assert meaning is not None
            return Vectors.of(meaning)
        words, _ = self.vocabulary.words([self.analyser.counts(text) for text in texts])
        return Vectors(meaning, words)

    def bare(self, meaning: Floats) -> Vectors:
        """Return queries that come as vectors, and so without words."""
        width = 0 if self.vocabulary is None else len(self.vocabulary)
        return Vectors.made(meaning, Words.empty(len(meaning), width), (1.0, 1.0))

    def parts(self, texts: Sequence[str]) -> list[list[str]]:
        """Return what each request is made of; nothing where it is one thing."""
        analyser = self.analyser or Analyser()
        return [split(text, analyser) for text in texts]

    def part_vectors(self, parts: Sequence[Sequence[str]]) -> list[Vectors | None]:
        """Return the vectors of each request's parts, None where it has none; all are encoded together."""
        flat = [part for some in parts for part in some]
        if not flat:
            return [None] * len(parts)
        vectors, ends = self.vectors(flat), np.cumsum([0, *map(len, parts)]).tolist()
        return [vectors.take(slice(a, b)) if b > a else None for a, b in pairwise(ends)]

    def read(
        self,
        texts: Sequence[str | None],
        wholes: Vectors,
        parts: Sequence[Sequence[str]],
        *,
        guessed: bool = False,
    ) -> list[Reading]:
        """Return requests as they are read; one that came as a vector has no text."""
        targets = self.part_vectors(parts)
        return [
            Reading(
                wholes.one(n),
                list(parts[n]),
                targets[n],
                [None if each is None else self._said(each) for each in (text, *parts[n])],
                guessed,
            )
            for n, text in enumerate(texts)
        ]

    def _said(self, text: str) -> Said | None:
        """Return the words of a text; None where words do not count, but for a text that has none to count."""
        if not plain_words(text):
            return Said(blank=True)
        if self.analyser is None or self.vocabulary is None:
            return None
        counts = self.analyser.counts(text)
        places = {word: self.vocabulary.place(term) for word, term in self.analyser.surfaces(text).items()}
        length = self.vocabulary.weight(counts, known=False)
        return Said(
            {word: place for word, place in places.items() if place is not None},
            [word for word, place in places.items() if place is None],
            self.vocabulary.weight(counts, known=True) / length if length else 1.0,
        )


def as_parts(value: object) -> list[str]:
    """Return the parts of a request that a caller hands in, checked."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"parts must be 'auto', None or a list of texts, got {value!r}")
    parts = [part.strip() if isinstance(part, str) else part for part in value]
    if len(parts) > MOST:
        raise ValueError(f"parts must be at most {MOST}, got {len(parts)}")
    for part in parts:
        if not isinstance(part, str) or not part:
            raise ValueError(f"parts must be texts that are not empty, got {part!r}")
    if len(set(parts)) < len(parts):
        raise ValueError("parts must be different from each other")
    return parts
