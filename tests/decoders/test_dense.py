"""Dense returns the nearest documents, ties by the lowest id."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coverset import Dense, MemoryIndex
from tests.conftest import clustered


def test_it_is_brute_force(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    scores = queries.astype(float) @ corpus.astype(float).T
    for selection, row in zip(Dense().decode_batch(queries, corpus, k=7), scores, strict=True):
        np.testing.assert_array_equal(selection.ids, np.argsort(-row)[:7])
        np.testing.assert_allclose(selection.weights, np.sort(row)[::-1][:7], atol=1e-6)
        assert selection.gap is None
        assert selection.certified is None
        assert selection.passes == 1


@pytest.mark.parametrize("copies", [2, 40])
def test_equal_documents_come_in_the_order_of_their_ids(copies: int) -> None:
    # 9,001 rows end in the middle of a block, where matrix products round differently.
    corpus, queries = clustered(9001, 33, 3)
    rng = np.random.default_rng(0)
    places = np.sort(rng.choice(9001, copies, replace=False))
    corpus[places] = queries[0]
    ids = Dense().decode(queries[0], corpus, k=copies).ids
    np.testing.assert_array_equal(ids, places)


def test_a_batch_answers_like_its_queries_one_by_one() -> None:
    corpus, queries = clustered(20_000, 24, 300, seed=4)
    index = MemoryIndex(corpus)
    batch = Dense().decode_batch(queries, index, k=20)
    for q in (0, 150, 299):
        alone = Dense().decode(queries[q], index, k=20)
        np.testing.assert_array_equal(alone.ids, batch[q].ids)
        np.testing.assert_array_equal(alone.weights, batch[q].weights)


def test_k_beyond_the_corpus_returns_the_corpus_and_never_zero_rows() -> None:
    corpus, queries = clustered(10, 8, 1)
    corpus[3] = 0.0
    ids = Dense().decode(queries[0], corpus, k=50).ids
    assert sorted(ids) == [0, 1, 2, 4, 5, 6, 7, 8, 9]


def test_an_empty_batch_has_no_answers() -> None:
    corpus, _ = clustered(10, 8, 1)
    assert Dense().decode_batch(np.empty((0, 8)), corpus) == []
