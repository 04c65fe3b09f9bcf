"""Advice says what the figures say."""

from __future__ import annotations

import numpy as np
import pytest

from coverset import MemoryIndex
from coverset.evaluation.advice import Likeness, advice, likeness
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.metrics import Difference
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
    ("change", "words"),
    [
        (None, "The default stays: on 100 queries no other setting is better by more than chance."),
        (Difference(0.06, 0.02, 0.1, 0.01), "+6.0 points of Comp@5 over the default, 95% interval +2.0 to +10.0"),
    ],
)
def test_one_thing_is_said_and_why(change: Difference | None, words: str) -> None:
    assert words in advice(change, Likeness(0.3, 0.5), 100)
    assert "less alike (mean cosine 0.30)" in advice(change, Likeness(0.3, 0.5), 100)
    assert "more alike" in advice(change, Likeness(0.6, 0.5), 100)
    assert "no set to cover" in advice(change, Likeness(float("nan"), float("nan")), 100)


def test_any_of_several_counts_as_one_document() -> None:
    corpus = np.eye(4, dtype=np.float32)
    of_sets = likeness(MemoryIndex(corpus), Labelled.of(corpus[:1], [[0, frozenset({2, 1})]]))
    assert of_sets == likeness(MemoryIndex(corpus), Labelled.of(corpus[:1], [np.array([0, 1])]))
