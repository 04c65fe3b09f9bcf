"""What others take for the same work on the same vectors: nearest neighbours, solvers of the elastic net, MMR.

A peer that is not installed is not timed. Solvers are run until no optimality condition is violated by more than
VIOLATION, as a certificate asks; one that would take minutes over so many documents is left out.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from coverset.arrays import Array, Floats
from coverset.decoders import MMR
from coverset.evaluation.speed import Timing, asking_for_two, best
from coverset.indexes import MemoryIndex
from coverset.plain import Foreign

# The module that a peer lives in.
MODULES = {
    "FAISS flat": "faiss",
    "FAISS HNSW": "faiss",
    "celer": "celer",
    "skglm": "skglm",
    "scikit-learn": "sklearn",
    "pyversity": "pyversity",
    "langchain-core": "langchain_core",
}
VIOLATION = 1e-6
# Documents up to which a peer is timed: beyond, it takes minutes.
FEW = {"scikit-learn": 20_000, "FAISS HNSW": 100_000}
# What MMR picks from.
CANDIDATES = 1000


def missing() -> list[str]:
    """Return the peers that are not installed."""
    return [name for name, module in MODULES.items() if importlib.util.find_spec(module) is None]


def peer_timings(index: MemoryIndex, queries: int, k: int, repeats: int, dense: float) -> list[Timing]:
    """Time all that are installed on a corpus's meaning; `dense`: what our Dense took, in milliseconds a query."""
    corpus, vectors = index.corpus.meaning, asking_for_two(index, queries)
    found = {name: batch / queries for name, (_, batch) in neighbours(corpus, vectors, k, repeats).items()}
    nets = solvers(corpus, vectors[0], 0.1, 0.1)
    found |= {f"{name}, elastic net to {VIOLATION:g}": seconds for name, seconds in nets.items()}
    some = min(CANDIDATES, len(index))
    found |= {f"{name}, MMR of {some}": seconds for name, seconds in mmr(corpus, vectors[0], k).items()}
    return [Timing(name, 1000 * s, 1000 * s / dense, None, None) for name, s in found.items()]


def neighbours(corpus: Floats, queries: Floats, k: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Return the seconds of FAISS, which finds nearest neighbours only, for one query and for all of them."""
    found: dict[str, tuple[float, float]] = {}
    for name in _timed(("FAISS flat", "FAISS HNSW"), len(corpus)):
        index = _faiss(name, corpus.shape[1])
        index.add(corpus)
        single, batch = (best(partial(index.search, some, k), repeats) for some in (queries[:1], queries))
        found[name] = single, batch
    return found


def solvers(corpus: Floats, query: Floats, l1: float, l2: float) -> dict[str, float]:
    """Return the seconds of solvers of the elastic net for one query, once they are exact enough."""
    rows, target = np.asfortranarray(corpus.T.astype(np.float64)), query.astype(np.float64)
    found: dict[str, float] = {}
    for name in _timed(SOLVERS, len(corpus)):
        solve = partial(SOLVERS[name], rows, target, l1, l2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one that is not yet exact enough says so
            for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
                if _violation(rows, target, solve(tolerance), l1, l2) <= VIOLATION:
                    found[name] = best(partial(solve, tolerance), 2)
                    break
    return found


def mmr(corpus: Floats, query: Floats, k: int) -> dict[str, float]:
    """Return the seconds of picking k out of a thousand candidates by MMR, ours among them."""
    rows = np.ascontiguousarray(corpus[:CANDIDATES])
    scores, index = rows @ query, MemoryIndex(rows)
    found = {"Coverset": best(partial(MMR(relevance=0.7).decode, query, index, k), 50)}
    for name in _timed(("pyversity", "langchain-core"), len(rows)):
        if name == "pyversity":
            from pyversity import Metric, Strategy, diversify

            pick = partial(diversify, rows, scores, k, Strategy.MMR, diversity=0.3, metric=Metric.COSINE)
            found[name] = best(pick, 50)
        else:
            from langchain_core.vectorstores.utils import maximal_marginal_relevance

            found[name] = best(partial(maximal_marginal_relevance, query, list(rows), 0.7, k), 5)
    return found


def _timed(names: Mapping[str, object] | tuple[str, ...], documents: int) -> list[str]:
    """Return those that are installed, and quick enough over so many documents."""
    gone = missing()
    return [name for name in names if name not in gone and documents <= FEW.get(name, documents)]


def _faiss(name: str, dim: int) -> Foreign:
    import faiss

    if name == "FAISS flat":
        return faiss.IndexFlatIP(dim)
    return faiss.IndexHNSWFlat(dim, 32, faiss.METRIC_INNER_PRODUCT)


def _celer(rows: Array, query: Array, l1: float, l2: float, tolerance: float) -> Array:
    from celer import ElasticNet

    ratio, d = l1 / (l1 + l2), len(rows)
    model = ElasticNet((l1 + l2) / d, l1_ratio=ratio, positive=True, fit_intercept=False, tol=tolerance)
    return np.asarray(model.fit(rows, query).coef_)


def _skglm(rows: Array, query: Array, l1: float, l2: float, tolerance: float) -> Array:
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Quadratic
    from skglm.penalties import L1_plus_L2
    from skglm.solvers import AndersonCD

    penalty = L1_plus_L2((l1 + l2) / len(rows), l1 / (l1 + l2), positive=True)
    model = GeneralizedLinearEstimator(Quadratic(), penalty, AndersonCD(tol=tolerance, fit_intercept=False))
    return np.ravel(model.fit(rows, query).coef_)


def _sklearn(rows: Array, query: Array, l1: float, l2: float, tolerance: float) -> Array:
    from sklearn.linear_model import ElasticNet

    ratio, d = l1 / (l1 + l2), len(rows)
    model = ElasticNet(
        alpha=(l1 + l2) / d, l1_ratio=ratio, positive=True, fit_intercept=False, tol=tolerance, max_iter=10_000
    )
    return np.asarray(model.fit(rows, query).coef_)


SOLVERS: dict[str, Callable[[Array, Array, float, float, float], Array]] = {
    "celer": _celer,
    "skglm": _skglm,
    "scikit-learn": _sklearn,
}


def _violation(rows: Array, query: Array, weights: Array, l1: float, l2: float) -> float:
    """Return the largest violation of the optimality conditions, as the paper has them."""
    excess = rows.T @ (query - rows @ weights) - l1
    on, off = np.abs(excess - l2 * weights)[weights > 0], excess[weights <= 0]
    return float(max(on.max(initial=0.0), off.max(initial=0.0)))
