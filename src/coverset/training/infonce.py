"""DENSE: in-batch InfoNCE over (query, relevant document) pairs, the paper's equation (7)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from coverset.arrays import Ids
from coverset.decoders import Dense
from coverset.training.material import Examples
from coverset.training.task import TowersTask
from coverset.training.towers import Tower

TEMPERATURE = 0.1


def infonce(queries: Tensor, documents: Tensor, wanted: Tensor, allowed: Tensor) -> Tensor:
    """Return the mean of -log( exp(v.u / t) / sum_j exp(v.u_j / t) ) over the batch, with t = 0.1.

    `documents` holds every document of the batch once; `wanted` says which of them is each query's, and
    `allowed` (B, n) which may stand in the sum: not those that are relevant to the query as well.
    """
    scores = queries @ documents.T / TEMPERATURE
    return torch.nn.functional.cross_entropy(scores.masked_fill(~allowed, -torch.inf), wanted)


class DenseTask(TowersTask):
    """Two encoders, each its own, from one checkpoint; every (query, relevant document) pair is an example."""

    def __init__(self, queries: Tower, documents: Tower, data: Examples, base: str) -> None:
        super().__init__(queries, documents, data, base)
        self.decoder, self._relevant = Dense(), data.train.relevant
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
