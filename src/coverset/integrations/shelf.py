"""Texts out of which a request is covered: each encoded once, all of them one index. Tools are found in here."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coverset.arrays import Floats, Mask
from coverset.decoders import Decoder
from coverset.encoders.cache import CachedEncoder
from coverset.encoders.encoder import Encoder
from coverset.encoders.hybrid import Hybrid
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.explaining.floor import Judged, decoded
from coverset.indexes import MemoryIndex
from coverset.indexes.memory.index import SHARE
from coverset.vectors import Vectors

# Texts that are remembered, and files of vectors that are kept: texts that change without end fill up neither.
MOST_KNOWN = 50_000
MOST_FILES = 2_000


def as_steps(value: Sequence[str]) -> list[str]:
    """Return a plan: what each tool is to do, in texts of which none is empty and no two are equal."""
    if isinstance(value, str) or not all(isinstance(step, str) for step in value):
        raise ValueError(f"steps must be a list of texts, as ['read a file', 'send it'], got {value!r}")
    steps = [step.strip() for step in value]
    if "" in steps or len(set(steps)) < len(steps):
        raise ValueError("steps must not be empty nor equal: say what each is to do")
    return steps


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
    answered
        Whether any of the chosen texts seems to answer the request, or one of its steps.
    """

    ids: list[int]
    weights: list[float]
    steps: list[list[int]]
    alike: list[list[int]]
    order: list[int]
    answered: bool


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
    parts
        Whether requests that come without steps are taken apart.
    """

    def __init__(
        self,
        encoder: Encoder,
        decoder: Decoder,
        kept: Path | None = None,
        *,
        share: float = SHARE,
        parts: bool = True,
    ) -> None:
        self.encoder, self.decoder, self.share, self.parts = encoder, decoder, share, parts
        self.analyser = Analyser()
        self._keeper = None if kept is None else CachedEncoder(encoder, kept)
        self._known: dict[str, tuple[Floats, Counter[str]]] = {}
        self._warm = False
        self._lock = threading.Lock()

    def put(self, texts: Sequence[str]) -> Shelved:
        """Return the texts as something to find them in; only those that are new are encoded."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._known]
            if new:
                counts = (self.analyser.counts(text) for text in new)
                self._known.update(zip(new, zip(self._encoded(new), counts, strict=True), strict=True))
            known = [self._known[text] for text in texts]
            if len(self._known) > MOST_KNOWN:
                self._known = dict(zip(texts, known, strict=True))
        shelved = Shelved(self, np.stack([meaning for meaning, _ in known]), [counts for _, counts in known])
        if not self._warm:
            shelved.warm()
            self._warm = True
        return shelved

    def _encoded(self, texts: list[str]) -> Floats:
        if self._keeper is None or sum(1 for _ in self._keeper.folder.glob("*.npz")) >= MOST_FILES:
            return self.encoder.encode(texts)
        return self._keeper.encode(texts)


class Shelved:
    """Texts that can be found."""

    def __init__(self, shelf: Shelf, meaning: Floats, counts: Sequence[Counter[str]]) -> None:
        self._shelf = shelf
        vocabulary, words = Vocabulary.of(counts)
        self._reader = Hybrid(shelf.encoder.encode_queries, shelf.analyser, vocabulary)
        self._index = MemoryIndex(Vectors(meaning, words), shelf.share)

    def warm(self) -> None:
        """Decode once: what is compiled with the first answer is then ready before a request comes."""
        self._shelf.decoder.decode(self._index.corpus.take(slice(0, 1)), self._index, k=1)

    def choose(self, request: str, k: int, steps: Sequence[str] = ()) -> Choice:
        """Return the k texts, at least one a step, that together cover a request, and each of its steps."""
        parts = steps or (self._reader.parts([request])[0] if self._shelf.parts else [])
        whole = self._reader.vectors([request])
        (reading,) = self._reader.read([request], whole, [parts], guessed=not steps)
        (selection,) = decoded([reading], self._index, self._shelf.decoder, max(k, len(steps)))
        judged = Judged.of(reading, self._index, selection)
        ids, serves = selection.ids.tolist(), judged.selection.serves
        scores = self._index.corpus.inner(reading.every.sharing(self._index.share))
        return Choice(
            ids,
            selection.weights.tolist(),
            [_serving(scores[:, n], judged.answers[n], ids, serves == n - 1) for n in range(1, len(steps) + 1)],
            [np.asarray(others, np.int64).tolist() for others in selection.alike],
            np.argsort(-scores.max(axis=1), kind="stable").tolist(),
            judged.answered,
        )


def _serving(scores: Floats, answers: Mask, ids: list[int], chosen: Mask) -> list[int]:
    """Return the chosen texts that serve a step: chosen for it, or nearest to it of all; if they answer it."""
    nearest, told = int(scores.argmax()), zip(ids, answers.tolist(), chosen.tolist(), strict=True)
    serving = [i for i, does, own in told if does and (own or i == nearest)]
    return sorted(serving, key=lambda i: -float(scores[i]))
