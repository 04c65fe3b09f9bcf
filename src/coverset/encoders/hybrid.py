"""Text to vectors with words and meaning, in the space of one corpus: how a request is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.parts import MOST, split
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.sparse import Words
from coverset.vectors import Vectors

Encode = Callable[[Sequence[str]], Floats]


@dataclass(frozen=True, eq=False)
class Reading:
    """A request as it was read.

    Attributes
    ----------
    whole
        Its vector, one row.
    parts, targets
        What it is made of, as text and as vectors; none where it is one thing.
    words
        Its words that documents have, as they are written, and the number of each one's term.
    unknown
        Its words that no document has.
    known
        The share of the length of its words that documents have.
    guessed
        The parts were told from its text, and not stated.
    """

    whole: Vectors
    parts: list[str] = field(default_factory=list)
    targets: Vectors | None = None
    words: dict[str, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    known: float = 1.0
    guessed: bool = False


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
        readings = []
        for n, text in enumerate(texts):
            whole = wholes.take(slice(n, n + 1))
            if text is None or self.analyser is None or self.vocabulary is None:
                readings.append(Reading(whole, list(parts[n]), targets[n], guessed=guessed))
                continue
            counts, surfaces = self.analyser.counts(text), self.analyser.surfaces(text)
            places = {word: self.vocabulary.place(term) for word, term in surfaces.items()}
            length = self.vocabulary.weight(counts, known=False)
            readings.append(
                Reading(
                    whole,
                    list(parts[n]),
                    targets[n],
                    {word: place for word, place in places.items() if place is not None},
                    [word for word, place in places.items() if place is None],
                    self.vocabulary.weight(counts, known=True) / length if length else 1.0,
                    guessed,
                )
            )
        return readings


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
