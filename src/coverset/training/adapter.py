"""The paper's adapter: a small network over finished embeddings."""

from __future__ import annotations

import torch
from torch import Tensor, nn

HIDDEN = 768


class Adapter(nn.Module):
    """Map unit vectors to unit vectors: (1 - sigmoid(a)) x + sigmoid(a) MLP(x), scaled to length 1.

    Two layers with GELU. `mix` is a at the start: the paper's -5 begins close to no change at all. `dropout`
    is the share of hidden units left out at random in training; the paper has none.
    """

    def __init__(self, dim: int, hidden: int = HIDDEN, mix: float = -5.0, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.first, self.second = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.mix = nn.Parameter(torch.tensor(mix))

    def forward(self, vectors: Tensor) -> Tensor:
        """Adapt (n, dim) vectors."""
        changed = self.second(self.dropout(nn.functional.gelu(self.first(vectors))))
        share = torch.sigmoid(self.mix)
        return nn.functional.normalize((1.0 - share) * vectors + share * changed, dim=-1)
