"""What the measurements share: the decoder, real vectors, and how answers are compared and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from coverset import NNN
from coverset.arrays import Floats
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.evaluation.datasets import load

L1, L2, K = 0.1, 0.1, 5
DECODER = NNN(l1=L1, l2=L2)
QUERIES, LARGE = 200, 200_000


def embedded(folder: Path) -> tuple[Floats, Floats]:
    """A data set's documents and test queries as vectors."""
    encoder, data = CachedEncoder(load_encoder(), default_folder()), load(folder)
    texts = data.split("test").texts[:QUERIES] if (folder / "qrels").exists() else []
    queries = encoder.encode_queries(texts) if texts else np.empty((0, 384), np.float32)
    return encoder.encode(data.texts), queries


def agreement(found: Any, expected: Any) -> float:
    """The share of the exact top k that was found."""
    shares = [
        len(set(a.ids.tolist()) & set(b.ids.tolist())) / len(b) for a, b in zip(found, expected, strict=True)
    ]
    return float(np.mean(shares))


def large(folders: list[Path]) -> tuple[Floats, Floats]:
    """All documents, repeated and perturbed to 200,000, and queries from all data sets."""
    parts = [embedded(folder) for folder in folders]
    rng = np.random.default_rng(0)
    seeds, queries = (np.concatenate(column) for column in zip(*parts, strict=True))
    corpus = seeds[rng.integers(len(seeds), size=LARGE)]
    for start in range(0, LARGE, 20_000):
        block = corpus[start : start + 20_000]
        block += 0.3 / np.sqrt(block.shape[1]) * rng.standard_normal(block.shape, dtype=np.float32)
    corpus /= np.linalg.norm(corpus, axis=1, keepdims=True)
    return corpus, queries[rng.choice(len(queries), min(100, len(queries)), replace=False)]


def best(function: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Seconds of the fastest of several calls, and what it returned."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result
