"""Metrics as values: `Recall@5` is a function of a ranking and the relevant documents, and knows its name.

    (Recall @ 5)(["b", "a", "c"], {"a", "z"}) == 0.5

A frozenset among the relevant documents stands for any one of its members. Comp@k is the paper's completeness:
whether everything that is relevant is in the top k. Also here: how sure a mean over queries is, and whether two
decoders really differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Array
from coverset.inputs import as_count

# Queries below which an interval is not made by bootstrap.
FEW = 30


@dataclass(frozen=True)
class Metric:
    """A measure at a depth: call it with a ranking, best first, and the relevant documents."""

    name: str
    k: int
    measure: Callable[[list[int], int, int], float]

    def __call__(self, ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
        """Return the value for one query, between 0 and 1."""
        if not relevant:
            raise ValueError("relevant must not be empty: a query without relevant documents has no value")
        wanted = set(relevant)
        sets = [need for need in wanted if isinstance(need, frozenset)]
        open_, hits = wanted.copy(), []
        for document in list(ranking)[: self.k]:
            met = {need for need in (document, *(s for s in sets if document in s)) if need in open_}
            open_ -= met
            hits.append(len(met))
        return self.measure(hits, len(wanted), self.k)

    def __str__(self) -> str:
        return f"{self.name}@{self.k}"


@dataclass(frozen=True)
class Measure:
    """A metric that still lacks its depth: `Recall @ 5`."""

    name: str
    measure: Callable[[list[int], int, int], float]

    def __matmul__(self, k: int) -> Metric:
        """Return the metric at depth k."""
        return Metric(self.name, as_count("k", k), self.measure)


def _ndcg(hits: list[int], relevant: int, k: int) -> float:
    discounts = 1.0 / np.log2(np.arange(2, k + 2))
    return float(discounts[: len(hits)] @ np.array(hits, float) / discounts[:relevant].sum())


Recall = Measure("recall", lambda hits, relevant, _k: sum(hits) / relevant)
Comp = Measure("comp", lambda hits, relevant, _k: float(sum(hits) == relevant))
NDCG = Measure("ndcg", _ndcg)


def redundancy(rows: NDArray[Any]) -> float:
    """Return the mean cosine between two of these unit vectors: how alike an answer's documents are."""
    n = len(rows)
    return float(((rows @ rows.T).sum() - np.einsum("ij,ij->", rows, rows)) / (n * (n - 1))) if n > 1 else 0.0


def confidence(values: Sequence[float], level: float = 0.95, draws: int = 10_000) -> tuple[float, float]:
    """Return a confidence interval of the mean over queries, of values from 0 to 1.

    By bootstrap; for few queries, of which it would make too much, by the normal approximation with two more at
    either end of the range (Agresti and Coull, 1998).
    """
    if 0 < len(values) < FEW:
        return _padded(values, [0.0, 0.0, 1.0, 1.0], [1.0] * 4, level)
    means = _bootstrap(np.asarray(values, float), draws)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return float(low), float(high)


@dataclass(frozen=True)
class Difference:
    """How much higher the second decoder's mean is, its confidence interval, and the chance of it being luck."""

    mean: float
    low: float
    high: float
    p: float


def paired(
    first: Sequence[float], second: Sequence[float], draws: int = 10_000, level: float = 0.95
) -> Difference:
    """Compare two decoders on the same queries: an interval, and a sign-flip permutation test.

    The interval is a bootstrap's; for few queries the normal approximation with half a query more at either end of
    the range and one in the middle (Agresti and Min, 2005).
    """
    changes = np.asarray(second, float) - np.asarray(first, float)
    if changes.ndim != 1 or len(changes) == 0:
        raise ValueError("first and second must be values of the same queries, at least one")
    if len(changes) < FEW:
        low, high = _padded(changes.tolist(), [-1.0, 0.0, 1.0], [0.5, 1.0, 0.5], level)
    else:
        low, high = confidence(changes.tolist(), level, draws)
    observed, rng = abs(changes.mean()), np.random.default_rng(0)
    as_extreme = 1  # the observed signs themselves
    for _ in range(0, draws, 1000):
        signs = rng.choice([-1.0, 1.0], (1000, len(changes)))
        as_extreme += int((np.abs(signs @ changes) / len(changes) >= observed - 1e-12).sum())
    return Difference(float(changes.mean()), low, high, as_extreme / (len(range(0, draws, 1000)) * 1000 + 1))


def _padded(values: Sequence[float], more: list[float], weights: list[float], level: float) -> tuple[float, float]:
    """Return the normal interval of the mean of values and some more with weights, within their range."""
    all_, mass = np.array([*values, *more]), np.array([1.0] * len(values) + weights)
    mean = float(np.average(all_, weights=mass))
    variance = float(np.average((all_ - mean) ** 2, weights=mass))
    reach = NormalDist().inv_cdf((1 + level) / 2) * (variance / mass.sum()) ** 0.5
    return max(min(more), mean - reach), min(max(more), mean + reach)


def _bootstrap(values: Array, draws: int) -> Array:
    """Means of resampled queries, a thousand draws at a time."""
    rng = np.random.default_rng(0)
    parts = [
        values[rng.integers(len(values), size=(min(1000, draws - start), len(values)))].mean(axis=1)
        for start in range(0, draws, 1000)
    ]
    return np.concatenate(parts)
