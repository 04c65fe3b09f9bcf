"""An encoder that costs nothing: a text's vector is the sum of its words', each drawn from the word itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from coverset.arrays import Array, Floats
from tests.conftest import unit


class Words:
    """Bag of words in 16 dimensions."""

    name, dim, fingerprint = "words", 16, "words-1"

    def encode(self, texts: Sequence[str]) -> Floats:
        vectors = [np.sum([self._word(word) for word in text.split()], axis=0) for text in texts]
        return unit(np.array(vectors).reshape(len(texts), self.dim))

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        return self.encode(texts)

    def _word(self, word: str) -> Array:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
        return np.random.default_rng(seed).standard_normal(self.dim)
