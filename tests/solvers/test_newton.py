"""The residual's side: large supports are solved as exactly as small ones, at every scale, and with words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.sparse import random as random_sparse

from coverset import NNN, MemoryIndex
from coverset.arrays import Array
from coverset.solvers.measure import measure
from coverset.solvers.newton import ENOUGH, newton
from coverset.sparse import Words
from coverset.vectors import Vectors
from tests.conftest import clustered, kkt_violation


def by_nnls(rows: Array, query: Array, l1: float, l2: float) -> Array:
    """scipy's answer: with LL' = UU' + l2 I, the objective is 1/2 ||L'w - L^-1(Uv - l1)||^2 and a constant."""
    factor = np.linalg.cholesky(rows @ rows.T + l2 * np.eye(len(rows)))
    weights, _ = nnls(factor.T, np.linalg.solve(factor, rows @ query - l1), maxiter=10_000)
    return np.asarray(weights)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Vectors, Array, float, float]:
    """Rows with meaning, words or both, of lengths from 1e-6 to 1e6, a query, and strengths to match."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, long, far = draw(st.integers(1, 80)), 10.0 ** draw(st.integers(-6, 6)), 10.0 ** draw(st.integers(-6, 6))
    half = draw(st.sampled_from(["meaning", "words", "both"]))
    meaning = (long * (rng.standard_normal((n, 12)) + 0.5)).astype(np.float32)
    if half == "words":
        meaning = np.empty((n, 0), np.float32)
    sparse = random_sparse(n, 30, 0.2, format="csr", random_state=rng, dtype=np.float32)
    words = Words(sparse.indptr.astype(np.int64), sparse.indices.astype(np.int32), long * sparse.data, 30)
    rows = Vectors.of(meaning) if half == "meaning" else Vectors(meaning, words).sharing(0.5)
    query = far * rng.uniform(0.0, 1.0, rows.dim + rows.width)
    l1 = float(draw(st.sampled_from([0.0, 0.01, 0.3]))) * long * far
    return rows, query, l1, float(draw(st.sampled_from([0.01, 0.3, 10.0, 1000.0]))) * long**2


@given(problems())
@settings(max_examples=300)
def test_it_finds_what_scipys_nnls_finds(problem: Any) -> None:
    vectors, query, l1, l2 = problem
    members = np.arange(len(vectors))
    weights, residual, scores = newton(vectors.rows, members, query, l1, l2, query, ENOUGH)
    written = vectors.flat().astype(np.float64)
    expected = by_nnls(written, query, l1, l2)
    # It ends with the residual within ENOUGH of the optimum's, or some dozen times that where phi no longer tells,
    # and w = (u.r - l1) / l2: all that a tiny weight is.
    off = 100 * ENOUGH * float(np.linalg.norm(query) * vectors.norms.max()) / l2
    np.testing.assert_allclose(weights, expected, atol=max(1e-6 * np.abs(expected).max(initial=0.0), off))
    np.testing.assert_allclose(residual, query - weights @ written, atol=1e-6 * np.linalg.norm(query))
    gap, violation = measure(query, residual, scores, weights, l1, l2)
    length = np.linalg.norm(query)
    assert gap <= 1e-9 * length**2
    assert violation <= 1e-7 * length * max(vectors.norms.max(), 1e-30)


@pytest.mark.parametrize("start", ["query", "nothing", "away"])
def test_it_does_not_matter_where_it_starts(start: str) -> None:
    corpus, queries = clustered(3000, 32, 1, seed=3)
    query, rows = queries[0].astype(float), Vectors.of(corpus).rows
    begun = {"query": query, "nothing": np.zeros(32), "away": -100.0 * query}[start]
    weights, _, _ = newton(rows, np.arange(3000), query, 0.05, 20.0, begun, ENOUGH)
    assert (weights > 0).sum() > 500
    assert kkt_violation(corpus.astype(float), query, weights, 0.05, 20.0) < 1e-8


@pytest.mark.parametrize(("l1", "l2"), [(0.05, 5.0), (0.0, 50.0), (0.1, 0.5), (0.01, 0.02)])
def test_a_sampled_corpus_with_large_supports_is_solved_exactly(l1: float, l2: float) -> None:
    corpus, queries = clustered(70_000, 24, 3, seed=8)
    sizes = []
    for selection, query in zip(
        NNN(l1=l1, l2=l2).decode_batch(queries, MemoryIndex(corpus), k=None), queries, strict=True
    ):
        weights = np.zeros(len(corpus))
        weights[selection.ids] = selection.weights
        assert selection.certified
        assert kkt_violation(corpus.astype(float), query.astype(float), weights, l1, l2) < 1e-6
        sizes.append(len(selection))
    assert l2 < 1.0 or max(sizes) > 256
