"""Corpora that the tests share, and independent answers to hold the code against."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from coverset.arrays import Array, Floats

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

# Side by side, tests go file by file, and those of a folder that shares something costly (a cluster, servers,
# torch) together. What takes longest is begun first, so that none of it is left alone at the end.
TOGETHER = ("indexes", "training", "server")
LONGEST = (
    *TOGETHER,
    "test_manual.py",
    "evaluation/test_eval.py",
    "integrations/mcp/test_remote.py",
    "store/test_concurrency.py",
    "store/test_durability.py",
)

settings.register_profile("coverset", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "coverset"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Return what hands out tests, where they run side by side: all that go together to the same worker."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes longest first, and leave all else in its order."""
    place = {group: n for n, group in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(_group(item.nodeid), len(LONGEST)))


def _group(nodeid: str) -> str:
    """Return the name of what a test is run together with, below tests/: a folder, or a file."""
    path = nodeid.partition("::")[0].removeprefix("tests/")
    folder = path.partition("/")[0]
    return folder if folder in TOGETHER else path


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


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C interrupts: what is started in the background of a shell may have been told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
