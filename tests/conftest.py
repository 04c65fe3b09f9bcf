"""Corpora that the tests share, and independent answers to hold the code against."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from coverset.arrays import Array, Floats

# The files that take longest are begun first, so that none of them is left alone at the end.
LONGEST = (
    "indexes/test_engines.py",
    "indexes/test_ray.py",
    "test_manual.py",
    "evaluation/test_eval.py",
    "integrations/mcp/test_remote.py",
    "server/test_operations.py",
    "store/test_concurrency.py",
    "training/test_train.py",
    "server/test_page.py",
    "store/test_durability.py",
    "training/test_recipe.py",
)

settings.register_profile("coverset", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "coverset"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and leave all else in its order."""
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        name = item.path.relative_to(here).as_posix()
        return LONGEST.index(name) if name in LONGEST else len(LONGEST)

    items.sort(key=place)


def unit(rows: Array) -> Floats:
    """Rows scaled to length 1, as float32."""
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def clustered(n: int, d: int, queries: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Documents in clusters that share a common direction, as real embeddings do, and queries between them."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(2, n // 20), d)) + rng.standard_normal(d)
    corpus = centres[rng.integers(len(centres), size=n)] + 0.6 * rng.standard_normal((n, d))
    pairs = centres[rng.integers(len(centres), size=(queries, 2))].sum(axis=1)
    return unit(corpus), unit(pairs + 0.3 * rng.standard_normal((queries, d)))


def objective(corpus: Array, query: Array, weights: Array, l1: float, l2: float) -> float:
    """The paper's objective, written out."""
    residual = weights @ corpus - query
    return float(0.5 * residual @ residual + l1 * weights.sum() + 0.5 * l2 * weights @ weights)


def kkt_violation(corpus: Array, query: Array, weights: Array, l1: float, l2: float) -> float:
    """The largest violation of the paper's conditions (A) and (B) over the whole corpus, document by document."""
    residual = query - weights @ corpus
    worst = 0.0
    for row, weight in zip(corpus, weights, strict=True):
        slack = float(row @ residual) - l1 - l2 * float(weight)
        worst = max(worst, abs(slack) if weight > 0 else slack)
    return worst


@pytest.fixture(scope="session")
def corpus_and_queries() -> tuple[Floats, Floats]:
    return clustered(3000, 48, 12)
