"""Compile the kernels that most of the tests use, and keep them: every decoder over words, meaning and both."""

from __future__ import annotations

import numpy as np

from coverset import MMR, NNN, RRF, Dense, MemoryIndex, Vectors

DECODERS = (NNN(), NNN(l1=0.1, l2=0.1), NNN(l1=0.1, l2=10.0, certify=True), Dense(distinct=0.9), MMR(), RRF())


def main() -> None:
    """Decode over corpora small and not so small, one query and several, whole and in parts."""
    rng = np.random.default_rng(0)
    for n in (40, 3000):
        meaning = rng.standard_normal((n, 16)).astype(np.float32)
        meaning /= np.linalg.norm(meaning, axis=1, keepdims=True)
        starts, terms = np.arange(0, 3 * n + 1, 3), np.tile([1, 4, 7], n) + np.repeat(rng.integers(3, size=n), 3)
        words = (starts, terms, np.full(3 * n, 0.577, np.float32), 10)
        for corpus in (Vectors(meaning), Vectors(meaning, words), Vectors(None, words)):
            index = MemoryIndex(corpus)
            for decoder in DECODERS:
                decoder.decode_batch(corpus.take(slice(0, 3)), index)
                decoder.decode(corpus.take(slice(0, 1)), index, parts=corpus.take(slice(1, 3)))


if __name__ == "__main__":
    main()
