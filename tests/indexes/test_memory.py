"""MemoryIndex finds what brute force finds, also where floats are hardest to tell apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coverset import Dense, Index, MemoryIndex, Vectors
from coverset.indexes.memory.index import VIEWS
from coverset.indexes.oracle import Screened
from tests.conftest import clustered


def test_it_keeps_the_protocol() -> None:
    corpus, _ = clustered(10, 4, 1)
    index = MemoryIndex(corpus)
    assert isinstance(index, Index)
    assert (len(index), index.dim, index.exact) == (10, 4, True)
    for ids in ([3, 1], [4, 4], list(range(9, -1, -1)), []):
        np.testing.assert_array_equal(index.vectors(np.array(ids, np.int64)), corpus[ids])


def test_whoever_asks_with_ever_other_shares_does_not_fill_the_memory() -> None:
    corpus, _ = clustered(20, 4, 1)
    words = (np.arange(21), np.arange(20) % 7, np.ones(20), 7)
    index = MemoryIndex(Vectors(corpus, words))
    for share in np.linspace(0.01, 0.99, 40).tolist():
        view = index.sharing(share)
        first = Dense().decode(index.corpus.take(slice(0, 1)), view, k=1)
        assert first.ids.tolist() == [0]
        assert first.weights[0] == np.float32(1.0)  # of itself, both halves of length 1, whatever the share
        assert view is index.sharing(share)
    assert len(index._views) == VIEWS


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 50))
def test_search_is_brute_force_with_ties_by_the_lowest_id(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    # Small whole numbers: scores are exact in any precision, and many are equal.
    corpus, queries = rng.integers(-2, 3, (n, 4)), rng.integers(-2, 3, (3, 4))
    scores, ids = MemoryIndex(corpus).search(queries, k)
    assert scores.shape == ids.shape == (3, k)
    rows = [i for i in range(n) if corpus[i].any()]
    for q in range(3):
        order = sorted(rows, key=lambda i: (-(corpus[i] @ queries[q]), i))[:k]
        assert ids[q].tolist() == order + [-1] * (k - len(order))
        assert scores[q, : len(order)].tolist() == [float(corpus[i] @ queries[q]) for i in order]
        assert np.isneginf(scores[q, len(order) :]).all()


def test_the_best_are_found_across_many_blocks() -> None:
    corpus, queries = clustered(40_000, 16, 5, seed=1)
    _, ids = MemoryIndex(corpus).search(queries, 300)
    scores = queries.astype(float) @ corpus.astype(float).T
    for row, found in zip(scores, ids, strict=True):
        np.testing.assert_array_equal(found, np.argsort(-row.astype(np.float32), kind="stable")[:300])


def test_crowding_tells_clusters_from_random_directions() -> None:
    corpus, _ = clustered(5000, 64, 1)
    rng = np.random.default_rng(0)
    assert MemoryIndex(corpus).crowding > 0.4
    assert MemoryIndex(rng.standard_normal((5000, 384))).crowding < 0.3
    assert MemoryIndex(np.zeros((5, 3))).crowding == 0.0


def test_screened_answers_miss_no_row_above_the_floor_however_the_residual_moves() -> None:
    corpus, queries = clustered(70_000, 24, 4, seed=2)
    oracle = Screened(MemoryIndex(corpus), len(queries))
    while oracle.finer():
        assert oracle.stands_for < 16
    assert oracle.whole
    rng = np.random.default_rng(0)
    residuals, batch = queries.astype(float), np.arange(len(queries))
    for distance in (1.0, 0.3, 0.05, 0.01, 0.001, 0.0):
        moves = rng.standard_normal(residuals.shape)
        residuals = residuals + distance * moves / np.linalg.norm(moves, axis=1, keepdims=True)
        scores = residuals @ corpus.astype(float).T
        floors = np.sort(scores, axis=1)[:, -50]
        asked = oracle.above(batch, Vectors.of(residuals), floors, 1000)
        for row, found, floor in zip(scores, asked, floors, strict=True):
            assert set(np.flatnonzero(row > floor)) <= set(found.tolist())
            assert (row[found] > floor - 1e-3).all()
