"""The exact solver: column generation around a compiled solve in the small space.

The optimum is known as soon as no document outside the support has u.r > l1, for r = v - Uw. So: search the
corpus with v for a pool of candidates, solve on the pool, search with r for documents above l1, add them,
and repeat until there are none. That last search is the certificate. The work between two searches depends
on the pool, not on the corpus.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np

from coverset.arrays import Array, Ids
from coverset.solvers.parallel import each
from coverset.solvers.pool import Documents, Pool, Room
from coverset.solvers.solution import Solution
from coverset.vectors import Vectors


def solve_pools(
    documents: Documents,
    targets: Vectors,
    l1: Array,
    l2: Array,
    k: int,
    barred: Sequence[Collection[Hashable]] | None = None,
) -> list[Solution]:
    """Solve over a corpus of any size by column generation, for a batch of queries: a solution for each.

    The strengths are (B,), per query. `k` is how many documents the caller will rank: the best k + 1 are found
    even where they have no weight. `barred` lists the documents that each query must do without.
    """
    without: Sequence[Collection[Hashable]] = barred or [()] * len(targets)
    problems = zip(l1.tolist(), l2.tolist(), without, strict=True)
    room = Room(targets.dim + targets.width)
    pools = [
        Pool(documents, targets.one(q), sparse, ridge, k, gone, room)
        for q, (sparse, ridge, gone) in enumerate(problems)
    ]
    while True:
        live, searches = np.arange(len(pools)), 0
        while len(live) and searches < documents.rounds:
            searches += 1
            _advance(documents, pools, live)
            live = live[[pools[q].growing and not pools[q].close for q in live]]
        stood_for = documents.stands_for
        if not documents.finer():
            break
        for pool in pools:
            pool.thinned = stood_for
    return [pool.solution() for pool in pools]


def _advance(documents: Documents, pools: list[Pool], live: Ids) -> None:
    """Put the question to the corpus, once for all live pools, and solve for what it brings to each."""
    residuals = Vectors.join([pools[q].asked for q in live])
    floors = np.array([pools[q].floor for q in live])
    most = max(pools[q].asks for q in live)
    found = documents.above(live, residuals, floors, most)

    def advance(n: int) -> None:
        pool = pools[live[n]]
        pool.extend(found[n])
        if pool.growing:
            pool.solve()

    each(advance, range(len(live)))
