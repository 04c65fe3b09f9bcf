"""Advice says what the figures say."""

from __future__ import annotations

import numpy as np
import pytest

from coverset import MemoryIndex
from coverset.evaluation.advice import Likeness, advice, likeness
from coverset.evaluation.metrics import Difference
from tests.conftest import clustered


def test_likeness_is_the_mean_cosine_of_pairs_by_hand() -> None:
    corpus, queries = clustered(200, 12, 5)
    relevant = [np.array([1, 2, 3]), np.array([4]), np.array([5, 6]), np.array([7, 8]), np.array([9, 10])]

    def pairs(rows: list[int]) -> float:
        return float(np.mean([corpus[a] @ corpus[b] for a in rows for b in rows if a < b]))

    several = [0, 2, 3, 4]
    nearest = [np.argsort(-(corpus.astype(float) @ queries[q]))[:10].tolist() for q in several]
    found = likeness(MemoryIndex(corpus), queries, relevant)
    assert found.relevant == pytest.approx(np.mean([pairs(relevant[q].tolist()) for q in several]), abs=1e-5)
    assert found.neighbours == pytest.approx(np.mean([pairs(rows) for rows in nearest]), abs=1e-5)
    assert np.isnan(likeness(MemoryIndex(corpus), queries[:1], [np.array([1])]).relevant)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (Difference(0.06, 0.02, 0.1, 0.01), "helps here: +6.0 points"),
        (Difference(-0.06, -0.1, -0.02, 0.01), "hurts here"),
        (Difference(0.02, -0.01, 0.05, 0.2), "could be luck"),
        (Difference(0.0, -0.01, 0.01, 1.0), "makes no difference"),
    ],
)
def test_the_verdict_follows_the_interval(change: Difference, word: str) -> None:
    assert word in advice(change, Likeness(0.3, 0.5), "on 100 queries")
    assert "less alike (mean cosine 0.30)" in advice(change, Likeness(0.3, 0.5), "on 100 queries")
    assert "more alike" in advice(change, Likeness(0.6, 0.5), "on 100 queries")
    assert "no set to cover" in advice(change, Likeness(float("nan"), float("nan")), "on 100 queries")
