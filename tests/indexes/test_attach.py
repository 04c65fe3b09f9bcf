"""Indexes attach to what exists, whatever its metric, and say what is wrong when they cannot."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import NNN
from coverset.indexes import FaissIndex, LanceIndex, MilvusIndex, PgvectorIndex, QdrantIndex, UsearchIndex
from tests.indexes.conftest import Text

DECODER = NNN(l1=0.1, l2=0.1, certify=True)


def faiss_index(metric: str, rows: Any, _place: Any) -> FaissIndex:
    faiss = pytest.importorskip("faiss")
    index = faiss.IndexHNSWFlat(
        rows.shape[1], 16, {"l2": faiss.METRIC_L2, "ip": faiss.METRIC_INNER_PRODUCT}[metric]
    )
    index.add(rows)
    return FaissIndex(index)


def usearch_index(metric: str, rows: Any, _place: Any) -> UsearchIndex:
    names = {"l2": "l2sq", "cosine": "cos", "ip": "ip"}
    index = pytest.importorskip("usearch.index").Index(ndim=rows.shape[1], metric=names[metric], dtype="f32")
    index.add(np.arange(len(rows)), rows)
    return UsearchIndex(index)


def lance_index(metric: str, rows: Any, place: Any) -> LanceIndex:
    arrow, indexes = pytest.importorskip("pyarrow"), pytest.importorskip("lancedb.index")
    database = pytest.importorskip("lancedb").connect(place("lance"))
    vectors = arrow.FixedSizeListArray.from_arrays(arrow.array(rows.ravel()), rows.shape[1])
    table = database.create_table("old", arrow.table({"key": np.arange(len(rows)), "v": vectors}))
    table.create_index(
        "v", config=indexes.IvfFlat(distance_type={"ip": "dot"}.get(metric, metric), num_partitions=4)
    )
    return LanceIndex(database, "old", id_column="key", vector_column="v")


def pgvector_index(metric: str, rows: Any, place: Any) -> PgvectorIndex:
    connection = pytest.importorskip("psycopg").connect(place("pgvector"), autocommit=True)
    connection.execute("create extension if not exists vector")
    connection.execute(f'create schema "old {metric}"')
    connection.execute(f'create table "old {metric}".docs (key int primary key, v vector({rows.shape[1]}))')
    connection.cursor().executemany(
        f'insert into "old {metric}".docs values (%s, %s)', [(i, str(row.tolist())) for i, row in enumerate(rows)]
    )
    connection.execute(f'create index on "old {metric}".docs using hnsw (v vector_{metric}_ops)')
    return PgvectorIndex(connection, f"old {metric}.docs", id_column="key", vector_column="v")


def milvus_index(metric: str, rows: Any, place: Any) -> MilvusIndex:
    client = pytest.importorskip("pymilvus").MilvusClient(place("milvus"))
    client.create_collection("old", dimension=rows.shape[1], metric_type=metric.upper(), auto_id=False)
    client.insert("old", [{"id": i, "vector": row.tolist()} for i, row in enumerate(rows)])
    return MilvusIndex(client, "old")


def qdrant_index(metric: str, rows: Any, place: Any) -> QdrantIndex:
    models = pytest.importorskip("qdrant_client.models")
    distance = {"l2": models.Distance.EUCLID, "cosine": models.Distance.COSINE, "ip": models.Distance.DOT}[metric]
    client = place("qdrant")
    config = {"text": models.VectorParams(size=rows.shape[1], distance=distance)}
    client.create_collection("old", vectors_config=config)
    points = [models.PointStruct(id=i, vector={"text": row.tolist()}) for i, row in enumerate(rows)]
    client.upsert("old", points)
    return QdrantIndex(client, "old", vector="text")


ENGINES = [faiss_index, usearch_index, lance_index, pgvector_index, milvus_index, qdrant_index]


@pytest.mark.parametrize("metric", ["ip", "cosine", "l2"])
@pytest.mark.parametrize("attach", ENGINES)
def test_scores_are_inner_products_whatever_the_engines_metric(
    attach: Callable[..., Any], metric: str, text: Text, places: Callable[[str], Any]
) -> None:
    if attach is faiss_index and metric == "cosine":
        pytest.skip("FAISS has no cosine")
    index = attach(metric, text.corpus, places)
    assert index.metric == metric
    exact = index.exactly() or index
    queries = np.array([[0.05], [1.0], [4.0], [0.0]], np.float32) * text.queries[:4]
    scores, ids = exact.search(queries, 20)
    products = queries @ text.corpus.T
    np.testing.assert_allclose(np.take_along_axis(products, ids, axis=1), scores, atol=1e-5)
    if exact.exact:
        np.testing.assert_allclose(scores, -np.sort(-products, axis=1)[:, :20], atol=1e-5)
        expected = DECODER.decode_batch(text.queries[:20], text.memory)
        for ours, theirs in zip(DECODER.decode_batch(text.queries[:20], index), expected, strict=True):
            assert ours.certified
            np.testing.assert_allclose(ours.weights, theirs.weights, atol=2e-5)
    index.close()


@pytest.mark.parametrize("attach", ENGINES)
def test_distances_between_vectors_of_other_lengths_are_refused(
    attach: Callable[..., Any], text: Text, places: Callable[[str], Any], request: pytest.FixtureRequest
) -> None:
    if attach is pgvector_index:
        connection = pytest.importorskip("psycopg").connect(places("pgvector"), autocommit=True)
        request.addfinalizer(connection.close)
        connection.execute("create table long_ones (id int primary key, embedding vector(3))")
        connection.execute("insert into long_ones values (1, '[3,0,0]'), (2, '[0,2,0]')")
        connection.execute("create index on long_ones using hnsw (embedding vector_l2_ops)")
        with pytest.raises(ValueError, match="length 1, got 3"):
            PgvectorIndex(connection, "long_ones")
    else:
        with pytest.raises(ValueError, match="must have length 1, got 3"):
            attach("l2", 3 * text.corpus, places)


def test_files_of_faiss_and_usearch_are_opened(text: Text, tmp_path: Path) -> None:
    faiss = pytest.importorskip("faiss")
    flat, graph = FaissIndex.build(text.corpus, kind="flat"), UsearchIndex.build(text.corpus)
    faiss.write_index(flat.index, str(tmp_path / "flat"))
    graph.index.save(str(tmp_path / "graph"))
    expected = DECODER.decode(text.queries[0], text.memory)
    for index in (FaissIndex(tmp_path / "flat"), UsearchIndex(tmp_path / "graph")):
        selection = DECODER.decode(text.queries[0], index)
        assert selection.certified
        np.testing.assert_allclose(selection.weights, expected.weights, atol=2e-6)
    with pytest.raises(ValueError, match="index must be a faiss index"):
        FaissIndex(text.corpus)
    with pytest.raises(ValueError, match="index must be a usearch index"):
        UsearchIndex(text.corpus)


def test_faiss_ids_given_by_hand_to_an_inverted_file_are_kept(text: Text) -> None:
    faiss = pytest.importorskip("faiss")
    index = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(text.corpus.shape[1]), text.corpus.shape[1], 8, faiss.METRIC_INNER_PRODUCT
    )
    index.train(text.corpus)
    ids = 1000 + 3 * np.arange(len(text.corpus))
    index.add_with_ids(text.corpus, ids)
    attached = FaissIndex(index, effort=8, columns={"year": text.columns["year"]}, ids=ids)
    assert attached.exact
    expected = DECODER.decode(text.queries[0], text.memory)
    assert set(DECODER.decode(text.queries[0], attached).ids) == set(ids[expected.ids])
    np.testing.assert_array_equal(attached.vectors([1003]), text.corpus[[1]])
    (found,) = attached.where({"year": 2021}).search(text.queries[:1], 500)[1]
    assert set(found[found >= 0]) == set(ids[np.array(text.columns["year"]) == 2021])


def test_compressed_faiss_indexes_are_never_certified(text: Text) -> None:
    faiss = pytest.importorskip("faiss")
    index = faiss.index_factory(text.corpus.shape[1], "IVF4,SQ8", faiss.METRIC_INNER_PRODUCT)
    index.train(text.corpus)
    index.add(text.corpus)
    assert FaissIndex(index, effort=4).exactly() is None
    assert DECODER.decode(text.queries[0], FaissIndex(index, effort=4)).certified is False


def test_half_precision_in_usearch_is_never_certified(text: Text) -> None:
    index = pytest.importorskip("usearch.index").Index(ndim=text.corpus.shape[1], metric="ip", dtype="f16")
    index.add(np.arange(len(text.corpus)), text.corpus)
    assert DECODER.decode(text.queries[0], UsearchIndex(index)).certified is False


def test_a_server_that_is_not_there_is_an_error_that_says_what_to_do() -> None:
    for engine, address in (
        (PgvectorIndex, "postgresql://127.0.0.1:1/none"),
        (QdrantIndex, "http://127.0.0.1:1"),
        (MilvusIndex, "http://127.0.0.1:1"),
    ):
        with pytest.raises(ConnectionError, match="cannot be reached, start it or correct the address"):
            engine(address, "docs")


def test_a_table_that_is_not_there_is_an_error_that_names_it(places: Callable[[str], Any]) -> None:
    for engine, kind in (
        (PgvectorIndex, "pgvector"),
        (QdrantIndex, "qdrant"),
        (MilvusIndex, "milvus"),
        (LanceIndex, "lance"),
    ):
        with pytest.raises(ValueError, match=f"got 'no_such': {engine.__name__}.build makes one"):
            engine(places(kind), "no_such")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vectors": [[1.0, 0.0], [0.0, 0.0]]}, "vectors must not be zero: row 1"),
        ({"vectors": [1.0, 0.0]}, "vectors must have shape"),
        ({"vectors": np.eye(3), "ids": [1, 2]}, "ids must be 3 different ids"),
        ({"vectors": np.eye(3), "ids": [1, 2, 2]}, "ids must be 3 different ids"),
        ({"vectors": np.eye(3), "ids": [-1, 2, 3]}, "ids must lie between 0"),
        ({"vectors": np.eye(3), "ids": ["a", "b", "c"]}, "ids must be whole numbers in FAISS"),
        ({"vectors": np.eye(3), "columns": {"year": [1]}}, r"columns\['year'\] must have 3 values"),
        ({"vectors": np.eye(3), "kind": "pq"}, "kind must be one of"),
        ({"vectors": np.eye(3), "effort": 0}, "effort must be a whole number"),
    ],
)
def test_what_cannot_be_built_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FaissIndex.build(**arguments)


def test_a_missing_extra_is_named() -> None:
    for engine in ("faiss", "usearch", "lance", "pgvector", "milvus", "qdrant", "ray"):
        module = {"lance": "lancedb", "pgvector": "psycopg", "milvus": "pymilvus", "qdrant": "qdrant_client"}
        code = f"""
import importlib.util, sys
find = importlib.util.find_spec
absent = {module.get(engine, engine)!r}
importlib.util.find_spec = lambda name, *rest: None if name == absent else find(name, *rest)
from coverset.indexes import {engine.title()}Index as engine
try:
    engine("nowhere") if {engine in ("faiss", "usearch", "ray")} else engine("nowhere", "table")
except ImportError as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
        assert f"pip install 'coverset[{engine}]'" in done.stdout


def test_naming_the_indexes_imports_no_engine() -> None:
    code = "import sys, coverset.indexes as i; [getattr(i, n) for n in i.__all__]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"faiss", "usearch", "lancedb", "psycopg", "pymilvus", "qdrant_client", "ray", "pyarrow"}


def test_a_read_replica_is_attached_to_and_searched(text: Text, request: pytest.FixtureRequest) -> None:
    psycopg = pytest.importorskip("psycopg")
    address = request.getfixturevalue("postgres")
    PgvectorIndex.build(address, "replicated", text.corpus, kind="flat").close()
    # What a replica refuses, a session that may only read refuses too.
    reading = psycopg.connect(address, autocommit=True, options="-c default_transaction_read_only=on")
    request.addfinalizer(reading.close)
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        reading.execute("create table not_allowed (id int)")
    selection = DECODER.decode(text.queries[0], PgvectorIndex(reading, "replicated"))
    assert selection.certified
    expected = DECODER.decode(text.queries[0], text.memory)
    np.testing.assert_allclose(selection.weights, expected.weights, atol=2e-6)


def test_a_database_without_the_extension_is_told_what_it_lacks(request: pytest.FixtureRequest) -> None:
    psycopg = pytest.importorskip("psycopg")
    address = request.getfixturevalue("postgres")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create database bare")
    bare = psycopg.conninfo.make_conninfo(address, dbname="bare")
    with pytest.raises(ValueError, match="database must have the extension vector"):
        PgvectorIndex(bare, "documents")
