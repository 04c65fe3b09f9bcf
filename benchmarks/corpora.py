"""Corpora to measure on, made where they are needed: nothing is downloaded."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Floats
from coverset.demo.catalogue import catalogue
from coverset.encoders.onnx import OnnxEncoder


def clustered(n: int, d: int, queries: int) -> tuple[Floats, Floats]:
    """Clusters of 100 documents, a common direction, variances that fall off; queries lie between two clusters."""
    rng = np.random.default_rng(0)
    fall = (1 / np.sqrt(1 + np.arange(d) / 20)).astype(np.float32)
    common = 0.8 * fall * rng.standard_normal(d, dtype=np.float32)
    centres = rng.standard_normal((max(2, n // 100), d), dtype=np.float32)
    corpus = np.empty((n, d), np.float32)
    for start in range(0, n, 20_000):
        block = corpus[start : start + 20_000]
        noise = rng.standard_normal(block.shape, dtype=np.float32)
        block[:] = (centres[rng.integers(len(centres), size=len(block))] + 0.7 * noise) * fall + common
    pairs = centres[rng.integers(len(centres), size=(queries, 2))].sum(axis=1)
    return _unit(corpus), _unit(pairs * fall + common)


def text(n: int, _d: int, queries: int) -> tuple[Floats, Floats]:
    """Real embeddings, of numpy's function descriptions, repeated and perturbed; queries ask for two functions."""
    rng = np.random.default_rng(0)
    descriptions, encoder = list(catalogue().values()), OnnxEncoder()
    seeds = encoder.encode(descriptions)
    if n <= len(seeds):
        corpus = seeds[rng.choice(len(seeds), n, replace=False)]
    else:
        corpus = seeds[rng.integers(len(seeds), size=n)]
        for start in range(0, n, 20_000):
            block = corpus[start : start + 20_000]
            block += 0.3 / np.sqrt(block.shape[1]) * rng.standard_normal(block.shape, dtype=np.float32)
    pairs = rng.choice(len(descriptions), (queries, 2))
    asked = [f"{descriptions[a]} Then: {descriptions[b]}" for a, b in pairs]
    return _unit(corpus), encoder.encode(asked)


def noise(n: int, d: int, queries: int) -> tuple[Floats, Floats]:
    """Directions drawn at random: no document is like another, so nothing can be learnt from a sample."""
    rng = np.random.default_rng(0)
    return (
        _unit(rng.standard_normal((n, d), dtype=np.float32)),
        _unit(rng.standard_normal((queries, d), dtype=np.float32)),
    )


def _unit(rows: Floats) -> Floats:
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


CORPORA = {"clustered": clustered, "text": text, "noise": noise}
