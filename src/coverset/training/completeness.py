"""The paper's training loss, equation (5), on the weights of a batch of queries."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

GAMMA, TAU = 1.5, 0.1


class Weights(NamedTuple):
    """The weights that the loss looks at.

    Attributes
    ----------
    values
        (B, n) weights of n documents of the corpus, every relevant one among them.
    relevant
        (B, n) which of them belong to the query's relevant set S.
    rest
        How many more documents the corpus has: their weight is 0, and they are relevant to no query.
    """

    values: Tensor
    relevant: Tensor
    rest: int = 0


def completeness(weights: Weights, gamma: float = GAMMA, tau: float = TAU) -> Tensor:
    """Return the mean over the batch of equation (5):

        [ gamma tau log sum_{j not in S} exp(w_j / tau)  +  tau log sum_{i in S} exp(-w_i / tau) ]_+

    It is 0 once every relevant document's weight is above gamma times every other's, softly.
    """  # noqa: D400
    values, relevant, rest = weights
    others = torch.logsumexp((values / tau).masked_fill(relevant, -math.inf), dim=1)
    if rest:
        others = torch.logaddexp(others, others.new_full((), math.log(rest)))
    missing = torch.logsumexp((-values / tau).masked_fill(~relevant, -math.inf), dim=1)
    return torch.relu(gamma * tau * others + tau * missing).mean()


def relevance(relevant: list[Tensor], n: int) -> Tensor:
    """Return, from each query's relevant documents, a (B, n) mask."""
    mask = torch.zeros(len(relevant), n, dtype=torch.bool)
    for row, rows in enumerate(relevant):
        mask[row, rows] = True
    return mask
