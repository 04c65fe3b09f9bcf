"""Dense retrieval: each document scored on its own, by its inner product with the query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.arrays import Floats
from coverset.decoders.decoder import Decoder
from coverset.indexes import Index, within
from coverset.indexes.ids import present
from coverset.inputs import as_count
from coverset.selection import Selection


@dataclass(frozen=True)
class Dense(Decoder):
    """Return the k documents with the largest inner product: the baseline every vector database offers."""

    def _decode(self, queries: Floats, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        answer = index.search(queries, within(index, as_count("k", k)))
        scores, ids = np.asarray(answer[0], np.float32), np.asarray(answer[1])
        found = present(ids).sum(axis=1)
        return [
            Selection(ids=row[:n], weights=score[:n]) for row, score, n in zip(ids, scores, found, strict=True)
        ]
