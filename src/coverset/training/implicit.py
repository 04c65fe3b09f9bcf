"""Our gradient: the optimum is differentiated, not the way to it.

With A the support of w* and M = U_A U_A' + l2 I, the optimum is

    w_A = M^-1 (U_A v - l1),    r = v - U_A' w_A,

and A does not change under a small change of U and v. So for a loss with gradients g_w and g_r one more solve,

    m = M^-1 (g_w - U_A g_r),

gives the exact gradients g_r + U_A' m of v, and m r' - w (g_r + U_A' m)' of U_A. The support comes from the
exact solver, over a corpus of any size; nothing is kept of how it was found, and only rows that matter (in a
support, or relevant) take part in the gradient.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from coverset.decoders import NNN
from coverset.plain import Foreign
from coverset.training.completeness import Weights, relevance

# With l2 = 0 rounding can make M singular.
RIDGE = 1e-9
# Queries solved for together: what the solver needs for each is kept until the last of them is done.
TOGETHER = 16
# How fast a relevant document's weight goes on below zero.
SLOPE = 1.0


def implicit(
    queries: Tensor,
    documents: Callable[[Tensor | None], Tensor],
    relevant: list[Tensor],
    l1: float,
    l2: float,
) -> Weights:
    """Return the weights at the optimum over a whole corpus, differentiable by queries and documents.

    `documents` returns the vectors of these rows of the corpus, or of all (None). All are asked for without a
    tape, to solve; with one, only those that are in a support, or relevant.
    """
    with torch.no_grad():
        corpus = documents(None)
        found, n = supports(queries, corpus, l1, l2), len(corpus)
        del corpus
    rows = torch.cat([*found, *relevant]).unique()
    found = [torch.searchsorted(rows, part).to(queries.device) for part in found]
    mask = relevance([torch.searchsorted(rows, part) for part in relevant], len(rows)).to(queries.device)
    return Weights(
        continued(queries, documents(rows.to(queries.device)), l1, l2, found, mask), mask, n - len(rows)
    )


def supports(queries: Tensor, corpus: Tensor, l1: float, l2: float) -> list[Tensor]:
    """Return the support of each query's optimum, proved by the exact solver; a few queries at a time."""
    decoder, documents = NNN(l1=l1, l2=l2), corpus.detach().cpu().numpy()
    parts = (
        decoder.decode_batch(part.detach().cpu().numpy(), documents, k=None) for part in queries.split(TOGETHER)
    )
    return [torch.from_numpy(selection.ids).sort().values for part in parts for selection in part]


def optimum(queries: Tensor, corpus: Tensor, l1: float, l2: float, found: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Return the weights w*, (B, N), and residuals r*, (B, d), differentiably, given each query's support."""
    weights, residuals = _Optimum.apply(queries, corpus, l1, l2, found)  # type: ignore[no-untyped-call]
    return weights, residuals


def continued(
    queries: Tensor,
    corpus: Tensor,
    l1: float,
    l2: float,
    found: list[Tensor],
    relevant: Tensor,
    slope: float = SLOPE,
) -> Tensor:
    """Return w*, (B, N), continued below zero for relevant documents outside the support.

    There the optimum is flat, and a loss on w* alone would never bring such a document in. Its value is
    `slope` times u.r* - l1, by which it misses the support. Other documents stay at 0: they are where they
    should be, and negative weights would turn the loss's margin, which is a factor, around.
    """
    weights, residuals = optimum(queries, corpus, l1, l2, found)
    return torch.where(relevant & (weights <= 0), slope * (residuals @ corpus.T - l1), weights)


class _Optimum(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Foreign, queries: Tensor, corpus: Tensor, l1: float, l2: float, found: list[Tensor]
    ) -> tuple[Tensor, Tensor]:
        small = [_Small(corpus[rows], l2) for rows in found]
        weights = queries.new_zeros(len(queries), len(corpus))
        for row, rows, problem in zip(range(len(queries)), found, small, strict=True):
            weights[row, rows] = problem.solve(corpus[rows] @ queries[row] - l1)
        residuals = queries - weights @ corpus
        ctx.save_for_backward(corpus, weights, residuals)
        ctx.found, ctx.small = found, small
        return weights, residuals

    @staticmethod
    def backward(ctx: Foreign, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        corpus, weights, residuals = ctx.saved_tensors
        by_weight, by_residual = gradients
        pull = by_weight - by_residual @ corpus.T
        multipliers = torch.zeros_like(weights)
        for row, rows, problem in zip(range(len(weights)), ctx.found, ctx.small, strict=True):
            multipliers[row, rows] = problem.solve(pull[row, rows])
        by_query = by_residual + multipliers @ corpus
        by_corpus = (multipliers.T @ residuals).addmm_(weights.T, by_query, alpha=-1.0)
        return by_query, by_corpus, None, None, None


class _Small:
    """M = U_A U_A' + l2 I, factorised in double precision, on the smaller of its two sides."""

    def __init__(self, rows: Tensor, l2: float) -> None:
        wide, self.l2 = _wide(rows), max(l2, RIDGE)
        self.dual = len(rows) > rows.shape[1]
        self.rows = wide if self.dual else None
        gram = wide.T @ wide if self.dual else wide @ wide.T
        gram.diagonal().add_(self.l2)
        self.factor = torch.linalg.cholesky(gram)

    def solve(self, right: Tensor) -> Tensor:
        """Return M^-1 times a vector."""
        wide = _wide(right)[:, None]
        if self.rows is None:
            solved = torch.cholesky_solve(wide, self.factor)
        else:
            solved = (wide - self.rows @ torch.cholesky_solve(self.rows.T @ wide, self.factor)) / self.l2
        return solved[:, 0].to(right)


def _wide(tensor: Tensor) -> Tensor:
    """Return it in double precision, on the processor where the device has none."""
    return (tensor.cpu() if tensor.device.type == "mps" else tensor).double()
