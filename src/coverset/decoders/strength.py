"""How strongly to decode when nobody has said: chosen from the queries' nearest documents, without labels.

Are the nearest documents more alike than each of them is like the query? Then they are one crowd, out of which
geometry cannot tell what is needed, and the ranking should stay that of Dense. The less alike they are, the more
they show different sides of the query, and the more decoding them jointly pays. With p the mean cosine between two
of them, near-duplicates aside, and n that between one of them and the query,

    l1 = 0.3 max_i u_i.v
    l2 = 1 / (1 - 10 z),  z = (p - n) / (1 - n)   by words and meaning, over the twenty nearest, cosines of meaning
    l2 = 0.75 / (1.2 - p / n)                     by one of them alone, over the ten nearest (`strengths`)
    l2 = 1 / (1 - y)                              for queries of a kind (`suited`), y the median of their p / n,
                                                  from the mean document

and the dense limit where that would be negative. So for documents of length 1; l2 grows with the square of their
length, so that their scale does not matter. docs/default.md tells what else was tried, and how it did.
"""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Floats, Mask
from coverset.decoders.kinds import Kinds
from coverset.decoders.nearest import Nearest
from coverset.indexes import MemoryIndex
from coverset.vectors import Vectors

# How many nearest documents are looked at: by one half alone, by both; so many times more where versions abound.
NEAREST, BOTH, VERSIONS = 10, 20, 8
# Pairs more alike than this say that the corpus has duplicates, and nothing of the query.
DUPLICATE = 0.95
SHARE, SCALE, CROWD = 0.3, 0.75, 1.2
# Two documents at a cosine of n to the query are at one of 2 n^2 - 1 at least, so z is below this only where all
# pairs were put aside as duplicates.
LEAST = -3.0
# Where the ranking is that of Dense, and weights can still be told from 0.
DENSE = 1500.0
TINY = float(np.finfo(np.float32).tiny)
# How many queries' nearest documents are looked at together.
BATCH = 256


def strengths(near: Nearest, kinds: Kinds | None = None) -> tuple[Array, Array]:
    """Return (l1, l2) for each query, from its nearest documents; where many are alike, from its nearest kinds."""
    both = bool(near.targets.width and near.targets.dim)
    few = (
        near.of_a_kind(BOTH, kinds)
        if both and kinds is not None and kinds.common
        else near.few(depth(near.targets))
    )
    documents, lengths = few.written()
    best = np.maximum(few.scores[:, :1].astype(np.float64).max(axis=1, initial=0.0), 0.0)
    square = (lengths.astype(np.float64) ** 2).sum(axis=1) / np.maximum(few.found.sum(axis=1), 1)
    alike, like = likeness(_written(near.targets), documents, few.found)
    if both:
        z = np.maximum((alike - like) / np.maximum(1.0 - like, TINY), LEAST)
        ridge = _ridge(np.where(like > 0.0, z, np.inf), 0.1, 0.1)
    else:
        ridge = _ridge(_ratio(alike, like), SCALE, CROWD)
    return SHARE * best, np.maximum(square, TINY) * ridge


def depth(targets: Vectors, kinds: Kinds | None = None) -> int:
    """Return how many nearest documents the strengths for such targets are chosen from."""
    if not (targets.width and targets.dim):
        return NEAREST
    return VERSIONS * BOTH if kinds is not None and kinds.common else BOTH


def suited(queries: Vectors, index: MemoryIndex) -> tuple[float, float]:
    """Return one l2 for all queries like these, to three digits, and the y that it comes from."""
    crowds, squares = [], []
    origin = index.mean.astype(np.float64) / max(float(index.norms.mean()), TINY) if index.dim else None
    for start in range(0, len(queries), BATCH):
        some = queries.take(slice(start, start + BATCH))
        near = Nearest(index, some, NEAREST)
        documents, lengths = near.written()
        crowds.append(crowding(_written(some), documents, near.found, origin))
        squares.append(lengths[near.found].astype(np.float64) ** 2)
    typical = float(np.median(np.concatenate(crowds)))
    lengths = np.concatenate(squares)
    square = max(float(lengths.sum()) / max(len(lengths), 1), TINY)
    return float(f"{square * float(_ridge(np.array(typical), 1.0, 1.0)):.3g}"), typical


def _written(queries: Vectors) -> Floats | Array:
    """Return the queries' meaning, or their words where that is all there is, as `Nearest.written` does."""
    return queries.meaning if queries.dim else queries.flat()


def crowding(queries: Floats | Array, documents: Array, found: Mask, origin: Array | None = None) -> Array:
    """Return, for each query, how alike its documents are, over how like the query they are."""
    return _ratio(*likeness(queries, documents, found, origin))


def likeness(
    queries: Floats | Array, documents: Array, found: Mask, origin: Array | None = None
) -> tuple[Array, Array]:
    """Return, for each query, the mean cosine between two of its documents, and between one and the query.

    Documents are (B, m, d), of which those count that were `found` (B, m). With an origin, all are taken as
    directions from there.
    """
    rows, targets = _unit(documents), _unit(queries.astype(np.float64))
    cosines = rows @ rows.transpose(0, 2, 1)
    pairs = np.triu(found[:, :, None] & found[:, None, :] & (cosines < DUPLICATE), 1)
    if origin is not None:
        rows, targets = _unit(rows - origin), _unit(targets - origin)
        cosines = rows @ rows.transpose(0, 2, 1)
    return np.maximum(_mean(cosines, pairs), 0.0), _mean(np.einsum("qid,qd->qi", rows, targets), found)


def _ratio(alike: Array, like: Array) -> Array:
    return np.where(like > 0.0, alike / np.maximum(like, TINY), np.inf)


def _ridge(crowd: Array, scale: float, limit: float) -> Array:
    """Return l2 for documents of length 1: the more they are one crowd, the larger."""
    return scale / np.maximum(limit - crowd, scale / DENSE)


def _unit(rows: Array) -> Array:
    lengths: Array = np.sqrt(np.einsum("...d,...d->...", rows, rows))
    scaled: Array = rows / np.maximum(lengths, TINY)[..., None]
    return scaled


def _mean(values: Array, which: Mask) -> Array:
    """Return each query's mean of the values that count, 0 where none do."""
    over = tuple(range(1, values.ndim))
    mean: Array = np.where(which, values, 0.0).sum(axis=over) / np.maximum(which.sum(axis=over), 1)
    return mean
