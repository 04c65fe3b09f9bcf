"""Advice says what the figures say."""

from __future__ import annotations

import numpy as np
import pytest

from coverset import NNN, MemoryIndex
from coverset.evaluation.advice import Likeness, advice, likeness
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.metrics import Difference
from coverset.evaluation.tuning import Choice, Trial
from tests.conftest import clustered


def test_likeness_is_the_mean_cosine_of_pairs_by_hand() -> None:
    corpus, queries = clustered(200, 12, 5)
    relevant = [np.array([1, 2, 3]), np.array([4]), np.array([5, 6]), np.array([7, 8]), np.array([9, 10])]

    def pairs(rows: list[int]) -> float:
        return float(np.mean([corpus[a] @ corpus[b] for a in rows for b in rows if a < b]))

    several = [0, 2, 3, 4]
    nearest = [np.argsort(-(corpus.astype(float) @ queries[q]))[:10].tolist() for q in several]
    found = likeness(MemoryIndex(corpus), Labelled.of(queries, relevant))
    assert found.relevant == pytest.approx(np.mean([pairs(relevant[q].tolist()) for q in several]), abs=1e-5)
    assert found.neighbours == pytest.approx(np.mean([pairs(rows) for rows in nearest]), abs=1e-5)
    assert np.isnan(likeness(MemoryIndex(corpus), Labelled.of(queries[:1], [np.array([1])])).relevant)


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (
            Difference(0.06, -0.02, 0.1, 0.2),
            "No setting is surely better than the default. Choosing one brings +6.0 points over the "
            "default in the mean of Recall@5 and Comp@5, 80% interval -2.0 to +10.0, on 100 queries",
        ),
        (
            Difference(0.06, 0.02, 0.1, 0.01),
            "+6.0 points over the default in the mean of Recall@5 and Comp@5, 80%",
        ),
    ],
)
def test_one_thing_is_said(gain: Difference, words: str) -> None:
    best, default = (Trial(NNN(l1=l1), {}) for l1 in (0.1, None))
    choice = Choice(best, default, [best] * 100, gain)
    assert advice(choice, Likeness(0.3, 0.5), 100).startswith(words)
    assert "less alike (mean cosine 0.30)" in advice(choice, Likeness(0.3, 0.5), 100)
    assert "more alike" in advice(choice, Likeness(0.6, 0.5), 100)
    assert "no set to cover" in advice(choice, Likeness(float("nan"), float("nan")), 100)


def test_any_of_several_counts_as_one_document() -> None:
    corpus = np.eye(4, dtype=np.float32)
    of_sets = likeness(MemoryIndex(corpus), Labelled.of(corpus[:1], [[0, frozenset({2, 1})]]))
    assert of_sets == likeness(MemoryIndex(corpus), Labelled.of(corpus[:1], [np.array([0, 1])]))
