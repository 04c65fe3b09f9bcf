"""A certified joint answer beside what others do, in one run: nearest neighbours, solvers of the elastic net, MMR.

    python -m benchmarks.peers --documents 10000 100000 1000000 --out benchmarks/results

Times are the best of several, and what counts is their ratio to our Dense by one scan of the float32 rows, taken
in the same run. Solvers are run until no optimality condition is violated by more than 1e-6, as our certificate
asks. One that would take minutes is left out, and the table says so. Needs what `pip install ".[bench]"` installs.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import CORPORA
from coverset import MMR, NNN, Dense, MemoryIndex
from coverset.arrays import Array, Floats
from coverset.evaluation.speed import best
from coverset.progress import progress

D, BATCH, K = 384, 64, 5
L1, L2 = 0.1, 0.1
VIOLATION = 1e-6
# Documents up to which a way is tried: beyond, it takes minutes.
FEW = {"scikit-learn": 20_000, "FAISS HNSW": 100_000}
# What MMR is compared on: as many candidates, and as many to pick.
CANDIDATES, PICKED = 1000, 10


def decoders(corpus: Floats, queries: Floats, repeats: int) -> dict[str, tuple[float, float | None]]:
    """Return the seconds of our decoders for one query, and for a batch."""
    plain, index = MemoryIndex(corpus), MemoryIndex(corpus)
    plain.rounded = lambda: None  # type: ignore[method-assign]  # by one scan of the rows as they are
    for _ in range(10):  # a copy that pays for single queries is made after a few of them
        Dense().decode(queries[0], index, K)
    if index._rounding:
        index._rounding[0].wait()
    ways = {
        "Dense, one scan": (Dense(), plain),
        "Dense": (Dense(), index),
        "NNN()": (NNN(), index),
        "NNN (0.1, 0.1)": (NNN(l1=L1, l2=L2), index),
        "NNN (0.1, 10)": (NNN(l1=L1, l2=10.0), index),
        "NNN by FISTA-50": (NNN(l1=L1, l2=L2, solver="fista", iterations=50), plain),
    }
    found: dict[str, tuple[float, float | None]] = {}
    for name, (decoder, over) in ways.items():
        if len(corpus) > FEW.get(name, len(corpus)):
            continue
        slow = name == "NNN by FISTA-50"
        times = 1 if slow else repeats
        single = best(partial(decoder.decode, queries[0], over, K), times)
        batch = None if slow else best(partial(decoder.decode_batch, queries, over, K), times)
        found[name] = single, batch
        if isinstance(decoder, NNN) and decoder.l1 is not None and not slow:
            assert all(answer.certified for answer in decoder.decode_batch(queries, over, K))
    return found


def neighbours(corpus: Floats, queries: Floats, repeats: int) -> dict[str, tuple[float, float | None]]:
    """Return the seconds of FAISS, which finds nearest neighbours only."""
    import faiss

    def timed(index: Any) -> tuple[float, float]:
        return (
            best(partial(index.search, queries[:1], K), repeats),
            best(partial(index.search, queries, K), repeats),
        )

    flat = faiss.IndexFlatIP(corpus.shape[1])
    flat.add(corpus)
    found: dict[str, tuple[float, float | None]] = {"FAISS flat": timed(flat)}
    if len(corpus) <= FEW["FAISS HNSW"]:
        graph = faiss.IndexHNSWFlat(corpus.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
        graph.add(corpus)
        found["FAISS HNSW"] = timed(graph)
    return found


def _celer(rows: Array, query: Array, tolerance: float) -> Array:
    from celer import ElasticNet

    ratio, d = L1 / (L1 + L2), len(rows)
    model = ElasticNet((L1 + L2) / d, l1_ratio=ratio, positive=True, fit_intercept=False, tol=tolerance)
    return np.asarray(model.fit(rows, query).coef_)


def _skglm(rows: Array, query: Array, tolerance: float) -> Array:
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Quadratic
    from skglm.penalties import L1_plus_L2
    from skglm.solvers import AndersonCD

    penalty = L1_plus_L2((L1 + L2) / len(rows), L1 / (L1 + L2), positive=True)
    model = GeneralizedLinearEstimator(Quadratic(), penalty, AndersonCD(tol=tolerance, fit_intercept=False))
    return np.ravel(model.fit(rows, query).coef_)


def _sklearn(rows: Array, query: Array, tolerance: float) -> Array:
    from sklearn.linear_model import ElasticNet

    ratio, d = L1 / (L1 + L2), len(rows)
    model = ElasticNet(
        alpha=(L1 + L2) / d, l1_ratio=ratio, positive=True, fit_intercept=False, tol=tolerance, max_iter=10_000
    )
    return np.asarray(model.fit(rows, query).coef_)


SOLVERS: dict[str, Callable[[Array, Array, float], Array]] = {
    "celer": _celer,
    "skglm": _skglm,
    "scikit-learn": _sklearn,
}


def solvers(corpus: Floats, query: Floats) -> dict[str, tuple[float, float | None]]:
    """Return the seconds of solvers for one query, once they are exact enough."""
    rows, target = np.asfortranarray(corpus.T.astype(np.float64)), query.astype(np.float64)
    found: dict[str, tuple[float, float | None]] = {}
    for name, solve in SOLVERS.items():
        if len(corpus) > FEW.get(name, len(corpus)):
            continue
        for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
            if _violation(rows, target, solve(rows, target, tolerance)) <= VIOLATION:
                found[name] = best(partial(solve, rows, target, tolerance), 2), None
                break
        else:
            raise RuntimeError(f"{name} did not become exact enough")
    return found


def _violation(rows: Array, query: Array, weights: Array) -> float:
    """Return the largest violation of the optimality conditions, as the paper has them."""
    excess = rows.T @ (query - rows @ weights) - L1
    on, off = np.abs(excess - L2 * weights)[weights > 0], excess[weights <= 0]
    return float(max(on.max(initial=0.0), off.max(initial=0.0)))


def mmr(corpus: Floats, query: Floats) -> dict[str, float]:
    """Return the seconds of picking some out of a thousand candidates by MMR."""
    from langchain_core.vectorstores.utils import maximal_marginal_relevance
    from pyversity import Metric, Strategy, diversify

    rows = np.ascontiguousarray(corpus[:CANDIDATES])
    scores, index = rows @ query, MemoryIndex(rows)
    pick = partial(diversify, rows, scores, PICKED, Strategy.MMR, diversity=0.3, metric=Metric.COSINE)
    return {
        "ours": best(partial(MMR(relevance=0.7).decode, query, index, PICKED), 50),
        "pyversity": best(pick, 50),
        "langchain-core": best(partial(maximal_marginal_relevance, query, list(rows), 0.7, PICKED), 5),
    }


def markdown(report: dict[str, Any]) -> str:
    """The report as tables."""
    sizes = [row["documents"] for row in report["speed"]]
    lines = ["| | " + " | ".join(f"{n:,}: one query | batch of {BATCH}" for n in sizes) + " |"]
    lines.append("|---|" + "--:|" * 2 * len(sizes))
    names = dict.fromkeys(name for row in report["speed"] for name in row["seconds"])
    for name in names:
        cells = []
        for row in report["speed"]:
            base = row["seconds"]["Dense, one scan"]
            times = row["seconds"].get(name, (None, None))
            cells += ["" if t is None else f"{t / b:,.2f}" for t, b in zip(times, base, strict=True)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    ms = ", ".join(f"{1000 * s:.2f} ms ({name})" for name, s in report["mmr"].items())
    lines += [
        "",
        f"Multiples of our Dense by one scan of the rows ({_scans(report)}), d = {D}, on {report['cores']} cores: "
        "real embeddings, repeated and perturbed. NNN with strengths is certified; celer, skglm and scikit-learn "
        f"solve the same problem to a violation of {VIOLATION:g}; FAISS finds neighbours only. Blank: would take "
        "minutes, or is done one query at a time.",
        "",
        f"MMR, {PICKED} out of {CANDIDATES:,} candidates: {ms}.",
        "",
        "Made by `python -m benchmarks.peers --out benchmarks/results`.",
    ]
    return "\n".join(lines) + "\n"


def _scans(report: dict[str, Any]) -> str:
    scans = [[1000 * t for t in row["seconds"]["Dense, one scan"]] for row in report["speed"]]
    return "; ".join(f"{one:.1f} and {batch:.0f} ms" for one, batch in scans)


def draw(report: dict[str, Any], path: Path) -> None:
    """Draw the times of a single query against the number of documents."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("agg")
    ours = ("Dense", "NNN()", "NNN (0.1, 0.1)", "NNN (0.1, 10)")
    figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    names = dict.fromkeys(name for row in report["speed"] for name in row["seconds"])
    for name, colour in zip(names, [*mpl.color_sequences["tab10"], "black", "navy"], strict=False):
        points = [(row["documents"], row["seconds"][name][0]) for row in report["speed"] if name in row["seconds"]]
        style = {"linewidth": 2.2} if name in ours else {"linestyle": "--", "linewidth": 1.2}
        axes.plot(*zip(*points, strict=True), marker="o", markersize=4, label=name, color=colour, **style)
    axes.set(xscale="log", yscale="log", xlabel="documents", ylabel="seconds for one query")
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Measure everything, and write peers.json, peers.md and peers.png."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # solvers that are not yet exact enough say so
    report: dict[str, Any] = {"cores": os.cpu_count(), "speed": []}
    with progress("timing", 3 * len(arguments.documents)) as advance:
        for n in arguments.documents:
            corpus, queries = CORPORA["text"](n, D, BATCH)
            repeats, seconds = 20 if n <= 10_000 else 5, dict[str, Any]()
            for part in (
                partial(decoders, corpus, queries, repeats),
                partial(neighbours, corpus, queries, repeats),
                partial(solvers, corpus, queries[0]),
            ):
                seconds |= part()
                advance(1)
            report["speed"].append({"documents": n, "seconds": seconds})
    report["mmr"] = mmr(corpus, queries[0])
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "peers.json").write_text(json.dumps(report, indent=1) + "\n")
    (arguments.out / "peers.md").write_text(markdown(report))
    draw(report, arguments.out / "peers.png")
    print(markdown(report))


if __name__ == "__main__":
    main()
