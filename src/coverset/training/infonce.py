"""DENSE: in-batch InfoNCE over (query, relevant document) pairs, the paper's equation (7)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from coverset.arrays import Floats, Ids
from coverset.decoders import Dense
from coverset.training.material import Examples
from coverset.training.saving import save
from coverset.training.task import Task
from coverset.training.towers import Tower, embed

TEMPERATURE = 0.1


def infonce(queries: Tensor, documents: Tensor, wanted: Tensor, allowed: Tensor) -> Tensor:
    """Return the mean of -log( exp(v.u / t) / sum_j exp(v.u_j / t) ) over the batch, with t = 0.1.

    `documents` holds every document of the batch once; `wanted` says which of them is each query's, and
    `allowed` (B, n) which may stand in the sum: not those that are relevant to the query as well.
    """
    scores = queries @ documents.T / TEMPERATURE
    return torch.nn.functional.cross_entropy(scores.masked_fill(~allowed, -torch.inf), wanted)


class DenseTask(Task):
    """Two encoders, each its own, from one checkpoint; every (query, relevant document) pair is an example.

    `base` is the name or the folder of the encoder that both sides started from.
    """

    def __init__(self, queries: Tower, documents: Tower, data: Examples, base: str) -> None:
        super().__init__()
        self.base = base
        self.queries, self.documents, self.decoder, self.dev = queries, documents, Dense(), data.dev
        self._queries, self._dev = queries.prepare(data.train.texts), queries.prepare(data.dev.texts)
        self._documents = documents.prepare(data.documents)
        self._relevant = data.train.relevant
        self._pairs = np.array([(q, d) for q, rows in enumerate(self._relevant) for d in rows], np.int64)
        self.examples = len(self._pairs)

    def loss(self, rows: Ids) -> Tensor:
        """Return InfoNCE over a batch of pairs; a document that several pairs share is encoded once."""
        queries, documents = self._pairs[rows].T
        once, wanted = np.unique(documents, return_inverse=True)
        allowed = np.stack([~np.isin(once, self._relevant[query]) for query in queries])
        allowed[np.arange(len(rows)), wanted] = True
        vectors = self.queries(self._queries, queries)
        return infonce(
            vectors,
            self.documents(self._documents, once),
            torch.from_numpy(wanted).to(vectors.device),
            torch.from_numpy(allowed).to(vectors.device),
        )

    def vectors(self) -> tuple[Floats, Floats]:
        """Return the present vectors of the documents and of the dev split's queries."""
        return embed(self.documents, self._documents), embed(self.queries, self._dev)

    def save(self, folder: Path) -> None:
        """Write the model into a folder."""
        save(self.queries, self.documents, folder, self.base)
