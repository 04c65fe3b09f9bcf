"""Certificates are true: the gap bounds the error, and what is proved about a top k holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coverset import NNN
from coverset.solvers import certificate
from coverset.solvers.measure import measure
from tests.conftest import clustered, kkt_violation, objective


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.05, 0.3]), st.sampled_from([0.0, 1e-3, 0.1, 10.0]))
def test_gap_bounds_the_distance_to_the_optimum_for_any_weights(seed: int, l1: float, l2: float) -> None:
    if l1 == l2 == 0:
        l1 = 0.01
    corpus, (query,) = clustered(30, 8, 1, seed)
    rows, v = corpus.astype(float), query.astype(float)
    weights = np.random.default_rng(seed).exponential(0.1, 30) * (np.random.default_rng(seed + 1).random(30) < 0.2)
    residual = v - weights @ rows
    gap, violation = measure(v, residual, rows @ residual, weights, l1, l2)
    best = NNN(l1=l1, l2=l2).decode(query, corpus, k=None)
    optimum = np.zeros(30)
    optimum[best.ids] = best.weights
    excess = objective(rows, v, weights, l1, l2) - objective(rows, v, optimum, l1, l2)
    assert gap >= excess - 1e-9
    assert violation == pytest.approx(kkt_violation(rows, v, weights, l1, l2), abs=1e-12)
    assert np.linalg.norm(residual - (v - optimum @ rows)) <= certificate.residual_error(gap, 1.0, 38) + 1e-6


def test_a_proved_top_k_is_the_top_k_even_before_convergence(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    proved = 0
    exact = NNN(l1=0.1, l2=5.0).decode_batch(queries, corpus, k=3)
    for iterations in (100, 300, 1000, 3000):
        early = NNN(l1=0.1, l2=5.0, solver="fista", iterations=iterations).decode_batch(queries, corpus, k=3)
        for ours, truth in zip(early, exact, strict=True):
            if ours.proved:
                proved += 1
                assert set(ours.ids) == set(truth.ids)
    assert proved > 0


def test_unconverged_weights_are_not_certified(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    for selection in NNN(l1=0.02, l2=0.05, solver="fista", iterations=3).decode_batch(queries, corpus):
        assert selection.certified is False
        assert selection.gap > 1e-3
        assert selection.proved is False
