"""Whether anything in a corpus answers a request at all."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Ids
from coverset.encoders.hybrid import Reading
from coverset.indexes import MemoryIndex
from coverset.sparse import Words
from coverset.vectors import Vectors

# Nothing answers where no document is nearer in meaning than FAR, and the best one's score is below LEAST, or that
# times the root of how many words the request has below LEAST_OF_MANY.
# Chosen with all-MiniLM-L6-v2, on requests that were meant for other corpora: docs/default.md.
FAR, LEAST, LEAST_OF_MANY = 0.25, 0.08, 0.24


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
    documents = index.corpus.take(chosen)
    if float((documents.meaning @ reading.whole.meaning.T).max()) >= FAR:
        return True
    best = float(documents.inner(target).max())
    return best >= LEAST and best * float(np.sqrt(said)) >= LEAST_OF_MANY
