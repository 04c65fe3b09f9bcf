"""Answer: all that is known about what a search found. Whatever shows answers to people maps from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

import numpy as np

from coverset.arrays import Array, Ids
from coverset.decoders import Decoder
from coverset.decoders.registry import as_setting
from coverset.encoders.hybrid import Reading
from coverset.explaining.floor import Judged
from coverset.explaining.reasons import LeftOut, Target, alone, covered, left_out, places, together
from coverset.indexes import MemoryIndex
from coverset.plain import Json
from coverset.selection import WHOLE, Selection
from coverset.store.documents import Document
from coverset.vectors import Vectors


class Documents(Protocol):
    """Documents that can be searched: a version of a store, or a list in memory."""

    @property
    def version(self) -> int:
        """Which version of them it is."""

    @property
    def ids(self) -> Sequence[str]:
        """Their ids, row by row."""

    @property
    def index(self) -> MemoryIndex | None:
        """Their vectors, row by row; None when there are no documents."""

    def document(self, row: int) -> Document:
        """Return the document in a row."""


@dataclass(frozen=True)
class Hit:
    """A document of an answer.

    Attributes
    ----------
    score
        What it explains by itself of the part that it serves, from 0 to 1; the same for every decoder.
    weight
        What the decoder ranks by: NNN's weight, Dense's inner product, MMR's marginal score.
    part
        The part of the request that it serves best, if it does answer it; None: the request as a whole.
    words
        The words of the request and its parts that it has.
    alike
        The ids of documents that it stands for: so alike that they are left out.
    adds
        When reasons are asked for: the share of the query that it explains beyond those before it; they add up to
        `covered`.
    place
        When reasons are asked for: its place among the nearest documents, counted from 1; None: further down
        than was looked.
    displaced
        When reasons are asked for: the documents among the nearest that were left out and are most like this one.
    """

    id: str
    text: str
    meta: Json
    score: float
    weight: float
    part: str | None = None
    words: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    adds: float | None = None
    place: int | None = None
    displaced: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Part:
    """A part of a request, and the ids of the documents that serve it: none where the answer lacks it."""

    text: str
    served_by: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What was found for a query, and what stands behind it.

    Attributes
    ----------
    hits
        The documents, best first.
    parts
        What the request is made of, and which documents serve each; none where it is one thing.
    uncovered_words
        Words of the request and its parts that documents have, but none of these.
    unknown_words
        Words of the request and its parts that no document has.
    answered
        False: nothing here seems to answer the request; the hit, if there is one, is the nearest there is.
    covered
        The share of the query that they explain together, from 0 to 1; where parts are stated, which the query
        need not repeat, the mean of the shares of the query and of each part.
    certified, gap, proved
        As `Selection` has them; None for decoders other than NNN.
    passes
        How many searches of the whole corpus it took.
    decoder
        The decoder as it was run: with the strengths that NNN chose for this query.
    share
        The share of words in scores; 0 where there are none, as in a query that is a vector.
    version
        The version of the store that was searched.
    seconds
        How long decoding took; of a batch, this query's share.
    covered_by_nearest
        When reasons are asked for: the same of as many documents that are nearest to the query.
    """

    hits: list[Hit]
    covered: float
    certified: bool | None
    gap: float | None
    proved: bool | None
    passes: int
    decoder: Decoder
    version: int
    share: float = 0.0
    answered: bool = True
    parts: list[Part] = field(default_factory=list)
    uncovered_words: list[str] = field(default_factory=list)
    unknown_words: list[str] = field(default_factory=list)
    seconds: float = 0.0
    covered_by_nearest: float | None = None

    @property
    def explained(self) -> bool:
        """Whether reasons were asked for."""
        return self.covered_by_nearest is not None

    @property
    def unserved(self) -> list[str]:
        """The parts that no document here serves."""
        return [part.text for part in self.parts if not part.served_by]

    def as_json(self) -> Json:
        """Return it as plain data that JSON can hold; reasons only if there are any."""
        kept = {name: value for name, value in vars(self).items() if name not in ("hits", "decoder", "parts")}
        kept["parts"] = [asdict(part) for part in self.parts]
        if not self.explained:
            del kept["covered_by_nearest"]
        finite = self.gap is not None and math.isfinite(self.gap)
        reasons = () if self.explained else ("adds", "place", "displaced")
        hits = [{name: said for name, said in asdict(hit).items() if name not in reasons} for hit in self.hits]
        return {"hits": hits, **kept, "gap": self.gap if finite else None, "decoder": as_setting(self.decoder)}


def make_hits(documents: Documents, reading: Reading, selection: Selection) -> list[Hit]:
    """Return the documents of a selection."""
    index = documents.index
    if index is None or not len(selection):
        return []
    scores = _alone(reading, index, selection.ids)
    hits = []
    for n, row in enumerate(selection.ids.tolist()):
        document, part = documents.document(row), int(selection.serves[n])
        hits.append(
            Hit(
                document.id,
                document.text,
                document.meta,
                float(scores[part + 1, n]),
                float(selection.weights[n]),
                None if part == WHOLE else reading.parts[part],
                _words(reading, index, row),
                tuple(documents.ids[int(str(other))] for other in selection.alike[n]),
            )
        )
    return hits


def _alone(reading: Reading, index: MemoryIndex, ids: Ids) -> Array:
    """Return what each document explains by itself of each target, (targets, documents): the whole comes first."""
    return np.stack([alone(to.query, to.rows(ids)) for to in _targets(reading.every, index)])


def _served(judged: Judged, index: MemoryIndex, hits: Sequence[Hit]) -> list[Part]:
    """Return the parts of a request, and which documents serve each: none that does not answer it.

    A document that serves the request as a whole also serves the parts that no other one here explains more of.
    """
    reading, selection = judged.reading, judged.selection
    if not reading.parts or not hits:
        return [Part(text, ()) for text in reading.parts]
    scores, whole = _alone(reading, index, selection.ids)[1:], selection.serves == WHOLE
    best = scores == scores.max(axis=1, keepdims=True)
    chosen = selection.serves == np.arange(len(scores))[:, None]
    served = judged.answers[1:] & (chosen | (whole & best))
    return [
        Part(text, tuple(hit.id for hit, does in zip(hits, some, strict=True) if does))
        for text, some in zip(reading.parts, served, strict=True)
    ]


def _words(reading: Reading, index: MemoryIndex, row: int) -> tuple[str, ...]:
    """Return the words of a request that a document has."""
    if not reading.words:
        return ()
    words = index.corpus.words
    there = set(words.terms[words.starts[row] : words.starts[row + 1]].tolist())
    return tuple(word for word, term in reading.words.items() if term in there)


def make_answer(
    documents: Documents, judged: Judged, decoder: Decoder, *, explain: bool = False, seconds: float = 0.0
) -> Answer:
    """Return what is known about the documents chosen for a request, with reasons if asked for."""
    reading, selection = judged.reading, judged.selection
    if documents.index is None:
        nothing = Answer([], 0.0, None, None, None, 0, decoder, documents.version, answered=False)
        return replace(
            nothing,
            parts=[Part(text, ()) for text in reading.parts],
            uncovered_words=list(reading.words),
            unknown_words=reading.unknown,
            covered_by_nearest=0.0 if explain else None,
        )
    targets = _targets(reading.every if reading.stated else reading.whole, documents.index)
    hits = make_hits(documents, reading, selection)
    said = {word for hit in hits for word in hit.words}
    made = Answer(
        hits=hits,
        covered=_together(targets, selection.ids),
        certified=selection.certified,
        gap=selection.gap,
        proved=selection.proved,
        passes=selection.passes,
        decoder=decoder.as_run(selection, documents.index),
        version=documents.version,
        share=targets[0].share,
        answered=judged.answered,
        parts=_served(judged, documents.index, hits),
        uncovered_words=[word for word in reading.words if word not in said],
        unknown_words=reading.unknown,
        seconds=seconds,
    )
    return _with_reasons(made, documents, targets, selection.ids) if explain else made


def _with_reasons(answer: Answer, documents: Documents, targets: Sequence[Target], ids: Ids) -> Answer:
    """Return an answer with reasons; the nearest documents are those to the whole, which is the first target."""
    if not len(ids):
        return replace(answer, covered_by_nearest=0.0)
    whole = targets[0]
    nearest = whole.nearest(len(ids))
    out = left_out(whole.index, nearest, ids, documents.ids)
    shares = np.mean([covered(target.query, target.rows(ids)) for target in targets], axis=0)
    why = zip(answer.hits, np.diff(shares, prepend=0.0), places(whole, ids), strict=True)
    return replace(
        answer,
        hits=[
            replace(hit, adds=float(adds), place=place, displaced=tuple(d for d in out if d.like == hit.id))
            for hit, adds, place in why
        ],
        covered=float(shares[-1]),
        covered_by_nearest=_together(targets, nearest),
    )


def _targets(asked: Vectors, index: MemoryIndex) -> list[Target]:
    return [Target.of(asked.one(n), index) for n in range(len(asked))]


def _together(targets: Sequence[Target], ids: Ids) -> float:
    """Return how much of some targets documents explain together, each target counting the same."""
    return float(np.mean([together(target.query, target.rows(ids)) for target in targets]))
