"""Real engines to test on, each filled with the same real text: numpy's functions, and requests for two."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import MemoryIndex
from coverset.arrays import Floats
from coverset.demo.catalogue import catalogue
from coverset.encoders.onnx import OnnxEncoder
from coverset.indexes import (
    FaissIndex,
    LanceIndex,
    MilvusIndex,
    PgvectorIndex,
    QdrantIndex,
    RayIndex,
    UsearchIndex,
)

# Ray asks for these before it is started.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # keeps to 127.0.0.1, as it does on those
# Values that break a filter which is put together carelessly.
LABELS = ["plain", "it's", 'say "hi"', "back\\slash", "x' or '1'='1", 'x" or "1"=="1', "%s {0} ☃"]

# Filters, and what each says in Python: the same must come of them in a store and on every engine.
Row = dict[str, Any]
FILTERS: list[tuple[dict[str, Any], Callable[[Row], bool]]] = [
    ({"label": LABELS[1]}, lambda r: r["label"] == LABELS[1]),
    ({"label": LABELS[2:]}, lambda r: r["label"] in LABELS[2:]),
    ({"year": 2021}, lambda r: r["year"] == 2021),
    (
        {"year": [2020, 2024], "label": LABELS[:5]},
        lambda r: r["year"] in (2020, 2024) and r["label"] in LABELS[:5],
    ),
    ({"share": [0.25, 0.5]}, lambda r: r["share"] in (0.25, 0.5)),
    ({"ready": True}, lambda r: r["ready"] is True),
    ({"label": "x' or 1=1 --"}, lambda r: False),
    ({"year": {"$gte": 2021, "$lt": 2023}}, lambda r: 2021 <= r["year"] < 2023),
    ({"share": {"$gt": 0.25, "$lte": 0.75}}, lambda r: 0.25 < r["share"] <= 0.75),
    ({"year": {"$gt": 2020.5}}, lambda r: r["year"] > 2020.5),
    ({"label": {"$ne": LABELS[3]}}, lambda r: r["label"] != LABELS[3]),
    ({"year": {"$nin": [2020, 2022]}, "ready": False}, lambda r: r["year"] not in (2020, 2022) and not r["ready"]),
    ({"day": {"$gte": "2024-03-05", "$lte": "2024-07-31"}}, lambda r: "2024-03-05" <= r["day"] <= "2024-07-31"),
    ({"day": {"$lt": date(2024, 2, 10)}}, lambda r: r["day"] < "2024-02-10"),
    *(
        ({"label": {"$contains": part}}, lambda r, part=part: part in r["label"])
        for part in ("'", '"', "\\", "%", "i")
    ),
    ({"label": {"$contains": "PLAIN"}}, lambda r: False),
    ({"$or": [{"year": 2020}, {"ready": True}]}, lambda r: r["year"] == 2020 or r["ready"]),
    (
        {"$not": {"$or": [{"year": 2020}, {"share": {"$lt": 0.5}}]}},
        lambda r: not (r["year"] == 2020 or r["share"] < 0.5),
    ),
    (
        {"$and": [{"year": {"$gt": 2020}}, {"year": {"$ne": 2023}}], "ready": False},
        lambda r: r["year"] > 2020 and r["year"] != 2023 and not r["ready"],
    ),
    ({"owner": {"$exists": True}}, lambda r: r["owner"] is not None),
    ({"owner": {"$exists": False}}, lambda r: r["owner"] is None),
    ({"owner": None}, lambda r: r["owner"] is None),
    ({"owner": ["owner 1", None]}, lambda r: r["owner"] in ("owner 1", None)),
    ({"owner": {"$ne": "owner 1"}}, lambda r: r["owner"] != "owner 1"),
    ({"$not": {"owner": {"$contains": "1"}}}, lambda r: not (r["owner"] and "1" in r["owner"])),
    ({"year": {"$exists": True}}, lambda r: True),
]
# Filters that mean nothing.
REFUSED: list[Any] = [
    *({}, [], "year = 2020", {"": 1}, {1: 2}, {"year": []}, {"year": {}}, {"year": float("nan")}, {"year": [[1]]}),
    *({"year": {"$regex": "2"}}, {"year": {"$eq": [2020]}}, {"year": {"$in": 2020}}, {"year": {"$gt": True}}),
    *({"year": {"$gt": 1, "$gte": 2}}, {"year": {"$gt": 1, "$lt": "2"}}, {"year": {"$gte": None}}),
    *({"label": {"$contains": ""}}, {"label": {"$contains": 1}}, {"owner": {"$exists": 1}}, {"$or": []}),
    *({"$or": {"year": 1}}, {"$and": [{}]}, {"$not": []}, {"$nor": [{"year": 1}]}),
]


@dataclass(frozen=True)
class Text:
    """The corpus, 200 queries, and what to filter by."""

    corpus: Floats
    queries: Floats
    names: list[str]
    columns: dict[str, list[Any]]
    memory: MemoryIndex


@pytest.fixture(scope="session")
def text() -> Text:
    tools, encoder, rng = catalogue(), OnnxEncoder(), np.random.default_rng(0)
    corpus, texts = encoder.encode(list(tools.values())), list(tools.values())
    asked = [f"{texts[a]} Then: {texts[b]}" for a, b in rng.choice(len(texts), (200, 2))]
    columns = {
        "label": [LABELS[i % len(LABELS)] for i in range(len(texts))],
        "year": [2020 + i % 5 for i in range(len(texts))],
        "share": [(i % 4) / 4 for i in range(len(texts))],
        "ready": [i % 3 == 0 for i in range(len(texts))],
        "day": [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(len(texts))],
        "owner": [None if i % 4 else f"owner {i % 3}" for i in range(len(texts))],
    }
    return Text(corpus, encoder.encode(asked), list(tools), columns, MemoryIndex(corpus))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL of its own, reached by a socket only, in a folder that its own user may enter too."""
    pgserver = pytest.importorskip("pgserver")
    folder = tempfile.mkdtemp(prefix="coverset-postgres-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about where it keeps its own files
        server = pgserver.get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A Ray cluster of two nodes, on this machine and for it alone."""
    ray, utilities = pytest.importorskip("ray"), pytest.importorskip("ray.cluster_utils")
    node = {"num_cpus": 2, "node_ip_address": "127.0.0.1", "object_store_memory": 100 * 2**20}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its own settings
        two = utilities.Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        two.add_node(**node)
        ray.init(address=two.address, log_to_driver=False, logging_level="ERROR")
    yield ray
    ray.shutdown()
    two.shutdown()


@dataclass(frozen=True)
class Case:
    """One engine in one configuration, and what it can do."""

    engine: str
    id_kind: str
    exact: bool
    options: dict[str, Any] = field(default_factory=dict)
    certifies: bool = True
    filters: bool = True

    def __str__(self) -> str:
        return f"{self.engine}-{self.options.get('kind', 'default')}"

    def ids(self, text: Text) -> list[Any]:
        """Ids of the engine's own kind."""
        numbers = range(len(text.corpus))
        if self.id_kind == "uuid":
            return [uuid.UUID(int=7 * i) for i in numbers]
        if self.id_kind == "uuid string":
            return [str(uuid.UUID(int=7 * i)) for i in numbers]
        return [f"{i:04d} {text.names[i]}'s" if self.id_kind == "string" else 7 * i for i in numbers]

    def columns(self, text: Text) -> list[str]:
        """What the engine has columns for: Ray's parts have a value for every document."""
        return [name for name, column in text.columns.items() if self.engine != "ray" or None not in column]

    def build(self, place: Callable[[str], Any], text: Text) -> Any:
        """Fill the engine, somewhere of its own."""
        options = {"ids": self.ids(text), **self.options}
        if self.filters:
            options["columns"] = {n: c for n, c in text.columns.items() if n in self.columns(text)}
        if self.engine in IN_MEMORY:
            return IN_MEMORY[self.engine].build(text.corpus, **options)
        if self.engine == "ray":
            return RayIndex.build(place("ray"), text.corpus, **options)
        name = f"docs_{self.options.get('kind', 'default')}"
        return STORED[self.engine].build(place(self.engine), name, text.corpus, **options)


IN_MEMORY: dict[str, Any] = {"faiss": FaissIndex, "usearch": UsearchIndex}
STORED: dict[str, Any] = {
    "lance": LanceIndex,
    "milvus": MilvusIndex,
    "pgvector": PgvectorIndex,
    "qdrant": QdrantIndex,
}
CASES = [
    Case("faiss", "integer", True, {"kind": "flat"}),
    Case("faiss", "integer", False, {"kind": "ivf", "effort": 4}),
    Case("faiss", "integer", False, {"kind": "hnsw"}),
    Case("usearch", "integer", False, filters=False),
    Case("lance", "string", True, {"kind": "flat"}),
    Case("lance", "integer", False, {"kind": "ivf", "effort": 1}),
    Case("pgvector", "uuid", True, {"kind": "flat"}),
    Case("pgvector", "string", False, {"kind": "hnsw"}),
    Case("pgvector", "integer", False, {"kind": "ivf", "effort": 1}),
    Case("milvus", "string", True, {"kind": "flat"}),
    Case("milvus", "integer", False, {"kind": "ivf", "effort": 4}),
    Case("milvus", "integer", False, {"kind": "hnsw"}, certifies=False),
    Case("qdrant", "uuid string", True),
    Case("ray", "string", True, {"shards": 3}),
]


@dataclass(frozen=True)
class Built:
    """An engine that is filled, and its ids in the order of the corpus."""

    case: Case
    index: Any
    ids: list[Any]

    def rows(self, ids: Any) -> list[int]:
        """The row numbers of ids."""
        place = {name: row for row, name in enumerate(self.ids)}
        return [place[i] for i in (ids.tolist() if isinstance(ids, np.ndarray) else ids)]


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """Where engines keep their data: a new place at every call, or the one PostgreSQL."""

    def place(kind: str) -> Any:
        if kind == "pgvector":
            return request.getfixturevalue("postgres")
        if kind == "qdrant":
            return pytest.importorskip("qdrant_client").QdrantClient(":memory:")
        if kind == "ray":
            request.getfixturevalue("cluster")
        folder: Path = tmp_path_factory.mktemp(kind)
        return str(folder / "milvus.db") if kind == "milvus" else str(folder)

    return place


@pytest.fixture(scope="session", params=CASES, ids=str)
def built(request: pytest.FixtureRequest, text: Text, places: Callable[[str], Any]) -> Iterator[Built]:
    case: Case = request.param
    index = case.build(places, text)
    yield Built(case, index, case.ids(text))
    index.close()
