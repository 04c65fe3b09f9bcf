"""An encoder that costs nothing: a text's vector is the sum of its words', each drawn from the word itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.conftest import unit


class Words:
    """Bag of words in 16 dimensions."""

    name, dim, fingerprint = "words", 16, "words-1"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = [np.sum([self._word(word) for word in text.split()], axis=0) for text in texts]
        return unit(np.array(vectors).reshape(len(texts), self.dim))

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode(texts)

    def _word(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
        return np.random.default_rng(seed).standard_normal(self.dim)
