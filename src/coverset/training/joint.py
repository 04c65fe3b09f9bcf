"""NNN-Tr, L1-Tr, L2-Tr: training through the decoder, by the paper's unrolled gradient or by the implicit one."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from coverset.arrays import Floats, Ids
from coverset.decoders import NNN
from coverset.training.completeness import TAU, Weights, completeness, relevance
from coverset.training.implicit import implicit
from coverset.training.material import Examples
from coverset.training.saving import save
from coverset.training.task import DegenerateError, Task
from coverset.training.towers import Tower, VectorTower, embed
from coverset.training.unrolled import unrolled


class JointTask(Task):
    """A query encoder, and documents under an adapter, trained so that NNN finds each query's relevant set.

    Parameters
    ----------
    queries, documents
        The two sides; that of documents must be free of dropout.
    data
        What to learn from; every train query is an example.
    base
        Name or folder of the encoder that both sides started from.
    l1, l2
        NNN's strengths, to train and to decode the dev split with.
    gradient
        "unrolled" differentiates 50 FISTA iterations, "implicit" the optimum.
    tau
        Temperature of the loss.
    """

    def __init__(
        self,
        queries: Tower,
        documents: VectorTower,
        data: Examples,
        base: str,
        l1: float,
        l2: float,
        gradient: str,
        tau: float = TAU,
    ) -> None:
        super().__init__()
        self.base = base
        self.queries, self.documents, self.decoder, self.dev = queries, documents, NNN(l1=l1, l2=l2), data.dev
        self._queries, self._dev = queries.prepare(data.train.texts), queries.prepare(data.dev.texts)
        self._documents = documents.prepare(data.documents)
        self._relevant = [torch.from_numpy(rows) for rows in data.train.relevant]
        self._weights = self._implicit if gradient == "implicit" else self._unrolled
        self._l1, self._l2, self._tau = l1, l2, tau
        self.examples = len(self._relevant)

    def loss(self, rows: Ids) -> Tensor:
        """Return equation (5) over a batch of queries, against the whole corpus."""
        weights = self._weights(self.queries(self._queries, rows), [self._relevant[row] for row in rows])
        if not (weights.values > 0).any():
            raise DegenerateError("every weight is zero: l1 is too large for these vectors")
        return completeness(weights, tau=self._tau)

    def _unrolled(self, queries: Tensor, relevant: list[Tensor]) -> Weights:
        corpus = self._vectors(None)
        mask = relevance(relevant, len(corpus)).to(corpus.device)
        return Weights(unrolled(queries, corpus, self._l1, self._l2), mask)

    def _implicit(self, queries: Tensor, relevant: list[Tensor]) -> Weights:
        return implicit(queries, self._vectors, relevant, self._l1, self._l2)

    def _vectors(self, rows: Tensor | None) -> Tensor:
        vectors: Tensor = self.documents(self._documents, rows)
        return vectors

    def vectors(self) -> tuple[Floats, Floats]:
        """Return the present vectors of the documents and of the dev split's queries."""
        return embed(self.documents, self._documents), embed(self.queries, self._dev)

    def save(self, folder: Path) -> None:
        """Write the model into a folder."""
        save(self.queries, self.documents, folder, self.base)
