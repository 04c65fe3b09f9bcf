"""Run a decoder over labelled queries, and measure every answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from coverset.arrays import Array, Floats
from coverset.decoders import Decoder
from coverset.decoders.kinds import as_searched
from coverset.decoders.requests import Requests
from coverset.evaluation.embedded import Relevant
from coverset.evaluation.metrics import Comp, Metric, Recall
from coverset.indexes import MemoryIndex
from coverset.plain import Json
from coverset.selection import Selection
from coverset.vectors import Vectors

PAPER = (Recall @ 3, Recall @ 5, Comp @ 3, Comp @ 5)


def evaluate(
    decoder: Decoder,
    index: MemoryIndex,
    queries: Floats | Requests,
    relevant: Sequence[Relevant],
    metrics: Sequence[Metric] = PAPER,
) -> dict[Metric, Array]:
    """Return the value of every metric for every query, with one of each kind where a search would do so."""
    depth = max(metric.k for metric in metrics)
    asked = queries if isinstance(queries, Requests) else Requests(Vectors.of(queries))
    searching = as_searched(decoder, index)
    found = searching.decode_batch(asked.wholes, index, depth, asked.parts, guessed=asked.guessed)
    return measured(found, relevant, metrics)


def measured(
    selections: Sequence[Selection], relevant: Sequence[Relevant], metrics: Sequence[Metric] = PAPER
) -> dict[Metric, Array]:
    """Return the value of every metric for every answer."""
    needs = [needed.tolist() if isinstance(needed, np.ndarray) else needed for needed in relevant]
    answers = [(s.ids.tolist(), needed) for s, needed in zip(selections, needs, strict=True)]
    return {metric: np.array([metric(*answer) for answer in answers]) for metric in metrics}


def parameters(decoder: Decoder) -> Json:
    """Return what a decoder was made with."""
    return asdict(decoder)
