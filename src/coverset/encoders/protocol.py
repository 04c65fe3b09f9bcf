"""What an encoder is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


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
