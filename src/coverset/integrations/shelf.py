"""Texts out of which a request is covered: each encoded once, all of them one index. Tools are found in here."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coverset.arrays import Floats, Mask
from coverset.decoders import Decoder
from coverset.encoders.cache import CachedEncoder
from coverset.encoders.protocol import Encoder
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.indexes import MemoryIndex
from coverset.indexes.memory.index import SHARE
from coverset.vectors import Vectors

# Vectors that are remembered, and files of them that are kept: texts that change without end fill up neither.
MOST_VECTORS = 50_000
MOST_FILES = 2_000
# A text whose meaning has a lower cosine than this with a step's does not serve it, however far the others are.
FLOOR = 0.25


@dataclass(frozen=True)
class Choice:
    """What was chosen for a request.

    Attributes
    ----------
    ids
        The chosen texts, best first.
    weights
        How much of the request each one explains.
    steps
        For each step, the chosen texts that serve it, best first; none, where nothing serves it.
    alike
        For each chosen text, those that say the same and were left out for it.
    order
        All texts, nearest first.
    """

    ids: list[int]
    weights: list[float]
    steps: list[list[int]]
    alike: list[list[int]]
    order: list[int]


class Shelf:
    """Makes texts findable, by their words and by their meaning; may be used from any thread.

    Parameters
    ----------
    encoder
        Makes vectors of what texts and requests mean.
    decoder
        Picks.
    kept
        A folder where vectors are kept by text, so that the next start need not encode them.
    share
        The share of words in a score, from 0 to 1.
    """

    def __init__(
        self, encoder: Encoder, decoder: Decoder, kept: Path | None = None, *, share: float = SHARE
    ) -> None:
        self.encoder, self.decoder, self.share, self._kept = encoder, decoder, share, kept
        self.analyser = Analyser()
        self._vectors: dict[str, Floats] = {}
        self._lock = threading.Lock()

    def put(self, texts: Sequence[str]) -> Shelved:
        """Return the texts as something to find them in; only those that are new are encoded."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if new:
                self._vectors.update(zip(new, self._keeper().encode(new), strict=True))
            meaning = np.stack([self._vectors[text] for text in texts])
            if len(self._vectors) > MOST_VECTORS:
                self._vectors = {text: self._vectors[text] for text in texts}
        return Shelved(self, texts, meaning)

    def _keeper(self) -> Encoder:
        if self._kept is None or sum(1 for _ in self._kept.glob("*/*.npz")) >= MOST_FILES:
            return self.encoder
        return CachedEncoder(self.encoder, self._kept)


class Shelved:
    """Texts that can be found."""

    def __init__(self, shelf: Shelf, texts: Sequence[str], meaning: Floats) -> None:
        self._shelf = shelf
        self._vocabulary, words = Vocabulary.of([shelf.analyser.counts(text) for text in texts])
        self._index = MemoryIndex(Vectors(meaning, words), shelf.share)
        # What is compiled or computed with the first answer is then ready before a request comes.
        shelf.decoder.decode(self._index.corpus.take(slice(0, 1)), self._index, k=1)

    def choose(self, request: str, k: int, steps: Sequence[str] = ()) -> Choice:
        """Return the k texts that together cover a request, and each of its steps if it comes with any."""
        targets = self._vectors([request, *steps])
        parts = targets.take(slice(1, None)) if steps else None
        selection = self._shelf.decoder.decode(targets.take(slice(0, 1)), self._index, k, parts)
        corpus, ids = self._index.corpus, selection.ids.tolist()
        scores = corpus.inner(targets.sharing(self._index.share))
        near = corpus.meaning @ targets.meaning.T >= FLOOR
        return Choice(
            ids,
            selection.weights.tolist(),
            [_serving(scores[:, n], near[:, n], ids, selection.serves == n - 1) for n in range(1, len(targets))],
            [np.asarray(others, np.int64).tolist() for others in selection.alike],
            np.argsort(-scores.max(axis=1), kind="stable").tolist(),
        )

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        words, _ = self._vocabulary.words([self._shelf.analyser.counts(text) for text in texts])
        return Vectors(self._shelf.encoder.encode_queries(list(texts)), words)


def _serving(scores: Floats, near: Mask, ids: list[int], chosen: Mask) -> list[int]:
    """Return the chosen texts that serve a step: chosen for it, or nearest to it of all; if near at all."""
    nearest = int(scores.argmax())
    serving = [i for i, own in zip(ids, chosen.tolist(), strict=True) if near[i] and (own or i == nearest)]
    return sorted(serving, key=lambda i: -float(scores[i]))
