"""Whether anything in a corpus answers a request at all."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Ids
from coverset.encoders.hybrid import Reading
from coverset.indexes import MemoryIndex
from coverset.vectors import Vectors, Words

# Below these, nothing answers: the best document's score, and that times the root of how many words a request has.
# Chosen with all-MiniLM-L6-v2, on requests that were meant for other corpora: docs/default.md.
LEAST, LEAST_OF_MANY = 0.08, 0.24


def answered(reading: Reading, index: MemoryIndex, chosen: Ids) -> bool:
    """Whether one of the documents chosen for a request answers it, as far as words and meaning can tell.

    A document's score is (1 - a) meaning + a words k, k the share of the request's words that documents have. Of a
    request without words, and of one whose parts are stated, nothing is said against what was found.
    """
    said = len(reading.words) + len(reading.unknown)
    stated = reading.targets is not None and not reading.guessed
    if not (index.corpus.width and index.dim) or not len(chosen) or not said or stated:
        return True
    words = reading.whole.words
    known = Words(words.starts, words.terms, words.values * np.float32(reading.known), words.width)
    target = Vectors.made(reading.whole.meaning, known, (1.0, 1.0)).sharing(index.share)
    best = float(index.corpus.take(chosen).inner(target).max())
    return best >= LEAST and best * float(np.sqrt(said)) >= LEAST_OF_MANY
