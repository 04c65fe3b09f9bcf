"""Milvus: a collection on a server or cluster, or in a file of milvus-lite."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping

from numpy.typing import ArrayLike

from coverset.arrays import Floats, Keys
from coverset.extras import require
from coverset.filters import Contains, Leaf, OneOf, Range
from coverset.indexes.engines.engine import CANDIDATES, LISTS, Engine, as_documents, blocks, example, in_order
from coverset.indexes.engines.pushdown import bounds, expression
from coverset.indexes.ids import padded
from coverset.inputs import as_choice, as_count
from coverset.plain import Foreign, Json

# Milvus answers with no more documents than this.
MOST = 16_384
METRICS = {"IP": "ip", "COSINE": "cosine", "L2": "l2"}
# The longest string field, and the most lists of an IVF index.
LONGEST, MOST_LISTS = 65_535, 65_536


class MilvusIndex(Engine):
    """A Milvus collection with a primary key (whole numbers or strings) and a vector field that is indexed.

    A FLAT index is exact. An IVF_FLAT index is approximate, and can look at all its lists to certify an answer.
    Any other is approximate only: Milvus has no exhaustive search beside them.

    Parameters
    ----------
    client
        A `MilvusClient`, or what it takes: the URL of a server, the path of a milvus-lite file.
    collection
        The name of the collection.
    vector_field
        The vector field; None: the only one there is.
    effort
        How hard a search tries: candidates kept (HNSW's `ef`) or lists looked at (IVF's `nprobe`). None: 8192
        candidates, 640 lists.
    """

    def __init__(
        self, client: Foreign, collection: str, *, vector_field: str | None = None, effort: int | None = None
    ) -> None:
        self.client, self.collection = connect(client), collection
        if not self.client.has_collection(collection):
            raise ValueError(f"collection must be on the server, got {collection!r}: MilvusIndex.build makes one")
        fields = {field["name"]: field for field in self.client.describe_collection(collection)["fields"]}
        self.key = next(name for name, field in fields.items() if field.get("is_primary"))
        kind = require("pymilvus", "milvus").DataType.FLOAT_VECTOR
        vectors = [name for name, field in fields.items() if field["type"] == kind]
        if vector_field not in vectors and not (vector_field is None and len(vectors) == 1):
            raise ValueError(f"vector_field must be one of {vectors}, got {vector_field!r}")
        self.vector_field = vector_field or vectors[0]
        self.columns = sorted(fields.keys() - set(vectors))
        self.nullable = {name for name, field in fields.items() if field.get("nullable")}
        self.dim = int(fields[self.vector_field]["params"]["dim"])
        index = self._read_index()
        self.kind, self.metric = index["index_type"], METRICS[index["metric_type"]]
        # milvus-lite does not say how many lists there are, and takes any number for all of them.
        self.lists = int(index.get("nlist", MOST_LISTS))
        self.effort = as_count("effort", effort, optional=True) or (LISTS if "IVF" in self.kind else CANDIDATES)
        self.exact = self.kind in ("FLAT", "BRUTE_FORCE") or (
            self.kind == "IVF_FLAT" and self.effort >= self.lists
        )
        self.can_be_exact = self.exact or self.kind == "IVF_FLAT"
        self.client.load_collection(collection)
        # The client imports what it needs at its first search, and not safely if threads make it together.
        self.search([[1.0] * self.dim], 1)
        if self.metric == "l2":
            self.vectors([row[self.key] for row in self._query(filter="", limit=16)])

    @classmethod
    def build(
        cls,
        client: Foreign,
        collection: str,
        vectors: ArrayLike,
        ids: Iterable[Hashable] | None = None,
        *,
        kind: str = "hnsw",
        columns: Mapping[str, Iterable[object]] | None = None,
        effort: int | None = None,
    ) -> MilvusIndex:
        """Make a collection of inner products with fields `id`, `vector` and the columns; index it by `kind`."""
        opened = connect(client)
        rows, named, values = as_documents(vectors, ids, columns)
        as_choice("kind", kind, ("flat", "hnsw", "ivf"))
        if opened.has_collection(collection):
            raise ValueError(
                f"collection must not exist yet, got {collection!r}: MilvusIndex(client, name) attaches to it"
            )
        keys = [i if isinstance(i, int) else str(i) for i in named.tolist()]
        schema = opened.create_schema(auto_id=False)
        _add_field(schema, "id", keys[0], is_primary=True)
        schema.add_field("vector", require("pymilvus", "milvus").DataType.FLOAT_VECTOR, dim=rows.shape[1])
        for name, column in values.items():
            missing = any(value is None for value in column)
            _add_field(schema, name, example(column), **({"nullable": True} if missing else {}))
        lists = max(1, min(int(4 * len(rows) ** 0.5), len(rows) // 39))
        types = {
            "flat": ("FLAT", {}),
            "hnsw": ("HNSW", {"M": 32, "efConstruction": 128}),
            "ivf": ("IVF_FLAT", {"nlist": lists}),
        }
        indexes = opened.prepare_index_params()
        indexes.add_index("vector", index_type=types[kind][0], metric_type="IP", params=types[kind][1])
        opened.create_collection(collection, schema=schema, index_params=indexes)
        for part in blocks("filling the collection", len(rows), 1024):
            columns_of = {
                "id": keys[part],
                "vector": rows[part].tolist(),
                **{n: v[part] for n, v in values.items()},
            }
            opened.insert(
                collection,
                [dict(zip(columns_of, row, strict=True)) for row in zip(*columns_of.values(), strict=True)],
            )
        opened.flush(collection)
        return cls(opened, collection, effort=effort)

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self._query(filter="", output_fields=["count(*)"])[0]["count(*)"])

    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        if k > MOST:
            raise ValueError(f"k must be at most {MOST} on Milvus, got {k}")
        lists = self.lists if self.exact else min(self.effort, self.lists)
        effort = {"nprobe": lists} if "IVF" in self.kind else {"ef": max(self.effort, k)}
        answers = self.client.search(
            self.collection,
            data=queries.tolist(),
            anns_field=self.vector_field,
            limit=k,
            filter="" if self.condition is None else expression(self.condition, self._leaf),
            search_params={"params": {} if self.kind in ("FLAT", "BRUTE_FORCE") else effort},
            consistency_level="Strong",
        )
        return padded(
            [([hit["distance"] for hit in hits], [hit[self.key] for hit in hits]) for hits in answers], k
        )

    def _vectors(self, ids: Keys) -> Floats:
        # Not `get`, which puts string ids between quotes as they are.
        wanted = f"{self.key} in [{_listed(ids.tolist())}]"
        rows = self._query(filter=wanted, output_fields=[self.key, self.vector_field])
        return in_order(ids, {row[self.key]: row[self.vector_field] for row in rows})

    def _check_condition(self, columns: list[str]) -> None:
        for column in columns:
            if column not in self.columns:
                raise ValueError(f"where must name fields of the collection, {self.columns}, got {column!r}")

    def _leaf(self, leaf: Leaf) -> str:
        """Return a condition as Milvus has it; where a field may be missing, that makes it false."""
        there = f"{leaf.key} is not null" if leaf.key in self.nullable else ""
        if isinstance(leaf, OneOf):
            parts = [f"{leaf.key} in [{_listed([value for _, value in leaf.values])}]"]
        elif isinstance(leaf, Contains):
            pattern = re.sub(r"([%_\\])", r"\\\1", leaf.text)
            parts = [f"{leaf.key} like {_listed([f'%{pattern}%'])}"]
        elif isinstance(leaf, Range):
            parts = [f"{leaf.key} {sign} {_listed([value])}" for sign, value in bounds(leaf)]
        else:
            return f"({leaf.key} is not null)"
        return f"({' and '.join([there, *parts] if there else parts)})"

    def close(self) -> None:
        """Close the client."""
        self.client.close()

    def _read_index(self) -> Json:
        for name in self.client.list_indexes(self.collection):
            index: Json = self.client.describe_index(self.collection, name)
            if index["field_name"] == self.vector_field:
                return index
        raise ValueError(f"vector_field must have an index in Milvus, got {self.vector_field!r}")

    def _query(self, **arguments: object) -> Foreign:
        return self.client.query(self.collection, consistency_level="Strong", **arguments)


def connect(client: Foreign) -> Foreign:
    """Return a client that is connected; a URL or the path of a file is connected to."""
    milvus = require("pymilvus", "milvus")
    try:
        return milvus.MilvusClient(client) if isinstance(client, str) else client
    except milvus.MilvusException as error:
        raise ConnectionError(f"Milvus cannot be reached, start it or correct the address: {error}") from error


def _listed(values: Iterable[object]) -> str:
    """Milvus reads literals as JSON does, save that it has no escapes for letters."""
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values)


def _add_field(schema: Foreign, name: str, example: object, **options: object) -> None:
    types = require("pymilvus", "milvus").DataType
    kinds = {bool: types.BOOL, int: types.INT64, float: types.DOUBLE, str: types.VARCHAR}
    if type(example) not in kinds:
        raise ValueError(f"columns[{name!r}] must be {', '.join(k.__name__ for k in kinds)}, got {example!r}")
    if type(example) is str:
        options["max_length"] = LONGEST
    schema.add_field(name, kinds[type(example)], **options)
