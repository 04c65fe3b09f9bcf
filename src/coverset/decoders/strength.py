"""How strongly to decode when nobody has said: chosen per query, from its nearest documents alone.

Are the ten nearest documents more alike than each of them is like the query? Then they are one crowd, out of which
geometry cannot tell what is needed, and the ranking should stay that of Dense. The less alike they are, the more
they show different sides of the query, and the more decoding them jointly pays. With x the mean cosine between two
of them, near-duplicates aside, over the mean cosine between one of them and the query,

    l1 = 0.3 max_i u_i.v
    l2 = 0.75 / (1.2 - x),    the dense limit from x = 1.2 on

for documents of length 1; l2 grows with the square of their length, so that their scale does not matter.
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
SHARE, SCALE, CROWD = 0.3, 0.75, 1.2
# Where the ranking is that of Dense, and weights can still be told from 0.
DENSE = 1500.0


def strengths(queries: Floats, index: Index) -> tuple[Array, Array]:
    """Return (l1, l2) for each query."""
    scores, ids = index.search(queries, within(index, NEAREST))
    best = np.maximum(np.asarray(scores, np.float64)[:, 0], 0.0)
    l2 = np.array([_ridge(query, _vectors(index, row)) for query, row in zip(queries, ids, strict=True)])
    return SHARE * best, l2


def _vectors(index: Index, ids: NDArray[Any]) -> Array:
    found = ids[present(ids)]
    return (index.rows[found] if isinstance(index, MemoryIndex) else index.vectors(found)).astype(np.float64)


def _ridge(query: Floats, documents: Array) -> float:
    """Return l2 for a query and its nearest documents."""
    if len(documents) == 0:
        return DENSE
    lengths = np.maximum(np.linalg.norm(documents, axis=1), np.finfo(np.float32).tiny)
    unit = documents / lengths[:, None]
    near = float((unit @ query).mean()) / max(float(np.linalg.norm(query)), np.finfo(np.float32).tiny)
    pairs = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
    pairs = pairs[pairs < DUPLICATE]
    alike = max(float(pairs.mean()), 0.0) if len(pairs) else 0.0
    crowd = alike / near if near > 0.0 else np.inf
    return float(np.mean(lengths**2)) * SCALE / max(CROWD - crowd, SCALE / DENSE)
