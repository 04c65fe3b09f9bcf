"""Theorem 1 and Proposition 2 hold on random corpora."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coverset import NNN, Dense
from coverset.theory import (
    in_dense_success_set,
    l1_range,
    nnn_strengths,
    proposition_2_example,
    theorem_1_strengths,
)
from tests.conftest import unit


def random_problem(seed: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return unit(rng.standard_normal((n, d)) + 0.5 * rng.standard_normal(d)), unit(rng.standard_normal(d))


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(2, 20), st.integers(1, 6))
@settings(max_examples=200)
def test_theorem_1_nnn_recovers_what_dense_retrieval_recovers(seed: int, n: int, d: int, k: int) -> None:
    corpus, query = random_problem(seed, n, d)
    relevant = Dense().decode(query, corpus, k=min(k, n - 1)).ids
    assume(in_dense_success_set(corpus, relevant, query))
    scores = np.sort(corpus.astype(float) @ query)[::-1]
    assume(scores[len(relevant) - 1] - max(scores[len(relevant)], 0) > 1e-3)
    l1, l2 = theorem_1_strengths(corpus, relevant, query)
    assert set(NNN(l1=l1, l2=l2).decode(query, corpus, k=None).ids) == set(relevant)
    assert nnn_strengths(corpus, relevant, query) is not None


def test_proposition_2_nnn_recovers_what_dense_retrieval_cannot() -> None:
    corpus, query, relevant = proposition_2_example()
    assert not in_dense_success_set(corpus, relevant, query)
    assert set(Dense().decode(query, corpus, k=2).ids) == {0, 1}
    for l1 in (0.01, 0.1, 0.3):
        selection = NNN(l1=l1, l2=0.0).decode(query, corpus, k=None)
        assert list(selection.ids) == relevant
        np.testing.assert_allclose(selection.weights, [2 * np.sqrt(2) / 3 - l1, 1 / 3 - l1], atol=1e-6)
    assert l1_range(corpus, relevant, query, l2=0.0) == pytest.approx((0.0, 1 / 3))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.3, 1.0]), st.sampled_from([0.0, 0.1, 2.0]))
def test_l1_range_holds_the_l1_that_made_the_support_and_ends_where_it_changes(
    seed: int, l1: float, l2: float
) -> None:
    corpus, query = random_problem(seed, 20, 8)
    support = NNN(l1=l1, l2=l2).decode(query, corpus, k=None)
    assume(len(support) > 0 and (support.weights > 1e-4).all())
    found = l1_range(corpus, support.ids, query, l2)
    assert found is not None
    low, high = found
    assert low <= l1 <= high
    for inside in (low + 0.01 * (high - low), high - 0.01 * (high - low)):
        if high - low > 1e-3 and (inside > 0 or l2 > 0):
            assert set(NNN(l1=inside, l2=l2).decode(query, corpus, k=None).ids) == set(support.ids)
    for outside in (low - 1e-3, high + 1e-3):
        if outside > 0:
            assert set(NNN(l1=outside, l2=l2).decode(query, corpus, k=None).ids) != set(support.ids)


def test_bad_input_is_named() -> None:
    corpus, query, _ = proposition_2_example()
    with pytest.raises(ValueError, match="relevant must be a list"):
        in_dense_success_set(corpus, [], query)
    with pytest.raises(ValueError, match="row numbers from 0 to 2"):
        l1_range(corpus, [3], query, 0.1)
    with pytest.raises(ValueError, match="dense retrieval solves"):
        theorem_1_strengths(corpus, [1, 2], query)
