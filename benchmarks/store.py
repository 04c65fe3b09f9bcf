"""What a store costs: small writes one after the other, searches between them, and the space on disk.

python -m benchmarks.store --out benchmarks/results
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import clustered
from coverset import NNN, Dense, Retriever
from coverset.encoders.precomputed import Precomputed

D, WRITES, EACH = 384, 160, 40
# Texts of the length that short passages have, out of so many words, some of them far more common than others.
LENGTH, WORDS = 40, 5000
# Words have no digits in them: those would be terms of their own.
LETTERS = str.maketrans("0123456789", "bcdfghjklm")


def timed(call: Callable[[], Any]) -> float:
    """Return the milliseconds that a call takes."""
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def size(folder: Path) -> tuple[float, int]:
    """Return the megabytes and the number of files in a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6, len(files)


def texts(n: int) -> list[str]:
    """Return n texts, each of words of its own."""
    words = np.array([f"{word:04}".translate(LETTERS) for word in range(WORDS)])
    share = 1.0 / (10.0 + np.arange(WORDS))
    drawn = np.random.default_rng(0).choice(words, (n, LENGTH), p=share / share.sum())
    return [" ".join(some) for some in drawn]


def measure(n: int, folder: Path) -> dict[str, Any]:
    """Build a store of n documents, then write and search in turn."""
    (vectors, queries), told = clustered(n + WRITES, D, EACH), texts(n + WRITES)
    writer = Retriever.open(folder, encoder=Precomputed(D))
    documents = [{"id": f"d{i}", "text": told[i], "meta": {"n": i % 10}, "vector": vectors[i]} for i in range(n)]
    build = timed(lambda: writer.add(documents))
    megabytes, _ = size(folder)
    reader = Retriever.open(folder)
    load = timed(reader.snapshot)
    for decoder in (NNN(l1=0.1, l2=0.1), Dense()):
        reader.search(queries[0], decoder=decoder)
    dense = [timed(lambda q=q: reader.search(q, decoder=Dense())) for q in queries]
    nnn = [timed(lambda q=q: reader.search(q, decoder=NNN(l1=0.1, l2=0.1))) for q in queries]
    upserts, after, most, files = [], [], 0.0, 0
    for w in range(WRITES):
        new = {"id": f"d{w % 500}", "text": told[n + w], "meta": {"w": w}, "vector": vectors[n + w]}
        upserts.append(timed(lambda new=new: writer.add([new])))
        after.append(timed(lambda w=w: reader.search(queries[w % EACH], decoder=Dense())))
        if w % 20 == 0:
            now = size(folder)
            most, files = max(most, now[0]), max(files, now[1])
    return {
        "documents": n,
        "build_per_s": n / build * 1000,
        "load_ms": load,
        "dense_ms": min(dense),
        "nnn_ms": min(nnn),
        "upsert_first_ms": min(upserts[:EACH]),
        "upsert_last_ms": min(upserts[-EACH:]),
        "search_after_write_ms": min(after),
        "megabytes": megabytes,
        "most_megabytes": most,
        "most_files": files,
    }


def markdown(rows: list[dict[str, Any]]) -> str:
    """The figures as a table."""
    lines = [
        "| documents | build, per s | open and load ms | Dense ms | NNN ms | upsert ms | the same at the end "
        "| Dense after another's write ms | MB | most MB | most files |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        lines.append(
            f"| {row['documents']:,} | {row['build_per_s']:,.0f} | {row['load_ms']:,.0f} | {row['dense_ms']:.1f} "
            f"| {row['nnn_ms']:.1f} | {row['upsert_first_ms']:.0f} | {row['upsert_last_ms']:.0f} "
            f"| {row['search_after_write_ms']:.0f} | {row['megabytes']:.0f} "
            f"| {row['most_megabytes']:.0f} | {row['most_files']:,} |"
        )
    lines += [
        "",
        f"{WRITES:,} upserts of one document each, every one on disk (fsync) before it is acknowledged, each "
        f"followed by a search through another `Retriever` that sees it. d = {D}; the best of {EACH} or "
        f"more, on {os.cpu_count()} cores. Vectors are handed in: encoding is not "
        "counted.",
        "",
        "Made by `python -m benchmarks.store --out benchmarks/results`.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write store.json and store.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--documents", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options = parser.parse_args()
    out, rows = options.out, []
    for n in options.documents:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(n, Path(folder) / "s.cover"))
        print(json.dumps(rows[-1]), flush=True)
    (out / "store.json").write_text(json.dumps(rows, indent=2) + "\n")
    (out / "store.md").write_text(markdown(rows))


if __name__ == "__main__":
    main()
