"""Memory and time of one training step: the implicit gradient against the paper's unrolled one.

    python -m benchmarks.training --out benchmarks/results

Each measurement is a process of its own, on one thread: a batch of 64 queries against N documents in clusters,
d = 384; the loss, and its gradients by queries and documents. Memory is how much the process's peak grows in the
step, with an allocator that hands freed memory back at once, so that it is what is in use; time is the best of
several steps. The last row is whole steps of training adapters over 100,000 documents, the optimiser's included,
and the peak of the whole process.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZES, LARGE = (500, 1651, 10_000), 100_000
QUERIES, DIM, RELEVANT = 64, 384, 3
L1, L2 = 0.1, 0.1


def memory(field: str) -> float:
    """Return the process's memory in MiB: VmRSS, what it has, or VmHWM, the most it had since `forget`."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def forget() -> None:
    """Hand freed memory back to the system, and let the peak begin from what is left."""
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def problem(n: int) -> tuple[Any, Any, Any]:
    """Queries, documents, and for each query its relevant documents: three of the nearest."""
    import torch

    from benchmarks.corpora import clustered

    corpus, queries = clustered(n, DIM, QUERIES)
    near = np.argsort(-(queries @ corpus.T), axis=1)[:, : 2 * RELEVANT : 2]
    relevant = list(torch.from_numpy(near.copy()))
    return torch.from_numpy(queries).requires_grad_(), torch.from_numpy(corpus).requires_grad_(), relevant


def step(gradient: str, queries: Any, corpus: Any, relevant: Any) -> None:
    """Compute the loss and its gradients, once."""
    import torch

    from coverset.training.completeness import Weights, completeness, relevance
    from coverset.training.implicit import implicit
    from coverset.training.unrolled import unrolled

    if gradient == "unrolled":
        weights = Weights(unrolled(queries, corpus, L1, L2), relevance(relevant, len(corpus)))
    else:
        weights = implicit(queries, lambda rows: corpus if rows is None else corpus[rows], relevant, L1, L2)
    torch.autograd.grad(completeness(weights), (queries, corpus))


def measure_step(gradient: str, n: int, repeats: int) -> dict[str, float]:
    """Measure steps in this process; one over few documents first, so that code is loaded and compiled."""
    import torch

    torch.set_num_threads(1)
    small = problem(600)
    step(gradient, *small)
    large = problem(n)
    forget()
    before, seconds = memory("VmRSS"), []
    for _ in range(repeats):
        start = time.perf_counter()
        step(gradient, *large)
        seconds.append(time.perf_counter() - start)
    return {"seconds": min(seconds), "MiB": memory("VmHWM") - before}


def measure_large() -> dict[str, float]:
    """Train adapters over many documents: three whole steps of 64 queries, implicit gradient."""
    import torch

    from benchmarks.corpora import clustered
    from coverset.evaluation.datasets import Split
    from coverset.training.joint import JointTask
    from coverset.training.material import Examples
    from coverset.training.plan import Plan
    from coverset.training.towers import Adapter, VectorTower

    torch.set_num_threads(1)
    corpus, queries = clustered(LARGE, DIM, QUERIES)
    near = list(np.argsort(-(queries @ corpus.T), axis=1)[:, : 2 * RELEVANT : 2].copy())
    split = Split([str(n) for n in range(QUERIES)], [str(n) for n in range(QUERIES)], near)

    class Ready:
        """The vectors, as an encoder."""

        name, dim, fingerprint = "ready", DIM, ""

        def encode(self, _texts: Any) -> Any:
            return corpus

        def encode_queries(self, _texts: Any) -> Any:
            return queries

    base = Ready()
    towers = [VectorTower(base, side, Adapter(DIM, mix=0.0)) for side in ("query", "document")]
    data = Examples(Path(), [str(n) for n in range(LARGE)], split, split)
    task = JointTask(towers[0], towers[1], data, Plan("nnn", "", gradient="implicit"), (L1, L2))
    optimizer, seconds, losses = torch.optim.AdamW(task.parameters(), lr=1e-3), [], []
    for _ in range(3):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = task.loss(np.arange(QUERIES))
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - start)
        losses.append(loss.item())
    assert losses[-1] < losses[0], losses
    return {"seconds": min(seconds), "MiB": memory("VmHWM")}


def apart(*arguments: str, **allocator: str) -> dict[str, float]:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.training", "--measure", *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **allocator}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def both(gradient: str, n: int) -> dict[str, float]:
    """Measure the time of a step, and in another process its memory."""
    timed = apart(gradient, str(n), "5" if n < 10_000 else "2")
    weighed = apart(gradient, str(n), "1", MALLOC_ARENA_MAX="1", MALLOC_MMAP_THRESHOLD_="65536")
    return {"seconds": timed["seconds"], "MiB": weighed["MiB"]}


def table(rows: list[dict[str, Any]], large: dict[str, float]) -> str:
    """Return the results in Markdown."""
    lines = [
        "| documents | unrolled MiB | implicit MiB | less memory | unrolled s | implicit s | faster |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        u, i = row["unrolled"], row["implicit"]
        lines.append(
            f"| {row['documents']:,} | {u['MiB']:.0f} | {i['MiB']:.0f} | {u['MiB'] / max(i['MiB'], 1):.1f} x | "
            f"{u['seconds']:.2f} | {i['seconds']:.3f} | {u['seconds'] / i['seconds']:.1f} x |"
        )
    lines += [
        "",
        f"One step of {QUERIES} queries, d = {DIM}, l1 = {L1}, l2 = {L2}, on one core; unrolled: 50 iterations.",
        f"Adapters over {LARGE:,} documents, implicit: {large['seconds']:.1f} s for a whole step, and a peak of "
        f"{large['MiB'] / 1024:.1f} GiB for the whole process.",
        "",
        "Made by `python -m benchmarks.training --out benchmarks/results`.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write `training_step.json` and `training_step.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--measure", nargs="+")
    given = parser.parse_args()
    if given.measure:
        what, *rest = given.measure
        print(json.dumps(measure_large() if what == "large" else measure_step(what, *map(int, rest))))
        return
    rows = []
    for n in SIZES:
        rows.append({"documents": n, **{gradient: both(gradient, n) for gradient in ("unrolled", "implicit")}})
        print(rows[-1], flush=True)
    large = apart("large")
    given.out.mkdir(parents=True, exist_ok=True)
    results = {"steps": rows, "large": large}
    (given.out / "training_step.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    (given.out / "training_step.md").write_text(table(rows, large), encoding="utf-8")


if __name__ == "__main__":
    main()
