"""Metrics are those of ir-measures; intervals and tests are right about data whose truth is known."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import R, nDCG
from scipy.stats import permutation_test

from coverset.evaluation.metrics import NDCG, Comp, Recall, confidence, paired, redundancy

rankings = st.lists(st.integers(0, 15), unique=True, min_size=1, max_size=12)


@given(rankings, st.sets(st.integers(0, 20), min_size=1, max_size=6), st.integers(1, 12))
def test_values_equal_those_of_ir_measures(ranking: list[int], relevant: set[int], k: int) -> None:
    qrels = [ir_measures.Qrel("q", str(d), 1) for d in relevant]
    run = [ir_measures.ScoredDoc("q", str(d), -float(place)) for place, d in enumerate(ranking)]
    theirs = ir_measures.calc_aggregate([R @ k, nDCG @ k], qrels, run)
    assert (Recall @ k)(ranking, relevant) == pytest.approx(theirs[R @ k])
    assert (NDCG @ k)(ranking, relevant) == pytest.approx(theirs[nDCG @ k])
    assert (Comp @ k)(ranking, relevant) == float(theirs[R @ k] == 1.0)


def test_metrics_are_named_values() -> None:
    assert str(Recall @ 5) == "recall@5"
    assert Comp @ 3 == Comp @ 3
    assert (Recall @ 5)([], {1}) == 0.0
    assert (NDCG @ 5)([], {1}) == 0.0
    with pytest.raises(ValueError, match="k must be a whole number >= 1"):
        Recall @ 0
    with pytest.raises(ValueError, match="relevant must not be empty"):
        (Recall @ 5)([1], [])


def test_redundancy_is_the_mean_cosine_between_pairs() -> None:
    rng = np.random.default_rng(0)
    rows: Any = rng.standard_normal((5, 8))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    pairs = [rows[i] @ rows[j] for i in range(5) for j in range(i)]
    assert redundancy(rows) == pytest.approx(np.mean(pairs))
    assert redundancy(rows[:1]) == 0.0


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        low, high = confidence(rng.random(60).tolist(), level=0.9, draws=1000)
        covered += low <= 0.5 <= high
    assert 165 <= covered <= 192


def test_the_paired_test_agrees_with_scipys_permutation_test() -> None:
    rng = np.random.default_rng(1)
    first = rng.random(40)
    for shift in (0.0, 0.03, 0.3):
        second = first + shift + 0.1 * rng.standard_normal(40)
        theirs = permutation_test(
            (first, second),
            lambda a, b, axis: (b - a).mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=20_000,
            rng=2,
        )
        ours = paired(first.tolist(), second.tolist())
        assert ours.mean == pytest.approx((second - first).mean())
        assert ours.low <= ours.mean <= ours.high
        assert ours.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_any_one_of_a_set_meets_the_need_once() -> None:
    wanted = {"a", frozenset({"b", "c"})}
    assert (Recall @ 3)(["b", "c", "x"], wanted) == 0.5
    assert (Comp @ 3)(["c", "x", "a"], wanted) == 1.0
    assert (Comp @ 2)(["b", "c", "a"], wanted) == 0.0
    # One document may meet two needs.
    assert (Comp @ 1)(["b"], {frozenset({"b", "c"}), frozenset({"b", "d"})}) == 1.0


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_intervals_of_few_queries_hold_the_truth_as_often_as_they_say(chance: float) -> None:
    rng, held, pairs = np.random.default_rng(0), 0, 0
    for _ in range(1000):
        first, second = (rng.random((2, 8)) < chance).astype(float)
        low, high = confidence(first.tolist())
        held += low <= chance <= high
        change = paired(first.tolist(), second.tolist(), draws=1000)
        pairs += change.low <= 0.0 <= change.high
    assert held >= 930
    assert pairs >= 930
    assert paired([1.0] * 8, [1.0] * 8).high > 0.05
