"""Run a decoder over labelled queries, and measure every answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.decoders import Decoder
from coverset.evaluation.metrics import Comp, Metric, Recall
from coverset.indexes import MemoryIndex
from coverset.selection import Selection

PAPER = (Recall @ 3, Recall @ 5, Comp @ 3, Comp @ 5)


def evaluate(
    decoder: Decoder,
    index: MemoryIndex,
    queries: Floats,
    relevant: Sequence[Ids],
    metrics: Sequence[Metric] = PAPER,
) -> dict[Metric, Array]:
    """Return the value of every metric for every query."""
    return measured(decoder.decode_batch(queries, index, k=max(metric.k for metric in metrics)), relevant, metrics)


def measured(
    selections: Sequence[Selection], relevant: Sequence[Ids], metrics: Sequence[Metric] = PAPER
) -> dict[Metric, Array]:
    """Return the value of every metric for every answer."""
    answers = [(s.ids.tolist(), r.tolist()) for s, r in zip(selections, relevant, strict=True)]
    return {metric: np.array([metric(*answer) for answer in answers]) for metric in metrics}


def parameters(decoder: Decoder) -> dict[str, Any]:
    """Return what a decoder was made with."""
    return asdict(decoder)
