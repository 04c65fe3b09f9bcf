"""Labelled queries, and a decoder run over them: every answer measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.decoders import Decoder
from coverset.decoders.kinds import as_searched
from coverset.decoders.requests import Requests
from coverset.encoders.hybrid import Reading
from coverset.evaluation.metrics import Comp, Metric, Recall
from coverset.explaining.floor import Judged
from coverset.indexes import MemoryIndex
from coverset.selection import Selection
from coverset.vectors import Vectors

PAPER = (Recall @ 3, Recall @ 5, Comp @ 3, Comp @ 5)
# The rows of the documents that a query needs; a frozenset: any one of them.
Relevant: TypeAlias = Ids | Sequence[int | frozenset[int]]


@dataclass(frozen=True)
class Labelled:
    """Encoded queries and, for each, what of the corpus is relevant.

    `readings`: the same queries as they were read, if they were: what nothing answers is then cut, as in a search.
    """

    queries: Requests
    relevant: Sequence[Relevant]
    readings: Sequence[Reading] = ()

    @classmethod
    def read(cls, readings: Sequence[Reading], relevant: Sequence[Relevant]) -> Labelled:
        """Return queries as they were read, with parts, if any, that were told from their texts."""
        wholes, parts = Vectors.join([r.whole for r in readings]), [r.targets for r in readings]
        return cls(Requests.checked(wholes, parts, guessed=True), relevant, readings)

    @classmethod
    def of(cls, vectors: Floats, relevant: Sequence[Relevant]) -> Labelled:
        """Return queries that have meaning alone, and no parts."""
        return cls(Requests(Vectors.of(vectors)), relevant)

    def by_meaning(self, index: MemoryIndex) -> tuple[MemoryIndex, Labelled]:
        """Return documents and queries by meaning alone, without parts; by words, where there is no meaning."""
        wholes = self.queries.wholes
        if not index.dim:
            return index, Labelled(Requests(wholes), self.relevant)
        return MemoryIndex(index.corpus.meaning), Labelled.of(wholes.meaning, self.relevant)


def evaluate(
    decoder: Decoder, index: MemoryIndex, labelled: Labelled, metrics: Sequence[Metric] = PAPER
) -> dict[Metric, Array]:
    """Return the value of every metric for every query, of what a search would return."""
    depth = max(metric.k for metric in metrics)
    return measured(searched(decoder, index, labelled, depth), labelled.relevant, metrics)


def searched(decoder: Decoder, index: MemoryIndex, labelled: Labelled, k: int) -> list[Selection]:
    """Return what a search would: one of each kind, and where nothing answers a query, the nearest document."""
    asked = labelled.queries
    found = as_searched(decoder, index).decode_batch(asked.wholes, index, k, asked.parts, guessed=asked.guessed)
    if not labelled.readings:
        return found
    return [Judged.of(r, index, each).cut.selection for r, each in zip(labelled.readings, found, strict=True)]


def measured(
    selections: Sequence[Selection], relevant: Sequence[Relevant], metrics: Sequence[Metric] = PAPER
) -> dict[Metric, Array]:
    """Return the value of every metric for every answer."""
    needs = [needed.tolist() if isinstance(needed, np.ndarray) else needed for needed in relevant]
    answers = [(s.ids.tolist(), needed) for s, needed in zip(selections, needs, strict=True)]
    return {metric: np.array([metric(*answer) for answer in answers]) for metric in metrics}


def incomplete(
    decoder: Decoder, index: MemoryIndex, labelled: Labelled, k: int = 5
) -> Iterator[tuple[int, list[frozenset[int]]]]:
    """Yield the queries whose answers lack something, and what: the rows any one of which would do."""
    answers = searched(decoder, index, labelled, k)
    for query, (answer, needed) in enumerate(zip(answers, labelled.relevant, strict=True)):
        found = set(answer.ids.tolist())
        needs = [need if isinstance(need, frozenset) else frozenset([int(need)]) for need in needed]
        lacking = [need for need in needs if not need & found]
        if lacking:
            yield query, lacking
