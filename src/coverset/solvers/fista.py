"""The paper's solver, equation (4): FISTA for the non-negative elastic net, a fixed number of iterations."""

from __future__ import annotations

import math

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.solvers.solution import Solution

# Rows converted to double precision at a time.
BLOCK = 8192


def lipschitz(corpus: Floats) -> float:
    """Return ||U'U||_2, the largest eigenvalue of the Gram matrix, from whichever of the two Grams is smaller."""
    n, d = corpus.shape
    if n <= d:
        wide = corpus.astype(np.float64)
        gram = wide @ wide.T
    else:
        gram = np.zeros((d, d))
        for start in range(0, n, 16384):
            block = corpus[start : start + 16384]
            gram += block.T @ block
    return float(np.linalg.eigvalsh(gram)[-1])


def fista(
    corpus: Floats,
    queries: Floats,
    l1: Array | float,
    l2: Array | float,
    iterations: int,
    norm: float | None = None,
) -> Floats:
    """Return w^(T), (B, N), for a batch of queries; the strengths are numbers, or (B,) arrays.

    With L = ||U'U||_2 + l2 (`norm` hands in ||U'U||_2 if it is known), tau^(0) = 1, w^(0) = z^(0) = 0:

        w^(t+1) = [(1 - l2/L) z^(t) + 1/L U'(v - U z^(t)) - l1/L]_+
        z^(t+1) = w^(t+1) + beta^(t) (w^(t+1) - w^(t)),    beta^(t) = (tau^(t) - 1) / tau^(t+1)
        tau^(t+1) = (1 + sqrt(1 + 4 tau^(t)^2)) / 2

    Work arrays hold one column per query, so that both products with the corpus read its rows in order.
    """
    curvature = (lipschitz(corpus) if norm is None else norm) + np.asarray(l2)
    # Documents of length zero and no l2: nothing slopes, and any step leaves every weight at zero.
    step = 1.0 / np.where(curvature > np.finfo(np.float32).tiny, curvature, 1.0)
    with np.errstate(over="ignore"):  # a threshold beyond float32 leaves every weight at zero, as it should
        step, shrink, threshold = (np.float32(x) for x in (step, 1.0 - l2 * step, l1 * step))
    v = np.ascontiguousarray(queries.T)
    w: Floats = np.zeros((len(corpus), len(queries)), np.float32)
    z, tau = w.copy(), 1.0
    for _ in range(iterations):
        new = corpus @ (v - corpus.T @ z)
        new *= step
        z *= shrink
        new += z
        new -= threshold
        np.maximum(new, 0.0, out=new)
        tau, last = (1.0 + math.sqrt(1.0 + 4.0 * tau * tau)) / 2.0, tau
        np.subtract(new, w, out=w)
        w *= np.float32((last - 1.0) / tau)
        w += new
        z, w = w, new
    return np.ascontiguousarray(w.T)


def solve_fista(
    ids: Ids,
    corpus: Floats,
    norm: float,
    queries: Floats,
    l1: Array,
    l2: Array,
    iterations: int,
) -> Solution:
    """Run FISTA over a whole corpus, and make one more pass to tell how far it got."""
    # Imported here: numba, which compiles it, is only needed once something is solved.
    from coverset.solvers.measure import measure

    weights = fista(corpus, queries, l1, l2, iterations, norm).astype(np.float64)
    targets, scores = queries.astype(np.float64), np.empty(weights.shape)
    # In double precision, a block at a time: a gap is worth no more than what it is computed from.
    residuals = targets.copy()
    for start in range(0, len(corpus), BLOCK):
        residuals -= weights[:, start : start + BLOCK] @ corpus[start : start + BLOCK].astype(np.float64)
    for start in range(0, len(corpus), BLOCK):
        scores[:, start : start + BLOCK] = residuals @ corpus[start : start + BLOCK].astype(np.float64).T
    gaps, violations = np.empty(len(queries)), np.empty(len(queries))
    for q in range(len(queries)):
        gaps[q], violations[q] = measure(targets[q], residuals[q], scores[q], weights[q], l1[q], l2[q])
    longest = float(np.sqrt(np.einsum("ij,ij->i", corpus, corpus).max()))
    return Solution(ids, targets, weights, scores, gaps, violations, longest, l1, l2, passes=2 * iterations + 1)
