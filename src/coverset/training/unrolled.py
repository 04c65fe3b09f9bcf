"""The paper's gradient: FISTA's iterations recorded one by one, and differentiated (Section 3.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

ITERATIONS = 50


def lipschitz(corpus: Tensor) -> float:
    """Return ||U'U||_2 from whichever of the two Gram matrices is smaller."""
    with torch.no_grad():
        n, d = corpus.shape
        gram = corpus @ corpus.T if n <= d else corpus.T @ corpus
        return float(torch.linalg.eigvalsh(gram)[-1])


def unrolled(
    queries: Tensor, corpus: Tensor, l1: float, l2: float, iterations: int = ITERATIONS, norm: float | None = None
) -> Tensor:
    """Return w^(T), (B, N), by equation (4), with every iteration on the tape.

    The step's constant L = ||U'U||_2 + l2 (`norm` hands in ||U'U||_2) is not differentiated. The tape keeps
    T copies of (B, N) arrays: `coverset.training.implicit` does without.
    """
    step = 1.0 / ((lipschitz(corpus) if norm is None else norm) + l2)
    w = z = queries.new_zeros(len(queries), len(corpus))
    tau = 1.0
    for _ in range(iterations):
        new = torch.relu((1.0 - l2 * step) * z + step * ((queries - z @ corpus) @ corpus.T) - l1 * step)
        tau, last = (1.0 + math.sqrt(1.0 + 4.0 * tau * tau)) / 2.0, tau
        z = new + (last - 1.0) / tau * (new - w)
        w = new
    return w
