"""Vectors that were made elsewhere: documents and queries bring their own."""

from __future__ import annotations

from collections.abc import Sequence

from coverset.arrays import Floats
from coverset.inputs import as_count

FINGERPRINT = "precomputed"


class Precomputed:
    """Stands for an encoder that Coverset does not run.

    Parameters
    ----------
    dim
        Width of the vectors.
    name
        Which model they come from, so that vectors of two models do not mix.
    """

    fingerprint = FINGERPRINT

    def __init__(self, dim: int, name: str = "precomputed") -> None:
        self.dim, self.name = as_count("dim", dim), name

    def encode(self, texts: Sequence[str]) -> Floats:
        """Refuse: the documents must bring their vectors."""
        raise ValueError(f"the vectors of {self.name!r} are made elsewhere: give each document its 'vector'")

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        """Refuse: the query must be a vector, or bring it."""
        raise ValueError(
            f"the vectors of {self.name!r} are made elsewhere: search with a vector, or from Python with text and "
            "its vector, {'text': ..., 'vector': ...}; parts bring theirs too"
        )
