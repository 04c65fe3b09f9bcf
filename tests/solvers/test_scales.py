"""What is certified or proved is right at every scale of the numbers, by exact rational arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from coverset import NNN
from tests.solvers.rational import optimum, ranking


@st.composite
def problems(draw: st.DrawFn) -> tuple[NDArray[np.float32], NDArray[np.float32], float, float, int]:
    """Small problems with ties and duplicates, vectors of 1e-6 to 1e6 in length, strengths to match or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    values = draw(st.sampled_from(["integers", "normal"]))
    corpus = rng.integers(-2, 3, (n, d)) if values == "integers" else rng.standard_normal((n, d))
    query = rng.integers(-2, 3, d) if values == "integers" else rng.standard_normal(d)
    if draw(st.booleans()) and n > 1:
        corpus[n - 1] = corpus[0]
    long, far = 10.0 ** draw(st.integers(-6, 6)), 10.0 ** draw(st.integers(-6, 10))
    lengths = long * 10.0 ** rng.uniform(-1, 1, (n, 1)) if draw(st.booleans()) else long
    l1 = draw(st.sampled_from([0.0, 0.01, 0.3, 1.0])) * long * far
    l2 = draw(st.sampled_from([0.0, 0.01, 0.3, 10.0])) * long**2
    if l1 == l2 == 0.0:
        l1 = 0.1 * long * far
    rows, target = (corpus * lengths).astype(np.float32), (query * far).astype(np.float32)
    return rows, target, l1, l2, draw(st.integers(1, 3))


@given(problems())
@settings(max_examples=400, deadline=None)
def test_certified_documents_are_those_of_the_exact_optimum(problem: Any) -> None:
    corpus, query, l1, l2, k = problem
    selection = NNN(l1=l1, l2=l2).decode(query, corpus, k=k)
    assert selection.certified
    truth = optimum(corpus, query, l1, l2)
    if truth is None:
        return
    weights, scores = truth
    blank = {i for i in range(len(corpus)) if not corpus[i].any()}
    best = [i for i in ranking(weights, scores) if i not in blank][:k]
    if selection.proved:
        assert set(selection.ids.tolist()) == set(best)
    largest = max([abs(w) for w in weights], default=0)
    unit = float(np.linalg.norm(query) * np.linalg.norm(corpus, axis=1).max(initial=0.0))
    for ours, theirs in zip(selection.ids.tolist(), best, strict=True):
        # Place by place as good, but for what rounding can hide.
        assert float(weights[ours] - weights[theirs]) >= -1e-6 * float(largest)
        if weights[theirs] == 0:
            assert float(scores[ours] - scores[theirs]) >= -1e-6 * unit


def test_documents_with_weight_come_first_where_scores_dwarf_weights() -> None:
    corpus = 1e4 * np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0.1, 0.1]])
    selection = NNN(l1=2e7, l2=0).decode(1e4 * np.array([0.5, 0.9]), corpus, k=2)
    np.testing.assert_array_equal(selection.ids, [2, 0])
    np.testing.assert_allclose(selection.weights, [0.7, 0.3], atol=1e-6)
    assert selection.certified


@pytest.mark.parametrize("scale", [1e-8, 1.0, 6e10])
def test_ties_are_never_proved_whatever_the_scale(scale: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        corpus = rng.standard_normal((6, 4)).astype(np.float32)
        corpus[3:] = corpus[rng.permutation(3)]
        query = (scale * rng.standard_normal(4)).astype(np.float32)
        best = NNN(l1=0.0, l2=0.5).decode(query, corpus, k=6)
        doubles = NNN(l1=0.0, l2=0.5).decode(query, corpus, k=1)
        assert len(best) == 6
        assert not doubles.proved


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_scaling_everything_changes_nothing(scale: float) -> None:
    rng = np.random.default_rng(1)
    corpus, queries = rng.standard_normal((200, 12)), rng.standard_normal((8, 12))
    plain = [NNN(l1=0.3, l2=0.2).decode(query, corpus, k=8) for query in queries]
    for query, before in zip(queries, plain, strict=True):
        after = NNN(l1=0.3 * scale**2, l2=0.2 * scale**2).decode(scale * query, scale * corpus, k=8)
        np.testing.assert_array_equal(after.ids, before.ids)
        assert (after.certified, after.proved) == (before.certified, before.proved)
