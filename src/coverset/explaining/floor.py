"""Whether anything in a corpus answers a request, and which documents answer what of it: one rule for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from coverset.arrays import Mask
from coverset.decoders import Decoder
from coverset.encoders.hybrid import Reading, Said
from coverset.indexes import MemoryIndex
from coverset.indexes.memory.index import SHARE
from coverset.selection import WHOLE, Selection
from coverset.sparse import Words
from coverset.vectors import Vectors

# A document answers a text if its meaning is as near as NEAR, or its score is at least LEAST and, times the root
# of how many words the text has, LEAST_OF_MANY. Chosen with all-MiniLM-L6-v2, on requests that were meant for
# other corpora: docs/default.md.
NEAR, LEAST, LEAST_OF_MANY = 0.25, 0.08, 0.24
# What nothing here seems to answer gets the nearest document, and not the look of an answer.
UNANSWERED = 1


@dataclass(frozen=True, eq=False)
class Judged:
    """The documents chosen for a request, and which of them answer what of it.

    Attributes
    ----------
    reading
        The request.
    selection
        The documents; one that does not answer the part it was chosen for serves the whole.
    answers
        (targets, documents), as `answering` returns it.
    """

    reading: Reading
    selection: Selection
    answers: Mask

    @classmethod
    def of(cls, reading: Reading, index: MemoryIndex | None, selection: Selection) -> Judged:
        """Judge what was chosen; where there are no documents, nothing answers anything."""
        if index is None or not len(selection):
            return cls(reading, selection, np.zeros((1 + len(reading.parts), len(selection)), bool))
        answers, serves = answering(reading, index, selection), selection.serves
        does = answers[serves + 1, np.arange(len(serves))]
        return cls(reading, replace(selection, serves=np.where(does, serves, WHOLE)), answers)

    @property
    def answered(self) -> bool:
        """Whether any of them answers anything of the request."""
        return bool(self.answers.any())

    @property
    def cut(self) -> Judged:
        """The same, with the nearest document alone where nothing answers the request."""
        if self.answered or len(self.selection) <= UNANSWERED:
            return self
        few = range(UNANSWERED)
        return Judged(self.reading, self.selection.take(few), self.answers[:, few])


def answering(reading: Reading, index: MemoryIndex, selection: Selection) -> Mask:
    """Return which of some documents answer what of a request, (targets, documents): the whole comes first.

    A score is (1 - a) meaning + a words k, k the share of the text's words that documents have and a the usual
    share, whatever the search was told. Nothing answers a text without a letter or digit. By meaning or words
    alone, and of vectors, it cannot be told: whatever scores above 0 answers. Parts that were told from a request
    which nothing answers are not answered either: the shorter a text, the more often something is near by chance.
    """
    documents, targets = index.corpus.take(selection.ids).sharing(SHARE), _known(reading).sharing(SHARE)
    scores = targets.inner(documents)
    answers: Mask = scores > 0
    cosines, both = reading.every.meaning @ documents.meaning.T, index.corpus.width and index.dim
    for said, cosine, score, row in zip(reading.said, cosines, scores, answers, strict=True):
        if said is not None and said.blank:
            row[:] = False
        elif said is not None and both:
            row[:] = (cosine >= NEAR) | ((score >= LEAST) & (score * len(said) ** 0.5 >= LEAST_OF_MANY))
    if reading.guessed and not answers[0].any():
        answers[:] = False
    return answers


def _known(reading: Reading) -> Vectors:
    """Return all that a request asks for, with words as long as the share of them that documents have."""
    every, known = reading.every, [1.0 if said is None else said.known for said in reading.said]
    words = every.words
    values = words.values * np.repeat(np.asarray(known, np.float32), np.diff(words.starts))
    return Vectors.made(every.meaning, Words(words.starts, words.terms, values, words.width), (1.0, 1.0))


def decoded(readings: Sequence[Reading], index: MemoryIndex, decoder: Decoder, k: int | None) -> list[Selection]:
    """Return what a decoder chooses for requests of one batch.

    A part that is stated and that nothing answers, asked for by itself, is not decoded for: nothing leads for it.
    """
    parts = [reading.targets for reading in readings]
    wholes = Vectors.join([reading.whole for reading in readings])
    found = decoder.decode_batch(wholes, index, k, parts if any(parts) else None, guessed=readings[0].guessed)
    return [
        _without_unanswered(reading, index, decoder, k, selection) if reading.stated else selection
        for reading, selection in zip(readings, found, strict=True)
    ]


def _without_unanswered(
    reading: Reading, index: MemoryIndex, decoder: Decoder, k: int | None, found: Selection
) -> Selection:
    """Return what is chosen for a request with stated parts once those that nothing answers are left out."""
    assert reading.targets is not None
    lacking = np.flatnonzero(~answering(reading, index, found)[1:].any(axis=1))
    if not len(lacking):
        return found
    asked = [_alone(reading, part) for part in lacking.tolist()]
    alone = decoder.decode_batch(reading.targets.take(lacking), index, k)
    gone = [
        part
        for part, one, selection in zip(lacking.tolist(), asked, alone, strict=True)
        if not answering(one, index, selection).any()
    ]
    if not gone:
        return found
    kept = np.delete(np.arange(len(reading.parts)), gone)
    selection = decoder.decode(reading.whole, index, k, reading.targets.take(kept) if len(kept) else None)
    numbers = np.append(kept, WHOLE)  # the last one is that of the whole, at -1
    return replace(selection, serves=numbers[selection.serves])


def _alone(reading: Reading, part: int) -> Reading:
    """Return a part as a request of its own."""
    assert reading.targets is not None
    said: list[Said | None] = [reading.said[part + 1]]
    return Reading(reading.targets.one(part), said=said)
