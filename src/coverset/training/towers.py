"""The two sides of a bi-encoder, as far as training sees them: texts prepared once, unit vectors differentiably.

`TextTower` is a network over tokens, trained whole. `VectorTower` is an adapter over finished embeddings, which
are computed once and cached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import torch
from torch import Tensor, nn

from coverset.arrays import Floats
from coverset.encoders.device import has_bfloat16
from coverset.encoders.encoder import Encoder
from coverset.plain import Foreign

# Tokens, padding included, that go through a network at a time: few enough that texts of like lengths meet.
TOKENS = 1024
# Width of an adapter's hidden layer.
HIDDEN = 768


class TextTower(nn.Module):
    """The modules of a sentence-transformers model: a transformer, then pooling and what else follows.

    It is trained in bfloat16 where its device computes in that; vectors are measured in float32, as they are kept.
    """

    def __init__(self, modules: nn.Sequential, prompt: str = "") -> None:
        super().__init__()
        self.layers, self.prompt = modules, prompt
        self.halved: bool | None = None  # whether to train in bfloat16; None: if the device computes in it

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return next(self.parameters()).device

    def prepare(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the texts' tokens, cut where the network cuts them."""
        transformer: Any = self.layers[0]
        encoded = transformer.tokenizer(
            [self.prompt + text for text in texts], truncation=True, max_length=transformer.max_seq_length
        )
        tokens: list[list[int]] = encoded["input_ids"]
        return tokens

    def forward(self, prepared: list[list[int]], rows: Foreign = None) -> Tensor:
        """Return the unit vectors of prepared texts (of these rows of them); a text asked for twice runs once."""
        asked = torch.arange(len(prepared)) if rows is None else torch.as_tensor(rows)
        once, back = asked.unique(return_inverse=True)
        tokens = [prepared[row] for row in once.tolist()]
        order = sorted(range(len(tokens)), key=lambda row: len(tokens[row]))
        parts = [self._embed([tokens[row] for row in batch]) for batch in _batches(order, tokens)]
        place = torch.empty(len(order), dtype=torch.long)
        place[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(parts)[place[back]]

    def _embed(self, tokens: list[list[int]]) -> Tensor:
        width, where = max(map(len, tokens)), self.device
        ids = torch.tensor([row + [0] * (width - len(row)) for row in tokens], device=where)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in tokens], device=where)
        features = {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids)}
        halved = has_bfloat16(str(where)) if self.halved is None else self.halved
        with torch.autocast(where.type, torch.bfloat16) if halved and self.training else nullcontext():
            vectors = self.layers(features)["sentence_embedding"]
        return nn.functional.normalize(vectors.float(), dim=-1)


class Adapter(nn.Module):
    """The paper's adapter, unit vectors to unit vectors: (1 - sigmoid(a)) x + sigmoid(a) MLP(x), at length 1.

    Two layers with GELU. `mix` is a at the start: the paper's -5 begins close to no change at all. `dropout`
    is the share of hidden units left out at random in training; the paper has none.
    """

    def __init__(self, dim: int, mix: float = -5.0, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.first, self.second = nn.Linear(dim, HIDDEN), nn.Linear(HIDDEN, dim)
        self.mix = nn.Parameter(torch.tensor(mix))

    def forward(self, vectors: Tensor) -> Tensor:
        """Adapt (n, dim) vectors."""
        changed = self.second(self.dropout(nn.functional.gelu(self.first(vectors))))
        share = torch.sigmoid(self.mix)
        return nn.functional.normalize((1.0 - share) * vectors + share * changed, dim=-1)


class VectorTower(nn.Module):
    """An adapter over the embeddings of queries, or of documents, that an encoder returns."""

    def __init__(self, base: Encoder, side: Literal["query", "document"], adapter: Adapter) -> None:
        super().__init__()
        self.base, self.adapter = base, adapter
        self.encode = base.encode_queries if side == "query" else base.encode

    def prepare(self, texts: Sequence[str]) -> Tensor:
        """Return the texts' embeddings, where the adapter is."""
        return torch.from_numpy(self.encode(list(texts))).to(self.device)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.adapter.mix.device

    def forward(self, prepared: Tensor, rows: Foreign = None) -> Tensor:
        """Return the adapted vectors (of these rows)."""
        chosen = prepared if rows is None else prepared[torch.as_tensor(rows, device=prepared.device)]
        vectors: Tensor = self.adapter(chosen)
        return vectors


Tower = TextTower | VectorTower


def vectors_of(tower: Tower, prepared: Foreign) -> Floats:
    """Return the vectors of prepared texts as an array, without a tape and without dropout."""
    tower.eval()
    with torch.no_grad():
        vectors: Floats = tower(prepared).cpu().numpy()
    tower.train()
    return vectors


def _batches(order: list[int], tokens: list[list[int]]) -> Iterator[list[int]]:
    """Cut rows, shortest first, into batches of at most so many tokens."""
    batch: list[int] = []
    for row in order:
        if batch and len(tokens[row]) * (len(batch) + 1) > TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
