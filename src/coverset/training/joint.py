"""NNN-Tr, L1-Tr, L2-Tr: training through the decoder, by the paper's unrolled gradient or by the implicit one."""

from __future__ import annotations

import torch
from torch import Tensor

from coverset.arrays import Ids
from coverset.decoders import NNN
from coverset.training.completeness import Weights, completeness, relevance
from coverset.training.implicit import implicit
from coverset.training.material import Examples
from coverset.training.plan import Plan
from coverset.training.task import DegenerateError, TowersTask
from coverset.training.towers import Tower, VectorTower
from coverset.training.unrolled import unrolled


class JointTask(TowersTask):
    """A query encoder, and documents under an adapter, trained so that NNN finds each query's relevant set.

    Parameters
    ----------
    queries, documents
        The two sides; that of documents must be free of dropout.
    data
        What to learn from; every train query is an example.
    plan
        Which gradient: "unrolled" differentiates 50 FISTA iterations, "implicit" the optimum; and the loss's tau.
    strengths
        NNN's l1 and l2, to train and to decode the dev split with.
    """

    def __init__(
        self, queries: Tower, documents: VectorTower, data: Examples, plan: Plan, strengths: tuple[float, float]
    ) -> None:
        super().__init__(queries, documents, data, plan.encoder)
        self._l1, self._l2 = strengths
        self.decoder, self._tau = NNN(l1=self._l1, l2=self._l2), plan.tau
        self._relevant = [torch.from_numpy(rows) for rows in data.train.relevant]
        self._weights = self._implicit if plan.gradient == "implicit" else self._unrolled
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
