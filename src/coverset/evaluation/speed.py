"""How fast the decoders are on an index, in one run: machines are shared and noisy, ratios are not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from coverset.arrays import Floats
from coverset.decoders.registry import DECODERS
from coverset.indexes import MemoryIndex


@dataclass(frozen=True)
class Timing:
    """A decoder's time per query, and the same as a multiple of Dense's; certified: share of answers, for NNN.

    `passes` over the corpus are known of our own decoders only.
    """

    decoder: str
    milliseconds: float
    over_dense: float
    certified: float | None
    passes: float | None


def best(function: Callable[[], Any], repeats: int) -> float:
    """Seconds of the fastest of several calls, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def asking_for_two(index: MemoryIndex, queries: int) -> Floats:
    """Return queries, (n, d), each of which asks for two random documents."""
    rng = np.random.default_rng(0)
    vectors: Floats = index.corpus.meaning[rng.integers(len(index), size=(queries, 2))].sum(axis=1)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return vectors


def timings(index: MemoryIndex, queries: int, k: int, repeats: int) -> list[Timing]:
    """Time every decoder on queries that ask for two random documents at once."""
    vectors = asking_for_two(index, queries)
    found: list[Timing] = []
    ways = {kind: kind.timed or {kind.__name__: {}} for kind in DECODERS.values()}
    for name, decoder in ((name, kind(**way)) for kind, named in ways.items() for name, way in named.items()):
        milliseconds = 1000 / queries * best(partial(decoder.decode_batch, vectors, index, k), repeats)
        answers = decoder.decode_batch(vectors, index, k)
        sure = None if answers[0].certified is None else float(np.mean([bool(a.certified) for a in answers]))
        over = milliseconds / found[0].milliseconds if found else 1.0
        found.append(Timing(name, milliseconds, over, sure, float(np.mean([a.passes for a in answers]))))
    return found
