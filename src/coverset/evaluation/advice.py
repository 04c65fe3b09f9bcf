"""Whether another setting than the default helps on some data, by how much, how surely, and why, in plain words.

The why is in two cosines. Joint decoding helps where the documents that belong together are less alike than a
query's nearest neighbours are: then the neighbours repeat each other, and leaving repeats out makes room.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.decoders import Dense
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.metrics import Difference, redundancy
from coverset.indexes import MemoryIndex

NEIGHBOURS = 10


@dataclass(frozen=True)
class Likeness:
    """Mean cosine between a query's relevant documents, and within its ten nearest neighbours."""

    relevant: float
    neighbours: float


def likeness(index: MemoryIndex, labelled: Labelled) -> Likeness:
    """Return the two cosines, over the queries that have several relevant documents."""
    sets = [
        np.array([min(n) if isinstance(n, frozenset) else n for n in needs], np.int64)
        for needs in labelled.relevant
    ]
    several = [q for q, rows in enumerate(sets) if len(rows) > 1]
    if not several:
        return Likeness(float("nan"), float("nan"))
    rows = index.corpus.meaning if index.dim else index.written
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1), np.finfo(np.float32).tiny)[:, None]
    nearest = Dense().decode_batch(labelled.queries.wholes.take(np.array(several)), index, k=NEIGHBOURS)
    return Likeness(
        relevant=float(np.mean([redundancy(unit[sets[q]]) for q in several])),
        neighbours=float(np.mean([redundancy(unit[selection.ids]) for selection in nearest])),
    )


def advice(change: Difference | None, alike: Likeness, queries: int) -> str:
    """Say what tuning brings over the default, in Comp@5 as a share of queries, and why decoding jointly may help.

    The change is what each query gains under the choice that the others make; None: the default was kept.
    """
    asked = "1 query" if queries == 1 else f"{queries} queries"
    if change is None:
        verdict = f"The default stays: on {asked} no other setting is better by more than chance."
    else:
        gain, low, high = 100 * change.mean, 100 * change.low, 100 * change.high
        verdict = (
            f"{gain:+.1f} points of Comp@5 over the default, 95% interval {low:+.1f} to {high:+.1f}, on {asked}, "
            "each judged by the choice that the others make."
        )
    if not np.isfinite(alike.relevant):
        return f"{verdict} No query has more than one relevant document, so there is no set to cover."
    if alike.relevant < alike.neighbours:
        relation, reason = "less", "leaving out repeats makes room for what is missing"
    else:
        relation, reason = "more", "leaving out what is alike can leave out what is wanted"
    return (
        f"{verdict} Documents that belong together are {relation} alike (mean cosine {alike.relevant:.2f}) "
        f"than a query's ten nearest neighbours are ({alike.neighbours:.2f}), so {reason}."
    )
