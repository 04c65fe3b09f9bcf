"""Text to vectors with words and meaning, in the space of one corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.parts import split
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.vectors import Vectors

Encode = Callable[[Sequence[str]], Floats]


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

    def vectors(self, texts: Sequence[str], meaning: Floats | None = None) -> tuple[Vectors, list[list[str]]]:
        """Return the vectors of queries, and of each the terms that no document has.

        Their meaning may be known already.
        """
        if meaning is None and self.meaning is not None:
            meaning = self.meaning(texts)
        if self.analyser is None or self.vocabulary is None:
            assert meaning is not None
            return Vectors.of(meaning), [[] for _ in texts]
        words, unknown = self.vocabulary.words([self.analyser.counts(text) for text in texts])
        return Vectors(meaning, words), unknown

    def parts(self, texts: Sequence[str]) -> list[list[str]]:
        """Return what each request is made of; nothing where it is one thing."""
        analyser = self.analyser or Analyser()
        return [split(text, analyser) for text in texts]

    def part_vectors(self, parts: Sequence[Sequence[str]]) -> list[Vectors]:
        """Return the vectors of each request's parts; all are encoded together."""
        flat = [part for some in parts for part in some]
        ends = np.cumsum([0, *map(len, parts)]).tolist()
        if not flat:
            return [Vectors.of(np.empty((0, 0), np.float32)) for _ in parts]
        vectors, _ = self.vectors(flat)
        return [vectors.take(slice(a, b)) for a, b in pairwise(ends)]
