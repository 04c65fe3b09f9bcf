"""What can be trained: a module with a loss over its examples, and a score on the dev split."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

import torch
from torch import Tensor, nn

from coverset.arrays import Floats, Ids
from coverset.decoders import Decoder
from coverset.evaluation.datasets import Split
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Comp, Recall
from coverset.indexes import MemoryIndex
from coverset.training.material import Examples
from coverset.training.saving import save
from coverset.training.towers import Tower, vectors_of


class DegenerateError(Exception):
    """Training came to a point that it cannot go on from, such as weights that are all zero."""


class Task(nn.Module):
    """A model in training.

    Attributes
    ----------
    examples
        How many there are to train on.
    decoder
        What the dev split is decoded with.
    """

    examples: int
    decoder: Decoder
    dev: Split

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return next(self.parameters()).device

    @abstractmethod
    def loss(self, rows: Ids) -> Tensor:
        """Return the loss on these examples."""

    @abstractmethod
    def vectors(self) -> tuple[Floats, Floats]:
        """Return the present vectors of the documents and of the dev split's queries."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the model into a folder that `load_encoder` reads."""

    def score(self) -> dict[str, float]:
        """Return Comp@5 and Recall@5 on the dev split, in percent."""
        documents, queries = self.vectors()
        values = evaluate(self.decoder, MemoryIndex(documents), Labelled.of(queries, self.dev.relevant))
        return {str(metric): 100 * float(values[metric].mean()) for metric in (Comp @ 5, Recall @ 5)}


class TowersTask(Task):
    """The two sides of a bi-encoder in training; `base` names the encoder, or its folder, that both began as."""

    def __init__(self, queries: Tower, documents: Tower, data: Examples, base: str) -> None:
        super().__init__()
        self.queries, self.documents, self.base, self.dev = queries, documents, base, data.dev
        self._queries, self._dev = queries.prepare(data.train.texts), queries.prepare(data.dev.texts)
        self._documents = documents.prepare(data.documents)

    def vectors(self) -> tuple[Floats, Floats]:
        """Return the present vectors of the documents and of the dev split's queries."""
        return vectors_of(self.documents, self._documents), vectors_of(self.queries, self._dev)

    def save(self, folder: Path) -> None:
        """Write the model into a folder."""
        save(self.queries, self.documents, folder, self.base)
