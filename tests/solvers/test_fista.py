"""FISTA is the paper's equation (4) to the letter."""

from __future__ import annotations

import numpy as np
import pytest

from coverset import NNN, MemoryIndex
from coverset.arrays import Floats
from coverset.solvers.fista import fista, lipschitz
from tests.conftest import clustered


def transcription(corpus: Floats, v: Floats, l1: float, l2: float, iterations: int) -> list:
    """Equation (4), one query, columns as documents, double precision; returns every iterate."""
    U = corpus.astype(float).T
    L = np.linalg.norm(U.T @ U, 2) + l2
    w = z = np.zeros(U.shape[1])
    tau, iterates = 1.0, []
    for _ in range(iterations):
        w_next = np.maximum((1 - l2 / L) * z + (1 / L) * U.T @ (v - U @ z) - l1 / L, 0)
        tau_next = (1 + np.sqrt(1 + 4 * tau**2)) / 2
        z = w_next + (tau - 1) / tau_next * (w_next - w)
        w, tau = w_next, tau_next
        iterates.append(w)
    return iterates


@pytest.mark.parametrize(("n", "d"), [(30, 50), (300, 16)])
@pytest.mark.parametrize(("l1", "l2"), [(0.1, 0.1), (0.01, 1.0), (0.1, 0.0), (0.0, 0.1)])
def test_iterates_equal_a_plain_transcription(n: int, d: int, l1: float, l2: float) -> None:
    corpus, queries = clustered(n, d, 4, seed=7)
    for q, query in enumerate(queries):
        iterates = transcription(corpus, query, l1, l2, 50)
        for t in (1, 2, 10, 50):
            ours = fista(corpus, queries, l1, l2, t)[q]
            np.testing.assert_allclose(ours, iterates[t - 1], atol=1e-5)


def test_it_converges_to_the_exact_answer() -> None:
    corpus, queries = clustered(300, 32, 5, seed=8)
    late = NNN(l1=0.1, l2=0.2, solver="fista", iterations=5000).decode_batch(queries, corpus, k=None)
    exact = NNN(l1=0.1, l2=0.2).decode_batch(queries, corpus, k=None)
    for ours, truth in zip(late, exact, strict=True):
        assert ours.gap < 1e-6
        weights = dict(zip(ours.ids.tolist(), ours.weights.tolist(), strict=True))
        for i, w in zip(truth.ids.tolist(), truth.weights.tolist(), strict=True):
            assert weights.get(i, 0.0) == pytest.approx(w, abs=1e-4)


@pytest.mark.parametrize(("n", "d"), [(20, 64), (500, 12)])
def test_lipschitz_constant_is_the_spectral_norm(n: int, d: int) -> None:
    corpus, _ = clustered(n, d, 1)
    expected = np.linalg.norm(corpus.astype(float) @ corpus.astype(float).T, 2)
    assert lipschitz(corpus) == pytest.approx(expected, rel=1e-5)
    assert MemoryIndex(corpus).lipschitz == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("l1", "l2"), [(0.1, 0.0), (0.0, 0.1), (0.1, 0.1)])
@pytest.mark.parametrize("length", [0.0, 1e-30])
def test_documents_without_length_have_no_weight_and_raise_no_warning(l1: float, l2: float, length: float) -> None:
    corpus, queries = np.full((5, 3), length, np.float32), np.ones((2, 3), np.float32)
    np.testing.assert_allclose(fista(corpus, queries, l1, l2, 20), 0.0, atol=1e-25)
    for selection in NNN(l1=l1, l2=l2, solver="fista").decode_batch(queries, corpus, k=2):
        np.testing.assert_allclose(selection.weights, 0.0, atol=1e-25)
