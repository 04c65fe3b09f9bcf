"""Whether another setting than the default helps on some data, by how much and how surely, in plain words.

Beside it, two cosines. Joint decoding helps where the documents that belong together are less alike than a
query's nearest neighbours are: then the neighbours repeat each other, and leaving repeats out makes room.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.decoders import Dense
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.metrics import redundancy
from coverset.evaluation.tuning import LEVEL, Choice
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


def advice(choice: Choice, alike: Likeness, queries: int) -> str:
    """Say what tuning brings over the default, how surely, what follows from it, and how alike documents are."""
    asked = "1 query" if queries == 1 else f"{queries} queries"
    gain, low, high = (100 * value for value in (choice.gain.mean, choice.gain.low, choice.gain.high))
    verdict = (
        f"{gain:+.1f} points over the default in the mean of Recall@5 and Comp@5, {100 * LEVEL:.0f}% interval "
        f"{low:+.1f} to {high:+.1f}, on {asked}, each judged by the choice that the others make."
    )
    if choice.trial is choice.default:
        verdict = f"No setting is surely better than the default. Choosing one brings {verdict}"
    if not np.isfinite(alike.relevant):
        return f"{verdict} No query has more than one relevant document, so there is no set to cover."
    relation = "less" if alike.relevant < alike.neighbours else "more"
    return (
        f"{verdict} Documents that belong together are {relation} alike (mean cosine {alike.relevant:.2f}) "
        f"than a query's ten nearest neighbours are ({alike.neighbours:.2f})."
    )
