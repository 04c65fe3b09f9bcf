"""InfoNCE as the paper writes it, except that a query's own documents are never its negatives."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from coverset.training.infonce import DenseTask, infonce
from tests.conftest import unit


def test_it_is_the_papers_equation_over_the_batch() -> None:
    rng = np.random.default_rng(0)
    queries, documents = unit(rng.standard_normal((4, 6))), unit(rng.standard_normal((4, 6)))
    scores = np.exp(queries @ documents.T / 0.1)
    expected = -np.log(np.diag(scores) / scores.sum(axis=1)).mean()
    loss = infonce(*map(torch.from_numpy, (queries, documents)), torch.arange(4), torch.ones(4, 4).bool())
    assert loss.item() == pytest.approx(expected, rel=1e-5)


def test_a_query_s_other_documents_are_no_negatives_and_repeated_ones_are_encoded_once() -> None:
    rng = np.random.default_rng(1)
    v, u = unit(rng.standard_normal((2, 6))), unit(rng.standard_normal((3, 6)))
    asked: list[int] = []

    def queries(_prepared: object, rows: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(v[rows])

    def documents(_prepared: object, rows: np.ndarray) -> torch.Tensor:
        asked.extend(rows.tolist())
        return torch.from_numpy(u[rows])

    task = DenseTask.__new__(DenseTask)
    torch.nn.Module.__init__(task)
    task.__dict__.update(queries=queries, documents=documents, _queries=None, _documents=None)
    task._relevant = [np.array([0, 1]), np.array([1])]
    task._pairs = np.array([(0, 0), (0, 1), (1, 1)])
    scores = np.exp(v @ u.T / 0.1)
    # Query 0 needs both documents of the batch, so neither stands against the other; document 0 stands against 1.
    expected = np.mean([0.0, 0.0, -np.log(scores[1, 1] / (scores[1, 0] + scores[1, 1]))])
    assert task.loss(np.arange(3)).item() == pytest.approx(expected, rel=1e-4)
    assert asked == [0, 1]
