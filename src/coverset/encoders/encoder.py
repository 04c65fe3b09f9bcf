"""What an encoder is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from coverset.arrays import Floats


class Encoder(Protocol):
    """Text to unit vectors. `name` says which model, `fingerprint` which weights."""

    name: str
    dim: int
    fingerprint: str

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of documents."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of queries: many models encode them in another way than documents."""
        ...
