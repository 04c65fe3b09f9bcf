"""A set decoded among candidates that another engine has found: the step that all frameworks share."""

from __future__ import annotations

from typing import Any

import numpy as np

from coverset.decoders import Decoder
from coverset.inputs import as_vectors


def choose(decoder: Decoder, query: Any, vectors: Any, k: int) -> list[tuple[int, float]]:
    """Return the positions of the k candidates that together cover the query, best first, and their weights.

    Parameters
    ----------
    decoder
        The rule that picks.
    query
        (d,) vector.
    vectors
        (n, d) vectors of the candidates; they and the query are scaled to length 1.
    k
        How many to pick.
    """
    if not len(vectors):
        return []
    selection = decoder.decode(_unit(as_vectors("query", query)), _unit(as_vectors("vectors", vectors)), k)
    return list(zip(selection.ids.tolist(), selection.weights.tolist(), strict=True))


def _unit(rows: Any) -> Any:
    """Scale to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)
