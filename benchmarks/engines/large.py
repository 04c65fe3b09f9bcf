"""Approximate indexes over 200,000 documents: how they find a residual's best, and what agreement costs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines.common import DECODER, K, agreement, best
from coverset import MemoryIndex
from coverset.arrays import Floats
from coverset.indexes import FaissIndex, LanceIndex, PgvectorIndex, UsearchIndex

# From little effort to the default.
LADDERS = {"hnsw": (256, 1024, 8192), "ivf": (32, 128, 640)}


def kept(kind: str, corpus: Floats, folder: Path) -> Any:
    """A FAISS index, built once: the folder keeps it."""
    path = folder / f"{kind}.faiss"
    if not path.exists():
        index = FaissIndex.build(corpus, kind=kind)
        index.faiss.write_index(index.index, str(path))
    return FaissIndex(path).index


@contextmanager
def engines(corpus: Floats, folder: Path) -> Iterator[Iterator[tuple[str, Any]]]:
    """FAISS at every step of its ladders, the others at their default effort; what is built, the folder keeps."""
    import pgserver

    os.chmod(folder, 0o755)
    server = pgserver.get_server(folder / "postgres", cleanup_mode="stop")

    def one_by_one() -> Iterator[tuple[str, Any]]:
        for kind, efforts in LADDERS.items():
            index = kept(kind, corpus, folder)
            yield from ((f"FAISS {kind.upper()}", FaissIndex(index, effort=effort)) for effort in efforts)
        path = folder / "graph.usearch"
        if not path.exists():
            UsearchIndex.build(corpus).index.save(str(path))
        yield "usearch", UsearchIndex(path)
        if not (folder / "lance" / "docs.lance").exists():
            LanceIndex.build(str(folder / "lance"), "docs", corpus, kind="ivf")
        yield "LanceDB IVF", LanceIndex(str(folder / "lance"), "docs")
        if "docs" not in server.psql("\\dt"):
            PgvectorIndex.build(server.get_uri(), "docs", corpus, kind="ivf").close()
        index = PgvectorIndex(server.get_uri(), "docs")
        yield "PostgreSQL IVF", index
        index.close()

    try:
        yield one_by_one()
    finally:
        server.cleanup()


def compare_large(corpus: Floats, queries: Floats, folder: Path) -> list[dict[str, Any]]:
    """Approximate indexes by effort: recall of queries and of residuals, agreement with the exact answer, time."""
    memory = MemoryIndex(corpus)
    expected = DECODER.decode_batch(queries, memory, k=K)
    residuals = DECODER.rewrite(queries, memory)
    asked = {"queries": queries, "residuals": residuals}
    truth = {kind: memory.search(vectors, 100)[1] for kind, vectors in asked.items()}
    rows = []
    with engines(corpus, folder) as found_engines:
        for engine, index in found_engines:
            recalls = {}
            for kind, vectors in asked.items():
                pairs = zip(index.search(vectors, 100)[1], truth[kind], strict=True)
                recalls[kind] = float(np.mean([len(set(a) & set(b)) / 100 for a, b in pairs]))
            plain, _ = best(lambda index=index: index.search(queries, K))
            seconds, found = best(lambda index=index: DECODER.decode_batch(queries, index, k=K))
            rows.append(
                {
                    "engine": engine,
                    "effort": index.effort,
                    **recalls,
                    "agreement": agreement(found, expected),
                    "rounds": float(np.mean([s.passes for s in found])),
                    "plain_ms": 1000 * plain / len(queries),
                    "nnn_ms": 1000 * seconds / len(queries),
                    "ratio": seconds / plain,
                }
            )
            print(json.dumps(rows[-1]), flush=True)
    return rows
