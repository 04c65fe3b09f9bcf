"""Whether what is certified or proved is true: problems at every scale against exact rational arithmetic.

    python -m benchmarks.certificates --problems 1000000 --out benchmarks/results

Runs on from where it was stopped, block by block; every block has seeds of its own.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from tests.solvers.rational import optimum, ranking

from coverset import NNN, MemoryIndex
from coverset.progress import progress

BLOCK = 1000
LENGTHS, TARGETS = range(-6, 7), range(-6, 11)
LAYOUTS = ("float32", "float64", "fortran", "strided", "prepared", "read-only")


def problem(rng: np.random.Generator) -> tuple[Any, Any, float, float, int]:
    """Return (corpus, query, l1, l2, k): few documents, so that every support can be tried; ties are common."""
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    whole = rng.random() < 0.5
    corpus = rng.integers(-2, 3, (n, d)).astype(float) if whole else rng.standard_normal((n, d))
    query = rng.integers(-2, 3, d).astype(float) if whole else rng.standard_normal(d)
    if n > 1 and rng.random() < 0.3:
        corpus[rng.integers(n)] = corpus[rng.integers(n)]
    long, far = 10.0 ** rng.choice(LENGTHS), 10.0 ** rng.choice(TARGETS)
    lengths = long * 10.0 ** rng.uniform(-1, 1, (n, 1)) if rng.random() < 0.3 else long
    l1 = float(rng.choice([0.0, 0.01, 0.3, 1.0])) * long * far
    l2 = float(rng.choice([0.0, 0.01, 0.3, 10.0])) * long**2
    if l1 == l2 == 0.0:
        l1 = 0.1 * long * far
    rows, target = (corpus * lengths).astype(np.float32), (query * far).astype(np.float32)
    return rows, target, l1, l2, int(rng.integers(1, 6))


def laid_out(rows: Any, layout: str) -> Any:
    """Return the same corpus as another kind of array."""
    if layout == "float64":
        return rows.astype(np.float64)
    if layout == "fortran":
        return np.asfortranarray(rows)
    if layout == "strided":
        return np.repeat(rows, 2, axis=0)[::2]
    if layout == "read-only":
        rows = rows.copy()
        rows.flags.writeable = False
    return MemoryIndex(rows) if layout == "prepared" else rows


def outcome(rng: np.random.Generator) -> list[str]:
    """Solve one random problem; return what is to be counted, faults among it."""
    rows, query, l1, l2, k = problem(rng)
    selection = NNN(l1=l1, l2=l2).decode(query, laid_out(rows, str(rng.choice(LAYOUTS))), k=k)
    counted = ["problems"] + ["certified"] * bool(selection.certified) + ["proved"] * bool(selection.proved)
    if len(set(selection.ids.tolist())) < len(selection):
        counted.append("documents twice in an answer")
    truth = optimum(rows, query, l1, l2)
    if truth is None:
        return [*counted, "with more than one optimum"]
    weights, scores = truth
    best = [i for i in ranking(weights, scores) if rows[i].any()][:k]
    if selection.proved and set(selection.ids.tolist()) != set(best):
        counted.append("false proofs")
    largest = float(max(weights))
    unit = float(np.linalg.norm(query.astype(float)) * np.linalg.norm(rows.astype(float), axis=1).max())
    worse = len(best) != len(selection) or any(
        float(weights[ours] - weights[theirs]) < -1e-6 * largest
        or (weights[theirs] == 0 and float(scores[ours] - scores[theirs]) < -1e-6 * unit)
        for ours, theirs in zip(selection.ids.tolist(), best, strict=True)
    )
    if selection.certified and worse:
        counted.append("false certificates")
    return counted


def main() -> None:
    """Go through the problems, and write the counts after every block."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    path = arguments.out / "certificates.json"
    record: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    if record.get("seed") != arguments.seed:
        record = {"seed": arguments.seed, "blocks": 0, "seconds": 0.0, "counts": {}}
    counts = Counter(record["counts"])
    blocks = -(-arguments.problems // BLOCK)
    with progress("problems against rational arithmetic", blocks * BLOCK) as advance:
        advance(record["blocks"] * BLOCK)
        for block in range(record["blocks"], blocks):
            start = time.perf_counter()
            rng = np.random.default_rng([arguments.seed, block])
            for _ in range(BLOCK):
                counts.update(outcome(rng))
            seconds = record["seconds"] + time.perf_counter() - start
            record = {**record, "blocks": block + 1, "seconds": round(seconds, 1), "counts": dict(counts)}
            path.write_text(json.dumps(record, indent=1) + "\n")
            advance(BLOCK)
    print(json.dumps(record["counts"], indent=1))


if __name__ == "__main__":
    main()
