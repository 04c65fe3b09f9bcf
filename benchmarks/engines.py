"""The same answer on every engine: agreement with the exact answer, rounds and time.

    python -m benchmarks.engines --data FOLDER --out benchmarks/results

FOLDER holds data sets in BEIR layout, among them numpybank and ultratool. Over each of these two, all engines
answer 200 queries, and every exact engine must give the ids and weights of the array in memory. Then all documents
of the folder, repeated and perturbed to 200,000, show how approximate indexes find violators, and what agreement
costs. Times are the best of several within one run; what counts are their ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset import NNN, MemoryIndex
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.evaluation.datasets import load
from coverset.indexes import (
    FaissIndex,
    LanceIndex,
    MilvusIndex,
    PgvectorIndex,
    QdrantIndex,
    RayIndex,
    UsearchIndex,
)

Floats = NDArray[np.float32]
L1, L2, K = 0.1, 0.1, 5
DECODER = NNN(l1=L1, l2=L2)
QUERIES, LARGE = 200, 200_000


def embedded(folder: Path) -> tuple[Floats, Floats]:
    """A data set's documents and test queries as vectors."""
    encoder, data = CachedEncoder(load_encoder(), default_folder()), load(folder)
    texts = data.split("test").texts[:QUERIES] if (folder / "qrels").exists() else []
    queries = encoder.encode_queries(texts) if texts else np.empty((0, 384), np.float32)
    return encoder.encode(data.texts), queries


@contextmanager
def small_engines(corpus: Floats) -> Iterator[dict[str, Any]]:
    """Every engine, real and filled with the corpus."""
    import pgserver
    import ray
    from qdrant_client import QdrantClient

    folder = tempfile.mkdtemp(prefix="coverset-engines-")
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


def agreement(found: Any, expected: Any) -> float:
    """The share of the exact top k that was found."""
    shares = [
        len(set(a.ids.tolist()) & set(b.ids.tolist())) / len(b) for a, b in zip(found, expected, strict=True)
    ]
    return float(np.mean(shares))


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
    expected = DECODER.decode(queries, MemoryIndex(corpus), k=K)
    rows = []
    with small_engines(corpus) as engines:
        for engine, index in engines.items():
            start = time.perf_counter()
            found = DECODER.decode(queries, index, k=K)
            seconds = time.perf_counter() - start
            sure = found if index.exact else NNN(l1=L1, l2=L2, certify=True).decode(queries, index, k=K)
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


def large(folders: list[Path]) -> tuple[Floats, Floats]:
    """All documents, repeated and perturbed to 200,000, and queries from all data sets."""
    parts = [embedded(folder) for folder in folders]
    rng = np.random.default_rng(0)
    seeds, queries = (np.concatenate(column) for column in zip(*parts, strict=True))
    corpus = seeds[rng.integers(len(seeds), size=LARGE)]
    for start in range(0, LARGE, 20_000):
        block = corpus[start : start + 20_000]
        block += 0.3 / np.sqrt(block.shape[1]) * rng.standard_normal(block.shape, dtype=np.float32)
    corpus /= np.linalg.norm(corpus, axis=1, keepdims=True)
    return corpus, queries[rng.choice(len(queries), min(100, len(queries)), replace=False)]


def best(function: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Seconds of the fastest of several calls, and what it returned."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def kept(kind: str, corpus: Floats, folder: Path | None) -> FaissIndex:
    """Build a FAISS index, once: the folder, if there is one, keeps it."""
    path = folder / f"{kind}.faiss" if folder else None
    if path and path.exists():
        return FaissIndex(path)
    index = FaissIndex.build(corpus, kind=kind)
    if path:
        index.faiss.write_index(index.index, str(path))
    return index


def compare_large(
    corpus: Floats, queries: Floats, folder: Path | None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Approximate indexes by effort: how they find residuals' best documents, and what agreement costs."""
    memory = MemoryIndex(corpus)
    expected = DECODER.decode(queries, memory, k=K)
    residuals = DECODER.rewrite(queries, memory)
    truth = {"queries": memory.search(queries, 100)[1], "residuals": memory.search(residuals, 100)[1]}
    graph, lists = kept("hnsw", corpus, folder), kept("ivf", corpus, folder)
    recalls, rows = [], []
    ladder = [("FAISS HNSW", graph, e) for e in (256, 1024, 8192)]
    ladder += [("FAISS IVF", lists, e) for e in (32, 128, 640)]
    for engine, built, effort in ladder:
        index = FaissIndex(built.index, effort=effort)
        row: dict[str, Any] = {"engine": engine, "effort": effort}
        for kind, asked in (("queries", queries), ("residuals", residuals)):
            found = index.search(asked, 100)[1]
            row[kind] = float(
                np.mean([len(set(a) & set(b)) / 100 for a, b in zip(found, truth[kind], strict=True)])
            )
        recalls.append(row)
        plain, _ = best(lambda index=index: index.search(queries, K))
        seconds, found = best(lambda index=index: DECODER.decode(queries, index, k=K))
        rows.append(
            {
                "engine": engine,
                "effort": effort,
                "agreement": agreement(found, expected),
                "rounds": float(np.mean([s.passes for s in found])),
                "plain_ms": 1000 * plain / len(queries),
                "nnn_ms": 1000 * seconds / len(queries),
                "ratio": seconds / plain,
            }
        )
        print(json.dumps({**row, **rows[-1]}), flush=True)
    return recalls, rows


def shards(corpus: Floats, queries: Floats) -> list[dict[str, Any]]:
    """Ray over 1 to 4 shards: time per query, and bytes moved a round."""
    import ray

    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    rows = []
    for count in (1, 2, 3, 4):
        with tempfile.TemporaryDirectory(prefix="coverset-ray-") as folder:
            RayIndex.build(folder, corpus, shards=count).close()
            index = _Counting(folder)
            DECODER.decode(queries[:8], index, k=K)
            index.rounds.clear()
            seconds, found = best(lambda index=index: DECODER.decode(queries, index, k=K), 2)
            one, _ = best(lambda index=index: [DECODER.decode(query, index, k=K) for query in queries[:10]], 1)
            rounds = np.array(index.rounds, float)
            rows.append(
                {
                    "shards": count,
                    "certified": sum(bool(s.certified) for s in found),
                    "rounds": float(np.mean([s.passes for s in found])),
                    "batch_ms": 1000 * seconds / len(queries),
                    "single_ms": 1000 * one / 10,
                    "kilobytes_out": float(rounds[:, 0].mean() / rounds[:, 2].mean() / 1000),
                    "kilobytes_back": float(rounds[:, 1].mean() / rounds[:, 2].mean() / 1000),
                }
            )
            index.close()
            print(json.dumps(rows[-1]), flush=True)
    ray.shutdown()
    return rows


class _Counting(RayIndex):
    """Counts what a round moves: (bytes out, bytes back, queries)."""

    def __init__(self, folder: Any) -> None:
        super().__init__(folder)
        self.rounds: list[tuple[int, int, int]] = []

    def _gather(self, question: str, *arguments: Any) -> list[Any]:
        answers = super()._gather(question, *arguments)
        out = sum(a.nbytes for a in arguments if isinstance(a, np.ndarray)) * len(self.shards)
        back = sum(part.nbytes for answer in answers for part in answer)
        self.rounds.append((out, back, len(arguments[0])))
        return answers


def main() -> None:
    """Measure what is asked for and add it to engines.json; write engines.md from all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of data sets in BEIR layout")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--keep", type=Path, help="folder that keeps the large indexes, to measure again")
    parser.add_argument("--only", choices=("small", "large", "shards"), help="measure only this part again")
    arguments = parser.parse_args()
    path = arguments.out / "engines.json"
    report = json.loads(path.read_text()) if path.exists() else {}
    report["cores"] = os.cpu_count()
    folders = sorted(f for f in arguments.data.iterdir() if any(f.glob("corpus.jsonl*")))
    if arguments.only in (None, "small"):
        wanted = [f for f in folders if f.name in ("numpybank", "ultratool")]
        report["small"] = [row for folder in wanted for row in compare_small(folder.name, folder)]
    if arguments.only != "small":
        corpus, queries = large(folders)
        if arguments.only in (None, "large"):
            earlier = {(r["engine"], r["effort"]): r["ratios"] for r in report.get("large", [])}
            report["residuals"], report["large"] = compare_large(corpus, queries, arguments.keep)
            for row in report["large"]:  # a noisy machine is judged by all its runs, not by its best
                row["ratios"] = [*earlier.get((row["engine"], row["effort"]), []), row["ratio"]]
        if arguments.only in (None, "shards"):
            report["shards"] = shards(corpus, queries[:32])
    arguments.out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=2) + "\n")
    (arguments.out / "engines.md").write_text(markdown(report))


def markdown(report: dict[str, Any]) -> str:
    """The report as tables."""
    lines = [
        "| data | engine | exact | equal to memory | agreement | rounds | ms a query | certified "
        "| with `certify=True`: equal, certified |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report.get("small", []):
        n = r["queries"]
        lines.append(
            f"| {r['data']} ({r['documents']}) | {r['engine']} | {'yes' if r['exact'] else 'no'} "
            f"| {r['equal']}/{n} | {r['agreement']:.3f} | {r['rounds']:.1f} | {r['ms']:.1f} "
            f"| {r['certified']}/{n} "
            f"| {r['equal_when_certifying']}/{n}, {r['certified_when_certifying']}/{n} |"
        )
    lines += ["", "| index | effort | best 100 of queries | best 100 of residuals |", "|---|--:|--:|--:|"]
    for r in report.get("residuals", []):
        lines.append(f"| {r['engine']} | {r['effort']} | {r['queries']:.3f} | {r['residuals']:.3f} |")
    lines += [
        "",
        "| index | effort | top-5 agreement | rounds | plain search ms | NNN ms | NNN / plain, every run |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report.get("large", []):
        lines.append(
            f"| {r['engine']} | {r['effort']} | {r['agreement']:.3f} | {r['rounds']:.1f} | {r['plain_ms']:.1f} "
            f"| {r['nnn_ms']:.1f} | {', '.join(f'{ratio:.1f}' for ratio in r['ratios'])} |"
        )
    lines += [
        "",
        "| Ray shards | certified | rounds | ms a query, batch | ms a query, one by one | kB out | kB back |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report.get("shards", []):
        lines.append(
            f"| {r['shards']} | {r['certified']} | {r['rounds']:.1f} | {r['batch_ms']:.1f} | {r['single_ms']:.0f} "
            f"| {r['kilobytes_out']:.0f} | {r['kilobytes_back']:.0f} |"
        )
    lines += [
        "",
        f"l1 = {L1}, l2 = {L2}, k = {K}, on {report['cores']} cores, d = 384. Everything but the first table: "
        f"{LARGE:,} vectors, documents of real data sets repeated and perturbed. Bytes are per query, round.",
        "",
        "Made by `python -m benchmarks.engines --data FOLDER --out benchmarks/results`.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
