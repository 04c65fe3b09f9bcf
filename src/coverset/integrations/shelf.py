"""Texts out of which a request is covered: each encoded once, all of them one index. Tools are found in here."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.encoders.cache import CachedEncoder
from coverset.encoders.protocol import Encoder
from coverset.indexes import MemoryIndex

# Vectors that are remembered, and files of them that are kept: texts that change without end fill up neither.
MOST_VECTORS = 50_000
MOST_FILES = 2_000


@dataclass(frozen=True)
class Choice:
    """What was chosen for a request.

    Attributes
    ----------
    ids
        The chosen texts, best first.
    weights
        How much of the request each one explains.
    order
        All texts, nearest first.
    """

    ids: list[int]
    weights: list[float]
    order: list[int]


class Shelf:
    """Makes texts findable; may be used from any thread.

    Parameters
    ----------
    encoder
        Makes vectors of texts and requests.
    decoder
        Picks.
    kept
        A folder where vectors are kept by text, so that the next start need not encode them.
    """

    def __init__(self, encoder: Encoder, decoder: Decoder, kept: Path | None = None) -> None:
        self._encoder, self._decoder, self._kept = encoder, decoder, kept
        self._vectors: dict[str, Floats] = {}
        self._lock = threading.Lock()

    def put(self, texts: Sequence[str]) -> Shelved:
        """Return the texts as something to find them in; only those that are new are encoded."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if new:
                self._vectors.update(zip(new, self._keeper().encode(new), strict=True))
            rows = np.stack([self._vectors[text] for text in texts])
            if len(self._vectors) > MOST_VECTORS:
                self._vectors = {text: self._vectors[text] for text in texts}
        return Shelved(rows, self._encoder, self._decoder)

    def _keeper(self) -> Encoder:
        if self._kept is None or sum(1 for _ in self._kept.glob("*/*.npz")) >= MOST_FILES:
            return self._encoder
        return CachedEncoder(self._encoder, self._kept)


class Shelved:
    """Texts that can be found."""

    def __init__(self, rows: Floats, encoder: Encoder, decoder: Decoder) -> None:
        self._rows, self._encoder, self._decoder = rows, encoder, decoder
        self._index = MemoryIndex(rows)
        # What is compiled or computed with the first answer is then ready before a request comes.
        decoder.decode(rows[0], self._index, k=1)

    def choose(self, request: str, k: int) -> Choice:
        """Return the k texts that together cover a request."""
        query = self._encoder.encode_queries([request])[0]
        selection = self._decoder.decode(query, self._index, k=k)
        order = np.argsort(-(self._rows @ query), kind="stable")
        return Choice(selection.ids.tolist(), selection.weights.tolist(), order.tolist())
