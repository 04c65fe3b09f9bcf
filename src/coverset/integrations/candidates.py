"""A set decoded among candidates that another engine has found: the step that all frameworks share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats
from coverset.decoders import Decoder
from coverset.inputs import as_vectors


def choose(decoder: Decoder, query: ArrayLike, vectors: ArrayLike, k: int) -> list[tuple[int, float]]:
    """Return the positions of the k candidates that together cover the query, best first, and their weights.

    The query, (d,), and the candidates' vectors, (n, d), are scaled to length 1.
    """
    rows = as_vectors("vectors", vectors)
    if not len(rows):
        return []
    selection = decoder.decode(_unit(as_vectors("query", query)), _unit(rows), k)
    return list(zip(selection.ids.tolist(), selection.weights.tolist(), strict=True))


def _unit(rows: Floats) -> Floats:
    """Scale to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit: Floats = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
