"""A function of yours as an encoder: any model, any API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.encoder import as_encoded
from coverset.inputs import as_count
from coverset.progress import progress

# From this many batches on, encoding takes long enough to show how far it is.
LONG = 5


class FunctionEncoder:
    """Encode texts with a function.

    Parameters
    ----------
    function
        Takes a list of texts, returns as many vectors; they are scaled to length 1.
    name
        Which model it is. A store keeps it, and refuses to be opened with another.
    dim
        Width of the vectors.
    queries
        The function for queries, if they are encoded in another way than documents.
    fingerprint
        Which version of the model it is, if you have several of that name.
    batch
        How many texts the function is handed at a time.
    """

    def __init__(
        self,
        function: Callable[[list[str]], Any],
        *,
        name: str,
        dim: int,
        queries: Callable[[list[str]], Any] | None = None,
        fingerprint: str = "",
        batch: int = 64,
    ) -> None:
        self.name, self.dim, self.fingerprint = name, as_count("dim", dim), fingerprint
        self._function, self._queries = function, queries or function
        self._batch = as_count("batch", batch)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of documents. Long inputs show a progress bar on standard error."""
        return self._encode(self._function, list(texts))

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of queries."""
        return self._encode(self._queries, list(texts))

    def _encode(self, function: Callable[[list[str]], Any], texts: list[str]) -> Floats:
        out = np.empty((len(texts), self.dim), np.float32)
        with progress("encoding", len(texts), least=LONG * self._batch) as advance:
            for start in range(0, len(texts), self._batch):
                part = texts[start : start + self._batch]
                out[start : start + len(part)] = as_encoded(self, function(part), len(part), scale=True)
                advance(len(part))
        return out
