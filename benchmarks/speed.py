"""Time and memory of NNN beside Dense and the paper's FISTA-50, in one run.

    python -m benchmarks.speed --out benchmarks/results

Machines are shared and noisy, so what counts is the ratio of times taken in the same run, each the best of
several. Memory is the peak of a process of its own, over what it held before it had the corpus.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import CORPORA
from coverset import NNN, Dense, MemoryIndex
from coverset.evaluation.speed import best
from coverset.indexes.memory.rounded import PAYS

D, QUERIES, L1, L2 = 384, 32, 0.1, 0.1
FEW, MANY = 500, 300_000
EXACT, FISTA = NNN(l1=L1, l2=L2), NNN(l1=L1, l2=L2, solver="fista", iterations=50)


def measure(kind: str, n: int) -> dict[str, Any]:
    """Time the three decoders on one corpus, prepared once."""
    corpus, queries = CORPORA[kind](n, D, QUERIES)
    index = MemoryIndex(corpus)
    repeats = 5 if n > 10_000 else 50
    selections = EXACT.decode_batch(queries, index)
    support = [len(s) for s in EXACT.decode_batch(queries, index, k=None)]
    index.lipschitz  # noqa: B018  FISTA's constant, which a corpus needs once, is not part of its time
    dense = best(lambda: Dense().decode_batch(queries, index), repeats)
    exact = best(lambda: EXACT.decode_batch(queries, index), repeats)
    fista = best(lambda: FISTA.decode_batch(queries, index), 1 if n > 10_000 else 10)
    gaps = [s.gap for s in FISTA.decode_batch(queries, index)]
    return {
        "corpus": kind,
        "documents": n,
        "certified": sum(bool(s.certified) for s in selections),
        "passes": float(np.mean([s.passes for s in selections])),
        "support": float(np.mean(support)),
        "dense_ms": 1000 * dense,
        "nnn_ms": 1000 * exact,
        "fista50_ms": 1000 * fista,
        "nnn_over_dense": exact / dense,
        "fista50_over_nnn": fista / exact,
        "nnn_gap": float(np.max([s.gap for s in selections])),
        "fista50_gap": float(np.median(gaps)),
    }


def single(n: int) -> dict[str, float]:
    """Time one query over a small catalogue, prepared once, beside the bare product that scores it."""
    corpus, queries = CORPORA["text"](n, D, QUERIES)
    index, query = MemoryIndex(corpus), queries[0]
    return {
        "documents": n,
        "nnn_us": 1e6 * best(lambda: EXACT.decode(query, index), 500),
        "product_us": 1e6 * best(lambda: corpus @ query, 500),
    }


def peak_memory(path: str) -> None:
    """Print the peak memory of decoding, as a multiple of the corpus. Runs in a process of its own.

    First that of a batch; then, beside a copy in bytes, that of queries one by one and a batch.
    """
    small = np.eye(8, D, dtype=np.float32)
    EXACT.decode_batch(np.ones((2, D)), small)
    EXACT.decode_batch(np.ones((2, D)), np.tile(small, (400, 1)))
    before = _bytes("VmRSS")
    corpus, queries = np.load(f"{path}/corpus.npy"), np.load(f"{path}/queries.npy")
    index = MemoryIndex(corpus)
    EXACT.decode_batch(queries, index)
    batch = (_bytes("VmHWM") - before) / corpus.nbytes
    for query in queries[: PAYS + 1]:
        EXACT.decode(query, index)
    if index._rounding:
        index._rounding[0].wait()
    EXACT.decode(queries[0], index)
    EXACT.decode_batch(queries, index)
    print(json.dumps({"batch": batch, "with a copy in bytes": (_bytes("VmHWM") - before) / corpus.nbytes}))


def _bytes(field: str) -> int:
    """The memory this process holds (VmRSS) or has held at most (VmHWM), on Linux."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith(field)).split()[1])


def memory(kind: str, n: int, scratch: Path) -> dict[str, float]:
    """Return the peak memory of decoding over a corpus, as a multiple of its size."""
    corpus, queries = CORPORA[kind](n, D, QUERIES)
    scratch.mkdir(exist_ok=True)
    np.save(scratch / "corpus.npy", corpus)
    np.save(scratch / "queries.npy", queries)
    del corpus
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.speed", "--peak-memory", str(scratch)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for file in scratch.iterdir():
        file.unlink()
    scratch.rmdir()
    found: dict[str, float] = json.loads(done.stdout)
    return found


def first_answer() -> dict[str, float]:
    """Seconds to import, over bare numpy, and to the first answer of a new process with cached kernels.

    What numba, which loads and runs them, takes for itself is told apart: its import, and all else that it imports
    when it is first used.
    """
    before = "import numpy as np, time; x = np.random.default_rng(0).standard_normal((5000, 384)).astype('f')"
    numba = (
        "from numba.core.registry import cpu_target as c; c.typing_context.refresh(); c.target_context.refresh()"
    )
    start, stop = "s = time.perf_counter()", "print(time.perf_counter() - s)"
    importing = "; ".join([before, start, "import coverset", stop])
    loading = "; ".join([before, start, numba, stop])
    decoding = "; ".join([before, numba, start, "from coverset import NNN; NNN().decode(x[0], x)", stop])

    def run(code: str) -> float:
        return float(
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        )

    return {
        "import_s": min(run(importing) for _ in range(5)),
        "numba_s": min(run(loading) for _ in range(5)),
        "first_decode_s": min(run(decoding) for _ in range(5)),
    }


def markdown(report: dict[str, Any]) -> str:
    """The report as a table."""
    lines = [
        "| corpus | documents | certified | passes | Dense ms | NNN ms | FISTA-50 ms | NNN / Dense "
        "| FISTA-50 / NNN | NNN's gap | FISTA-50's gap |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in report["speed"]:
        lines.append(
            f"| {row['corpus']} | {row['documents']:,} | {row['certified']}/{QUERIES} | {row['passes']:.1f} "
            f"| {row['dense_ms']:.1f} | {row['nnn_ms']:.1f} | {row['fista50_ms']:,.0f} "
            f"| {row['nnn_over_dense']:.1f} | {row['fista50_over_nnn']:.0f} "
            f"| {max(row['nnn_gap'], 1e-16):.0e} | {row['fista50_gap']:.0e} |"
        )
    peak = "; ".join(
        f"{kind} {found['batch']:.2f} for a batch, {found['with a copy in bytes']:.2f} with the copy in bytes"
        for kind, found in report["peak_memory_over_corpus"].items()
    )
    start = report["start"]
    small = "; ".join(
        f"{row['documents']:,} documents {row['nnn_us']:.0f} microseconds (the product with them: "
        f"{row['product_us']:.0f})"
        for row in report["single"]
    )
    lines += [
        "",
        f"{QUERIES} queries, d = {D}, l1 = {L1}, l2 = {L2}, k = 5, on {report['cores']} cores. "
        f"Peak memory over the size of the corpus: {peak}. "
        f"Import: {start['import_s']:.2f} s over numpy; first answer in a new process: "
        f"{start['first_decode_s']:.2f} s, and {start['numba_s']:.2f} s to import numba. "
        f"One query over a small catalogue: {small}.",
        "",
        "Made by `python -m benchmarks.speed --out benchmarks/results`.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure everything and write speed.json and speed.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--few", action="store_true", help="measure few documents only; the rest of --out stays")
    parser.add_argument("--peak-memory", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.peak_memory:
        peak_memory(arguments.peak_memory)
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    written = arguments.out / "speed.json"
    report: dict[str, Any] = json.loads(written.read_text()) if arguments.few else {"speed": []}
    report |= {"cores": os.cpu_count(), "python": platform.python_version(), "numpy": np.__version__}
    kept = [row for row in report["speed"] if row["documents"] > FEW]
    report["speed"] = []
    for kind in CORPORA:
        report["speed"] += [measure(kind, FEW), *(row for row in kept if row["corpus"] == kind)]
        if not arguments.few:
            report["speed"].append(measure(kind, MANY))
        print(json.dumps(report["speed"][-2:]), flush=True)
    if not arguments.few:
        corpora = [*((kind, MANY) for kind in CORPORA), ("text", 1_000_000)]
        report["peak_memory_over_corpus"] = {
            f"{kind}, {n:,} documents": memory(kind, n, arguments.out / "scratch") for kind, n in corpora
        }
        report["start"] = first_answer()
    report["single"] = [single(n) for n in (500, 2000)]
    written.write_text(json.dumps(report, indent=2) + "\n")
    (arguments.out / "speed.md").write_text(markdown(report))
    print(markdown(report))


if __name__ == "__main__":
    main()
