"""MMR is the paper's Algorithm 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pyversity import Strategy, diversify

from coverset import MMR, Dense
from tests.conftest import clustered


def algorithm_1(corpus: NDArray[Any], v: NDArray[Any], trade_off: float, k: int) -> list[int]:
    """Algorithm 1 of the paper, line by line."""
    picked: list[int] = []
    for step in range(k):
        scores = {}
        for i in range(len(corpus)):
            if i in picked:
                continue
            if step == 0:
                scores[i] = v @ corpus[i]
            else:
                redundancy = max(corpus[i] @ corpus[j] for j in picked)
                scores[i] = trade_off * (v @ corpus[i]) - (1 - trade_off) * redundancy
        picked.append(max(scores, key=scores.__getitem__))
    return picked


@pytest.mark.parametrize("relevance", [0.0, 0.3, 0.7, 0.95])
def test_it_is_algorithm_1(relevance: float) -> None:
    corpus, queries = clustered(150, 16, 4, seed=9)
    for query in queries:
        ids = MMR(relevance=relevance).decode(query, corpus, k=8).ids
        assert list(ids) == algorithm_1(corpus.astype(float), query.astype(float), relevance, 8)


def test_relevance_1_is_dense(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    for a, b in zip(
        MMR(relevance=1.0).decode_batch(queries, corpus), Dense().decode_batch(queries, corpus), strict=True
    ):
        np.testing.assert_array_equal(a.ids, b.ids)


def test_candidates_pick_among_the_nearest_as_pyversity_does(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    for query in queries:
        near = np.argsort(-(corpus.astype(float) @ query))[:60]
        theirs = diversify(
            embeddings=corpus[near], scores=corpus[near] @ query, k=6, strategy=Strategy.MMR, diversity=0.4
        )
        ours = MMR(relevance=0.6, candidates=60).decode(query, corpus, k=6)
        assert list(ours.ids) == list(near[theirs.indices])


def test_weights_are_the_marginal_scores() -> None:
    corpus, (query,) = clustered(30, 8, 1)
    selection = MMR(relevance=0.5).decode(query, corpus, k=2)
    first, second = corpus[selection.ids]
    expected = [0.5 * first @ query, 0.5 * second @ query - 0.5 * first @ second]
    np.testing.assert_allclose(selection.weights, expected, atol=1e-6)


def test_zero_rows_are_never_chosen() -> None:
    corpus, (query,) = clustered(6, 8, 1)
    corpus[2] = 0.0
    assert 2 not in MMR(relevance=0.0).decode(query, corpus, k=6).ids
