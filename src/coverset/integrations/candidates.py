"""The set that a store would choose, of candidates that another engine has found: what the frameworks share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from coverset.answer import make_hits
from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.decoders.kinds import as_searched
from coverset.encoders.hybrid import Hybrid, as_parts
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.explaining.floor import Judged, decoded
from coverset.indexes import MemoryIndex
from coverset.indexes.memory.index import SHARE
from coverset.inputs import as_count, as_vectors
from coverset.integrations.asked import as_asked, as_share
from coverset.integrations.found import said
from coverset.plain import Json
from coverset.store.documents import Document, unit_vector
from coverset.store.queries import Parts
from coverset.vectors import Vectors


@dataclass(frozen=True)
class Candidates:
    """Documents among which to choose: their ids, their texts, and (n, d) vectors of what they mean."""

    ids: Sequence[str]
    texts: Sequence[str]
    vectors: ArrayLike


@dataclass(frozen=True)
class Request:
    """What is asked for.

    Attributes
    ----------
    vector
        What it means.
    text
        How it is put; None: not known, and so it has no words.
    embed
        Makes a vector of a part of it; None: there is nothing that could, and so it has no parts.
    """

    vector: ArrayLike
    text: str | None
    embed: Callable[[str], ArrayLike] | None


@dataclass(frozen=True)
class Chooser:
    """Chooses as a store of nothing but the candidates would: words weigh what they weigh among them.

    Attributes
    ----------
    k, decoder, parts, share
        As `Retriever.search` takes them.
    words
        The language that words are taken out of texts by; None: meaning only.
    """

    k: int
    decoder: Decoder
    words: str | None = "english"
    parts: Parts = "auto"
    share: float | None = None

    def __post_init__(self) -> None:
        """Check all of it."""
        as_count("k", self.k)
        as_asked(self.parts)
        as_share(self.share)
        if self.words is not None:
            Analyser(self.words)
        elif self.share is not None:
            raise ValueError("share must be None where words is None: there is nothing to share with")

    def parts_of(self, text: str | None) -> list[str]:
        """Return what a request is made of; without words, as in a store, it is one thing unless told."""
        if self.parts != "auto":
            return as_parts(self.parts or ())
        return [] if text is None or self.words is None else Hybrid(None, Analyser(self.words)).parts([text])[0]

    def choose(self, request: Request, candidates: Candidates) -> list[tuple[int, Json]]:
        """Return which candidates that together cover a request, best first, and what is said of each.

        Where nothing seems to answer the request, that is said too, but nothing is left out: whoever found the
        candidates may have filtered them.
        """
        if not len(candidates.ids):
            return []
        if request.text is None and self.share is not None:
            raise ValueError("share must be None without the text of a query: a vector has no words")
        analyser = None if self.words is None or request.text is None else Analyser(self.words)
        vocabulary, index = _indexed(candidates, analyser, SHARE if self.share is None else self.share)
        parts = [] if request.embed is None else self.parts_of(request.text)
        known = {part: unit_vector("part", request.embed(part), index.dim) for part in parts if request.embed}
        known[request.text or ""] = unit_vector("query", request.vector, index.dim)
        reader = Hybrid(lambda texts: np.stack([known[text] for text in texts]), analyser, vocabulary)
        whole = reader.vectors([request.text or ""])
        reading = reader.read([request.text], whole, [parts], guessed=self.parts == "auto")[0]
        found = decoded([reading], index, as_searched(self.decoder, index), self.k)[0]
        judged = Judged.of(reading, index, found)
        hits = make_hits(_Searched(candidates, index), reading, judged.selection)
        told = [said(hit, answered=judged.answered) for hit in hits]
        return list(zip(found.ids.tolist(), told, strict=True))


@dataclass(frozen=True)
class _Searched:
    """Candidates as hits are made of them."""

    candidates: Candidates
    index: MemoryIndex
    version: int = 0

    @property
    def ids(self) -> Sequence[str]:
        return self.candidates.ids

    def document(self, row: int) -> Document:
        return Document(self.candidates.ids[row], self.candidates.texts[row])


def _indexed(
    candidates: Candidates, analyser: Analyser | None, share: float
) -> tuple[Vocabulary | None, MemoryIndex]:
    """Return what words weigh among candidates, and their vectors."""
    meaning = MemoryIndex(_unit(as_vectors("vectors", candidates.vectors)))
    if analyser is None:
        return None, meaning
    vocabulary, words = Vocabulary.of([analyser.counts(text) for text in candidates.texts])
    return vocabulary, MemoryIndex(Vectors(meaning.corpus.meaning, words), share)


def _unit(rows: Floats) -> Floats:
    """Scale to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit: Floats = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
