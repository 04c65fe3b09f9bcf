"""How strongly to decode when nobody has said: chosen from the queries' nearest documents, without labels.

Are the ten nearest documents more alike than each of them is like the query? Then they are one crowd, out of which
geometry cannot tell what is needed, and the ranking should stay that of Dense. The less alike they are, the more
they show different sides of the query, and the more decoding them jointly pays. With x the mean cosine between two
of them, near-duplicates aside, over the mean cosine between one of them and the query,

    l1 = 0.3 max_i u_i.v
    l2 = 0.75 / (1.2 - x)     for one query (`strengths`)
    l2 = 1 / (1 - y)          for queries of a kind (`suited`), y the median of their x, from the mean document

and the dense limit where that would be negative. So for documents of length 1; l2 grows with the square of their
length, so that their scale does not matter. docs/default.md tells what else was tried, and how it did.
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
SHARE, SCALE, CROWD = 0.3, 0.75, 1.2
# Where the ranking is that of Dense, and weights can still be told from 0.
DENSE = 1500.0
TINY = float(np.finfo(np.float32).tiny)


def strengths(queries: Floats, index: Index) -> tuple[Array, Array]:
    """Return (l1, l2) for each query."""
    scores, ids = index.search(queries, within(index, NEAREST))
    best = np.maximum(np.asarray(scores, np.float64)[:, 0], 0.0)
    origin = np.zeros(index.dim)
    l2 = np.empty(len(queries))
    for q, (query, row) in enumerate(zip(queries, ids, strict=True)):
        documents = _vectors(index, row)
        ridge = _ridge(crowding(query, documents, origin), SCALE, CROWD)
        l2[q] = ridge * _square(np.linalg.norm(documents, axis=1))
    return SHARE * best, l2


def suited(queries: Floats, index: MemoryIndex) -> tuple[float, float]:
    """Return one l2 for all queries like these, and the y that it comes from."""
    _, ids = index.search(queries, within(index, NEAREST))
    origin = index.mean.astype(np.float64) / max(float(index.norms.mean()), TINY)
    crowds = [crowding(query, _vectors(index, row), origin) for query, row in zip(queries, ids, strict=True)]
    typical = float(np.median(crowds))
    return _ridge(typical, 1.0, 1.0) * _square(index.norms[ids]), typical


def crowding(query: Floats, documents: Array, origin: Array) -> float:
    """Return how alike documents are, over how like the query they are, all taken as directions from `origin`."""
    rows = unit(documents)
    one, other = np.triu_indices(len(rows), 1)
    apart = np.einsum("id,id->i", rows[one], rows[other]) < DUPLICATE
    rows, target = unit(rows - origin), unit(unit(query.astype(np.float64)) - origin)
    near = float((rows @ target).mean()) if len(rows) else 0.0
    if near <= 0.0:
        return np.inf
    alike = np.einsum("id,id->i", rows[one], rows[other])[apart]
    return max(float(alike.mean()), 0.0) / near if len(alike) else 0.0


def unit(rows: Array) -> Array:
    """Return vectors at length 1."""
    scaled: Array = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), TINY)
    return scaled


def _ridge(crowd: float, scale: float, limit: float) -> float:
    """Return l2 for documents of length 1: the more they are one crowd, the larger."""
    return scale / max(limit - crowd, scale / DENSE)


def _square(lengths: NDArray[Any]) -> float:
    """Return the mean square of these lengths."""
    return float(np.mean(lengths.astype(np.float64) ** 2)) if lengths.size else 1.0


def _vectors(index: Index, ids: NDArray[Any]) -> Array:
    found = ids[present(ids)]
    return (index.rows[found] if isinstance(index, MemoryIndex) else index.vectors(found)).astype(np.float64)
