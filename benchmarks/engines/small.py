"""Every engine over a small real corpus: each exact one must give the ids and weights of the array in memory."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines.common import DECODER, L1, L2, K, agreement, embedded
from coverset import NNN, MemoryIndex
from coverset.arrays import Floats
from coverset.indexes import (
    FaissIndex,
    LanceIndex,
    MilvusIndex,
    PgvectorIndex,
    QdrantIndex,
    RayIndex,
    UsearchIndex,
)


@contextmanager
def small_engines(corpus: Floats) -> Iterator[dict[str, Any]]:
    """Every engine, real and filled with the corpus."""
    import pgserver
    import ray
    from qdrant_client import QdrantClient

    with tempfile.TemporaryDirectory(prefix="coverset-engines-") as folder:
        os.chmod(folder, 0o755)
        server = pgserver.get_server(f"{folder}/postgres", cleanup_mode="delete")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
        engines = {
            "FAISS flat": FaissIndex.build(corpus, kind="flat"),
            "FAISS IVF": FaissIndex.build(corpus, kind="ivf", effort=4),
            "FAISS HNSW": FaissIndex.build(corpus, kind="hnsw"),
            "usearch": UsearchIndex.build(corpus),
            "LanceDB": LanceIndex.build(f"{folder}/lance", "docs", corpus),
            "LanceDB IVF": LanceIndex.build(f"{folder}/lance", "lists", corpus, kind="ivf", effort=1),
            "PostgreSQL": PgvectorIndex.build(server.get_uri(), "docs", corpus, kind="flat"),
            "PostgreSQL HNSW": PgvectorIndex.build(server.get_uri(), "graph", corpus, kind="hnsw"),
            "Milvus FLAT": MilvusIndex.build(f"{folder}/milvus.db", "docs", corpus, kind="flat"),
            "Qdrant (local)": QdrantIndex.build(QdrantClient(":memory:"), "docs", corpus),
            "Ray, 2 shards": RayIndex.build(f"{folder}/ray", corpus, shards=2),
        }
        try:
            yield engines
        finally:
            for index in engines.values():
                index.close()
            ray.shutdown()
            server.cleanup()


def equal(found: Any, expected: Any) -> int:
    """How many answers have the ids of the exact one and its weights, to 1e-5; ids where they are proved."""
    return sum(
        len(a) == len(b)
        and np.allclose(a.weights, b.weights, atol=1e-5)
        and (not b.proved or set(a.ids.tolist()) == set(b.ids.tolist()))
        for a, b in zip(found, expected, strict=True)
    )


def compare_small(name: str, folder: Path) -> list[dict[str, Any]]:
    """All engines over one data set; approximate ones as they are, and certified."""
    corpus, queries = embedded(folder)
    expected = DECODER.decode_batch(queries, MemoryIndex(corpus), k=K)
    rows = []
    with small_engines(corpus) as engines:
        for engine, index in engines.items():
            start = time.perf_counter()
            found = DECODER.decode_batch(queries, index, k=K)
            seconds = time.perf_counter() - start
            sure = found if index.exact else NNN(l1=L1, l2=L2, certify=True).decode_batch(queries, index, k=K)
            rows.append(
                {
                    "data": name,
                    "documents": len(corpus),
                    "queries": len(queries),
                    "engine": engine,
                    "exact": index.exact,
                    "equal": equal(found, expected),
                    "agreement": agreement(found, expected),
                    "rounds": float(np.mean([s.passes for s in found])),
                    "ms": 1000 * seconds / len(queries),
                    "certified": sum(bool(s.certified) for s in found),
                    "equal_when_certifying": equal(sure, expected),
                    "certified_when_certifying": sum(bool(s.certified) for s in sure),
                }
            )
            print(json.dumps(rows[-1]), flush=True)
    return rows
