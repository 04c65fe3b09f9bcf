"""How strongly to decode when nobody has said: chosen per query, from its nearest documents alone.

Take the query's direction out of the ten nearest documents, and compare what is left of them. Pairs that have
little left in common show different sides of the query, and decoding them jointly pays. If even the least
alike pairs are alike, the ten are one crowd, out of which geometry cannot tell what is needed: then the
ranking should stay that of Dense. With rho the cosine at the lowest tenth of the pairs, near-duplicates aside,

    l1 = 0.3 max_i u_i.v
    l2 = 1.5 / (0.4 - rho),    the dense limit from rho = 0.4 on

docs/default.md tells what else was tried, and how it did.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.indexes import Index, MemoryIndex, within
from coverset.indexes.ids import present

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

NEAREST = 10
# Pairs more alike than this say that the corpus has duplicates, and nothing of the query.
DUPLICATE = 0.95
LEAST_ALIKE = 0.1
SHARE, SCALE, CROWD = 0.3, 1.5, 0.4
# Where the ranking is that of Dense, and weights can still be told from 0.
DENSE = 1500.0


def strengths(queries: Floats, index: Index) -> tuple[Array, Array]:
    """Return (l1, l2) for each query."""
    scores, ids = index.search(queries, within(index, NEAREST))
    rho = np.array([_alike(query, _vectors(index, row)) for query, row in zip(queries, ids, strict=True)])
    best = np.maximum(np.asarray(scores, np.float64)[:, 0], 0.0)
    return SHARE * best, SCALE / np.maximum(CROWD - rho, SCALE / DENSE)


def _vectors(index: Index, ids: NDArray[Any]) -> Array:
    found = ids[present(ids)]
    return (index.rows[found] if isinstance(index, MemoryIndex) else index.vectors(found)).astype(np.float64)


def _alike(query: Floats, documents: Array) -> float:
    """Return rho: how alike the least alike documents are, apart from what the query makes them."""
    direction = query / max(float(np.linalg.norm(query)), np.finfo(np.float32).tiny)
    rest = documents - np.outer(documents @ direction, direction)
    rest /= np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), np.finfo(np.float32).eps)
    pairs = (rest @ rest.T)[np.triu_indices(len(rest), 1)]
    pairs = np.sort(pairs[pairs < DUPLICATE])
    return float(pairs[int(LEAST_ALIKE * (len(pairs) - 1))]) if len(pairs) else 0.0
