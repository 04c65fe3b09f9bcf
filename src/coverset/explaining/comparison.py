"""Several decoders on one query, side by side: how alike their documents are, what was left out, what came in."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coverset.answer import Answer, Documents, make_answer
from coverset.arrays import Floats, Ids
from coverset.decoders import Decoder
from coverset.decoders.kinds import as_searched
from coverset.encoders.hybrid import Reading
from coverset.explaining.floor import Judged, decoded
from coverset.explaining.reasons import LeftOut, Target, alone, left_out, places
from coverset.indexes import MemoryIndex, fetch
from coverset.selection import Selection
from coverset.store.documents import Document

# What changed is told from the nearest documents to those that are decoded jointly.
BEFORE, AFTER = "dense", "nnn"
BY_MEANING = ("dense", "mmr")


@dataclass(frozen=True)
class BroughtIn:
    """A document that NNN chose and that is not among the nearest, and its place there, counted from 1."""

    id: str
    dense_rank: int | None


@dataclass(frozen=True)
class Comparison:
    """The answers to one query by decoder, explained, and what sets them apart.

    Attributes
    ----------
    answers
        Each decoder's answer, by its name. The scores of those that rank by meaning are by meaning too, what a
        document explains of the request's meaning; what is covered and added is by words and meaning for all.
    redundancy
        The mean cosine between two documents of each answer.
    documents
        Every document of the answers, once.
    similarity
        The cosines between them, in that order.
    left_out
        Those of the nearest documents that NNN left out.
    brought_in
        Those of NNN's that are not among the nearest.
    """

    answers: dict[str, Answer]
    redundancy: dict[str, float]
    documents: list[Document]
    similarity: Floats
    left_out: list[LeftOut]
    brought_in: list[BroughtIn]


def compare(
    query: Reading, documents: Documents, decoders: Mapping[str, Decoder], k: int, *, filtered: bool = False
) -> Comparison:
    """Decode a query with each of these decoders, of which Dense and NNN are two.

    Where nothing seems to answer it, NNN's answer is the one document that a search returns, unless the documents
    are those that a filter has left; what was left out and brought in then tells nothing.
    """
    index = documents.index
    selections: dict[str, Selection] = {}
    answers: dict[str, Answer] = {}
    for name, decoder in decoders.items():
        start = time.perf_counter()
        found = Selection.none() if index is None else _decoded(name, decoder, query, index, k)
        seconds = time.perf_counter() - start
        judged = Judged.of(query, index, found)
        if name == AFTER and not filtered:
            judged = judged.cut
        selections[name] = judged.selection
        answers[name] = make_answer(documents, judged, decoder, explain=True, seconds=seconds)
        if index is not None:
            answers[name] = _as_ranked(name, answers[name], query, index, judged.selection.ids)
    if index is None:
        return Comparison(answers, dict.fromkeys(answers, 0.0), [], np.empty((0, 0), np.float32), [], [])
    shown: Ids = np.unique(np.concatenate([selection.ids for selection in selections.values()]))
    near, chosen = selections[BEFORE].ids, selections[AFTER].ids
    if not (filtered or answers[AFTER].answered):
        near = chosen
    return Comparison(
        answers=answers,
        redundancy={name: _mean(_cosines(index, selection.ids)) for name, selection in selections.items()},
        documents=[documents.document(row) for row in shown.tolist()],
        similarity=_cosines(index, shown),
        left_out=left_out(index, near, chosen, documents.ids),
        brought_in=_brought_in(query, index, chosen[~np.isin(chosen, near)], documents.ids),
    )


def _decoded(name: str, decoder: Decoder, query: Reading, index: MemoryIndex, k: int) -> Selection:
    """Decode as people do: Dense and MMR by meaning, RRF without parts; and NNN as a search runs it."""
    if name in BY_MEANING and index.dim:
        return decoder.decode(query.whole, index.sharing(0.0), k)
    searching = as_searched(decoder, index)
    return decoded([query], index, searching, k)[0] if name == AFTER else searching.decode(query.whole, index, k)


def _as_ranked(name: str, answer: Answer, query: Reading, index: MemoryIndex, ids: Ids) -> Answer:
    """Return an answer with the decoder as `_decoded` ran it, and scores by what it ranked by.

    By other scores, the nearest need not come first.
    """
    if name not in BY_MEANING or not index.dim:
        return replace(answer, decoder=as_searched(answer.decoder, index))
    target = Target.of(query.whole, index.sharing(0.0))
    scores = alone(target.query, target.rows(ids)).tolist()
    hits = [replace(hit, score=score) for hit, score in zip(answer.hits, scores, strict=True)]
    return replace(answer, hits=hits, share=0.0)


def _cosines(index: MemoryIndex, ids: Ids) -> Floats:
    rows = fetch(index, ids)
    return rows.inner(rows)


def _mean(cosines: Floats) -> float:
    """The mean cosine between two documents."""
    n = len(cosines)
    return float((cosines.sum() - np.trace(cosines)) / (n * (n - 1))) if n > 1 else 0.0


def _brought_in(query: Reading, index: MemoryIndex, new: Ids, names: Sequence[str]) -> list[BroughtIn]:
    """Return what is not among the nearest by meaning with its place there."""
    near = index.sharing(0.0) if index.dim else index
    ranks = places(Target.of(query.whole, near), new)
    return [BroughtIn(names[row], rank) for row, rank in zip(new.tolist(), ranks, strict=True)]
