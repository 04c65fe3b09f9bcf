"""Where the time of a decode goes: a batch over many documents, and one query and a batch over few.

    python -m benchmarks.breakdown --documents 1000000 --out benchmarks/results

Parts are timed as they run, in the best of several decodes; what is left over is the work around them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.corpora import CORPORA
from coverset import NNN, Dense, MemoryIndex
from coverset.decoders.cut import Cut
from coverset.evaluation.speed import best
from coverset.indexes.memory.bounds import Bounds
from coverset.products import times
from coverset.solvers import exact
from coverset.solvers.few import solve_gram
from coverset.solvers.parallel import each, workers
from coverset.solvers.solution import Solution

D, BATCH, K, REPEATS = 384, 64, 5, 5
LARGE = {"(0.1, 0.1)": NNN(l1=0.1, l2=0.1), "(0.1, 10)": NNN(l1=0.1, l2=10.0)}
SMALL = (("text", 500, 1), ("text", 2000, 1), ("clustered", 500, 32))


@contextmanager
def timed(seconds: Counter[str], places: dict[str, tuple[Any, str]]) -> Iterator[None]:
    """Add up what some functions take, by name; `{sample}` in a name says what was scanned."""

    def around(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any, **options: Any) -> Any:
            start = time.perf_counter()
            done = function(*arguments, **options)
            sampled = "a sample" if len(arguments) > 5 and arguments[5] != 1 else "all rows"
            seconds[name.format(sample=sampled)] += time.perf_counter() - start
            return done

        return timing

    with ExitStack() as stack:
        for name, (owner, attribute) in places.items():
            stack.enter_context(patch.object(owner, attribute, around(name, getattr(owner, attribute))))
        yield


def large(n: int) -> list[dict[str, Any]]:
    """Return, for each pair of strengths, the milliseconds of a batch's parts, and in all."""
    from coverset.indexes.memory import screened

    places = {
        "scans of {sample}": (screened, "scan"),
        "reading again what came within reach": (Bounds, "read"),
        "taking in what was found, and solving": (exact, "each"),
    }
    corpus, queries = CORPORA["text"](n, D, BATCH)
    index, rows = MemoryIndex(corpus), []
    scan = best(lambda: Dense().decode_batch(queries, index, K), REPEATS)
    for name, decoder in LARGE.items():
        decoder.decode_batch(queries, index, K)
        runs = []
        for _ in range(REPEATS):
            seconds: Counter[str] = Counter()
            start = time.perf_counter()
            with timed(seconds, places):
                decoder.decode_batch(queries, index, K)
            runs.append((time.perf_counter() - start, seconds))
        total, seconds = min(runs, key=lambda run: run[0])
        seconds["the rest"] = total - sum(seconds.values())
        rows.append({"strengths": name, "dense_ms": 1000 * scan, "nnn_ms": 1000 * total,
                     "parts_ms": {part: 1000 * t for part, t in seconds.items()}})  # fmt: skip
    return rows


def small(name: str, n: int, count: int) -> dict[str, Any]:
    """Return the microseconds of the parts of some queries over few documents, and in all.

    Beside them: numpy's product in single precision, and FISTA-50.
    """
    corpus, queries = CORPORA[name](n, D, BATCH)
    index, decoder, targets = MemoryIndex(corpus), LARGE["(0.1, 0.1)"], queries[:count].astype(np.float64)
    fista, asked = NNN(l1=0.1, l2=0.1, solver="fista", iterations=50), queries[:count]
    ids, strength, cut = np.arange(n), np.full(count, 0.1), Cut(K, fill=True, whole=True)
    room, step = np.empty((count, n)), workers(count)

    def solve() -> Solution:
        return solve_gram(ids, index.corpus, index.gram, targets, strength, strength)

    def score() -> None:
        each(lambda first: times(index.corpus.rows, targets, first, step, room), range(step))

    solution = solve()
    total = best(lambda: decoder.decode_batch(asked, index, K), 500)
    solved, scored, picked = best(solve, 500), best(score, 500), best(lambda: [*cut.select(solution)], 500)
    parts = {
        "the product, in double precision": scored,
        "solving": solved - scored,
        "picking and proving": picked,
        "around it": total - solved - picked,
    }
    return {
        "corpus": name,
        "documents": n,
        "queries": count,
        "product_us": 1e6 * best(lambda: corpus @ asked.T, 500),
        "fista_us": 1e6 * best(lambda: fista.decode_batch(asked, index, K), 50),
        "nnn_us": 1e6 * total,
        "parts_us": {part: 1e6 * t for part, t in parts.items()},
    }


def markdown(report: dict[str, Any]) -> str:
    """The report as lines."""
    lines = [f"A batch of {BATCH} over {report['documents']:,} documents, in milliseconds:", ""]
    for row in report["large"]:
        parts = ", ".join(f"{part} {ms:.0f}" for part, ms in row["parts_ms"].items())
        lines.append(f"- {row['strengths']}: {row['nnn_ms']:.0f} (Dense {row['dense_ms']:.0f}): {parts}")
    lines += ["", "Over few documents, (0.1, 0.1), in microseconds:", ""]
    for row in report["small"]:
        parts = ", ".join(f"{part} {us:.0f}" for part, us in row["parts_us"].items())
        asked = f"{row['queries']} of {row['corpus']} over {row['documents']:,}"
        beside = f"numpy's product {row['product_us']:.0f}, FISTA-50 {row['fista_us']:.0f}"
        lines.append(f"- {asked}: {row['nnn_us']:.0f} ({beside}): {parts}")
    return "\n".join([*lines, "", "Made by `python -m benchmarks.breakdown --out benchmarks/results`."]) + "\n"


def main() -> None:
    """Measure, and write breakdown.json and breakdown.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--few", action="store_true", help="measure few documents only; the rest of --out stays")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    written = arguments.out / "breakdown.json"
    if arguments.few:
        report = json.loads(written.read_text())
    else:
        report = {"documents": arguments.documents, "large": large(arguments.documents)}
    report["small"] = [small(*of) for of in SMALL]
    written.write_text(json.dumps(report, indent=1) + "\n")
    (arguments.out / "breakdown.md").write_text(markdown(report))
    print(markdown(report))


if __name__ == "__main__":
    main()
