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
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpora import CORPORA
from coverset import NNN, Dense, MemoryIndex
from coverset.arrays import Floats
from coverset.evaluation.peers import CANDIDATES, VIOLATION, missing, mmr, neighbours, solvers
from coverset.evaluation.speed import best
from coverset.progress import progress

D, BATCH, K = 384, 64, 5
L1, L2 = 0.1, 0.1
# How many MMR picks.
PICKED = 10


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
        slow = name == "NNN by FISTA-50"
        times = 1 if slow else repeats
        single = best(partial(decoder.decode, queries[0], over, K), times)
        batch = None if slow else best(partial(decoder.decode_batch, queries, over, K), times)
        found[name] = single, batch
        if isinstance(decoder, NNN) and decoder.l1 is not None and not slow:
            assert all(answer.certified for answer in decoder.decode_batch(queries, over, K))
    return found


def _alone(corpus: Floats, query: Floats) -> dict[str, tuple[float, float | None]]:
    """Return the seconds of what takes one query at a time."""
    return {name: (seconds, None) for name, seconds in solvers(corpus, query, L1, L2).items()}


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
    if missing():
        parser.error(f"not installed: {', '.join(missing())}; pip install '.[bench]' brings them")
    report: dict[str, Any] = {"cores": os.cpu_count(), "speed": []}
    with progress("timing", 3 * len(arguments.documents)) as advance:
        for n in arguments.documents:
            corpus, queries = CORPORA["text"](n, D, BATCH)
            repeats, seconds = 20 if n <= 10_000 else 5, dict[str, Any]()
            for part in (
                partial(decoders, corpus, queries, repeats),
                partial(neighbours, corpus, queries, K, repeats),
                partial(_alone, corpus, queries[0]),
            ):
                seconds |= part()
                advance(1)
            report["speed"].append({"documents": n, "seconds": seconds})
    report["mmr"] = mmr(corpus, queries[0], PICKED)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "peers.json").write_text(json.dumps(report, indent=1) + "\n")
    (arguments.out / "peers.md").write_text(markdown(report))
    draw(report, arguments.out / "peers.png")
    print(markdown(report))


if __name__ == "__main__":
    main()
