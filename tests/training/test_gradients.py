"""The gradients through the decoder are right: against finite differences, and against each other."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from coverset.training.completeness import Weights, completeness
from coverset.training.implicit import continued, optimum, supports
from coverset.training.unrolled import lipschitz, unrolled
from tests.conftest import clustered

SETTINGS = [(0.1, 0.1), (0.03, 0.3), (0.3, 0.05), (0.1, 0.0), (0.0, 0.3)]


def problem(seed: int, n: int = 30, d: int = 30, queries: int = 3) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, corpus, both in double precision with a gradient, and two relevant documents for each query."""
    corpus, vectors = clustered(n, d, queries, seed)
    relevant = torch.zeros(queries, n, dtype=torch.bool)
    rng = np.random.default_rng(seed)
    for row in range(queries):
        relevant[row, rng.permutation(n)[:2]] = True
    v, u = (torch.from_numpy(array).double().requires_grad_() for array in (vectors, corpus))
    return v, u, relevant


def by_iterations(
    v: Tensor, u: Tensor, relevant: Tensor, l1: float, l2: float, slopes: list[float]
) -> list[Tensor]:
    """The loss by many FISTA iterations on the tape, relevant documents outside the support continued below 0."""
    weights = unrolled(v, u, l1, l2, iterations=2000 if l2 else 4000)
    scores = (v - weights @ u) @ u.T
    values = [torch.where(relevant & (weights <= 0), slope * (scores - l1), weights) for slope in slopes]
    return [completeness(Weights(part, relevant)) for part in values]


def agree(v: Tensor, u: Tensor, relevant: Tensor, l1: float, l2: float) -> int:
    """Hold the implicit gradient against the unrolled one; return how many relevant documents are left out."""
    found, slopes = supports(v, u, l1, l2), [0.0, 1.0]
    for slope, reference in zip(slopes, by_iterations(v, u, relevant, l1, l2, slopes), strict=True):
        loss = completeness(Weights(continued(v, u, l1, l2, found, relevant, slope), relevant))
        ours = torch.autograd.grad(loss, (v, u))
        theirs = torch.autograd.grad(reference, (v, u), retain_graph=True)
        for mine, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(mine, other, atol=1e-4, rtol=0)
    return sum(len(np.setdiff1d(relevant[q].nonzero(), found[q])) for q in range(len(v)))


@pytest.mark.parametrize(("l1", "l2"), SETTINGS)
def test_unrolled_agrees_with_finite_differences(l1: float, l2: float) -> None:
    v, u, relevant = problem(0, n=8, d=5, queries=2)
    norm = lipschitz(u)
    assert torch.autograd.gradcheck(
        lambda q, c: completeness(Weights(unrolled(q, c, l1, l2, 12, norm), relevant)), (v, u), eps=1e-6, atol=1e-6
    )


@pytest.mark.parametrize(("l1", "l2"), SETTINGS)
def test_implicit_agrees_with_finite_differences(l1: float, l2: float) -> None:
    v, u, _ = problem(1, n=8, d=5, queries=2)
    found = supports(v, u, l1, l2)
    assert torch.autograd.gradcheck(lambda q, c: optimum(q, c, l1, l2, found), (v, u), eps=1e-6, atol=1e-6)


@pytest.mark.parametrize(("l1", "l2"), SETTINGS)
def test_implicit_agrees_with_unrolled_at_many_iterations(l1: float, l2: float) -> None:
    n = 30 if l2 else 12  # without l2, FISTA needs documents that are less alike to get there
    left_out = sum(agree(*problem(seed, n), l1, l2) for seed in range(3))
    assert left_out > 0 or l1 == 0


def test_a_support_larger_than_the_width_takes_the_other_side() -> None:
    v, u, relevant = problem(3, n=60, d=5, queries=3)
    assert max(map(len, supports(v, u, 0.0, 0.5))) > 5
    agree(v, u, relevant, 0.0, 0.5)


def test_a_relevant_document_outside_the_support_is_drawn_in() -> None:
    v, u, relevant = problem(2)
    found = supports(v, u, 0.1, 0.1)
    missing = next(
        (q, d) for q in range(len(v)) for d in relevant[q].nonzero()[:, 0].tolist() if d not in found[q].tolist()
    )
    values = continued(v, u, 0.1, 0.1, found, relevant)
    (gradient,) = torch.autograd.grad(completeness(Weights(values, relevant)), u)
    residual = (v - optimum(v, u, 0.1, 0.1, found)[0] @ u)[missing[0]]
    assert (gradient[missing[1]] @ residual).item() < 0  # a step against the gradient raises u.r


def test_the_loss_is_the_papers_equation_written_out() -> None:
    weights = np.array([[0.5, 0.0, 0.2, 0.0], [0.0, 0.9, 0.0, 0.1]])
    relevant = np.array([[True, True, False, False], [False, True, False, False]])
    expected = []
    for row, mask in zip(weights, relevant, strict=True):
        softmax = 0.1 * np.log(np.exp(row[~mask] / 0.1).sum())
        softmin = 0.1 * np.log(np.exp(-row[mask] / 0.1).sum())
        expected.append(max(1.5 * softmax + softmin, 0.0))
    loss = completeness(Weights(torch.from_numpy(weights), torch.from_numpy(relevant)))
    assert float(loss) == pytest.approx(np.mean(expected))
    assert expected[1] == 0.0


def test_documents_left_out_of_the_batch_count_as_zeros() -> None:
    values, relevant = torch.tensor([[0.4, 0.3, 0.1]]), torch.tensor([[True, False, False]])
    padded = (
        torch.cat([values, torch.zeros(1, 97)], dim=1),
        torch.cat([relevant, torch.zeros(1, 97).bool()], dim=1),
    )
    torch.testing.assert_close(completeness(Weights(values, relevant, 97)), completeness(Weights(*padded)))
