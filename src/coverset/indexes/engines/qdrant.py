"""Qdrant: a collection on a server, or in the client's own local mode."""

from __future__ import annotations

import datetime
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from coverset.arrays import Floats, Keys
from coverset.extras import require
from coverset.filters import Contains, Leaf, OneOf, Range, fold
from coverset.indexes.engines.engine import CANDIDATES, Engine, as_documents, blocks, in_order
from coverset.indexes.engines.pushdown import bounds
from coverset.indexes.ids import padded
from coverset.inputs import as_count
from coverset.plain import Foreign

# A name that Qdrant takes as it is, for a value inside another too; any other has to be quoted.
PATH = re.compile(r"[\w-]+(\.[\w-]+)*")
METRICS = {"Dot": "ip", "Cosine": "cosine", "Euclid": "l2"}


class QdrantIndex(Engine):
    """A Qdrant collection. The ids are its point ids: whole numbers, or UUIDs as strings.

    The client's local mode is exact. A server is approximate, and can be told to be exact to certify an answer.

    Parameters
    ----------
    client
        A `QdrantClient`, or the URL of a server.
    collection
        The name of the collection.
    vector
        The name of the vector, where points have several.
    effort
        Candidates that a search keeps (Qdrant's `hnsw_ef`). None: 8192.
    """

    def __init__(
        self, client: Foreign, collection: str, *, vector: str | None = None, effort: int | None = None
    ) -> None:
        self.client, self.collection, self.vector = connect(client), collection, vector
        self.models = require("qdrant_client.models", "qdrant")
        if not self.client.collection_exists(collection):
            raise ValueError(f"collection must be on the server, got {collection!r}: QdrantIndex.build makes one")
        vectors = self.client.get_collection(collection).config.params.vectors
        named = isinstance(vectors, dict)
        if (named and vector not in vectors) or (not named and vector is not None):
            raise ValueError(f"vector must be one of {sorted(vectors) if named else [None]}, got {vector!r}")
        config = vectors[vector] if named else vectors
        if config.distance.value not in METRICS:
            raise ValueError(f"collection must use Dot, Cosine or Euclid, got {config.distance.value}")
        self.dim, self.metric = config.size, METRICS[config.distance.value]
        self.effort = as_count("effort", effort, optional=True) or CANDIDATES
        self.exact = self.local = _is_local(self.client)
        if self.metric == "l2":
            points, _ = self.client.scroll(collection, limit=16, with_payload=False)
            self.vectors([point.id for point in points])

    @classmethod
    def build(
        cls,
        client: Foreign,
        collection: str,
        vectors: ArrayLike,
        ids: Iterable[Hashable] | None = None,
        *,
        columns: Mapping[str, Iterable[object]] | None = None,
        effort: int | None = None,
    ) -> QdrantIndex:
        """Make a collection of inner products with the columns as payload."""
        opened, models = connect(client), require("qdrant_client.models", "qdrant")
        rows, named, values = as_documents(vectors, ids, columns)
        if opened.collection_exists(collection):
            raise ValueError(
                f"collection must not exist yet, got {collection!r}: QdrantIndex(client, name) attaches to it"
            )
        config = models.VectorParams(size=rows.shape[1], distance=models.Distance.DOT)
        opened.create_collection(collection, vectors_config=config)
        points = [i if isinstance(i, int) else str(i) for i in named.tolist()]
        for part in blocks("filling the collection", len(rows), 256):
            payloads = [
                dict(zip(values, row, strict=True))
                for row in zip(*(v[part] for v in values.values()), strict=True)
            ]
            batch = models.Batch(ids=points[part], vectors=rows[part].tolist(), payloads=payloads or None)
            opened.upsert(collection, points=batch, wait=True)
        return cls(opened, collection, effort=effort)

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self.client.count(self.collection, exact=True).count)

    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        models = self.models
        effort = models.SearchParams(exact=self.exact, hnsw_ef=max(self.effort, k))
        requests = [
            models.QueryRequest(
                query=query.tolist(),
                using=self.vector,
                limit=k,
                filter=self._filter(),
                params=None if self.local else effort,
                with_payload=False,
            )
            for query in queries
        ]
        answers = self.client.query_batch_points(self.collection, requests=requests)
        values, ids = padded([([p.score for p in a.points], [p.id for p in a.points]) for a in answers], k)
        return (values**2 if self.metric == "l2" else values), ids

    def _vectors(self, ids: Keys) -> Floats:
        points = self.client.retrieve(
            self.collection,
            ids=ids.tolist(),
            with_payload=False,
            with_vectors=[self.vector] if self.vector else True,
        )
        return in_order(ids, {p.id: p.vector[self.vector] if self.vector else p.vector for p in points})

    def close(self) -> None:
        """Close the client."""
        self.client.close()

    def _check_condition(self, columns: list[str]) -> None:
        """Points carry what they like, so a column that none of them has matches none; a quote ends a name."""
        for column in columns:
            if '"' in column:
                raise ValueError(f"where must name columns without quotes in Qdrant, got {column!r}")
        self._filter()

    def _filter(self) -> Foreign:
        if self.condition is None:
            return None
        return self.models.Filter(must=[fold(self.condition, self._leaf, self._combine)])

    def _combine(self, word: str, parts: list[Any]) -> Foreign:
        return self.models.Filter(**{{"and": "must", "or": "should", "not": "must_not"}[word]: parts})

    def _leaf(self, leaf: Leaf) -> Foreign:
        models, key = self.models, leaf.key if PATH.fullmatch(leaf.key) else f'"{leaf.key}"'

        def one(value: object) -> Foreign:
            if isinstance(value, float):
                return models.FieldCondition(key=key, range=models.Range(gte=value, lte=value))
            return models.FieldCondition(key=key, match=models.MatchValue(value=value))

        if isinstance(leaf, OneOf):
            return models.Filter(should=[one(value) for _, value in leaf.values])
        if isinstance(leaf, Contains):
            raise ValueError(f"where[{leaf.key!r}] cannot be $contains in Qdrant, which finds whole words only")
        if isinstance(leaf, Range):
            names = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
            limits = {names[sign]: value for sign, value in bounds(leaf)}
            if any(isinstance(value, str) for value in limits.values()):
                return models.FieldCondition(key=key, range=models.DatetimeRange(**_dates(leaf.key, limits)))
            return models.FieldCondition(key=key, range=models.Range(**limits))
        return models.Filter(must_not=[models.IsEmptyCondition(is_empty=models.PayloadField(key=key))])


def _dates(column: str, limits: dict[str, str]) -> dict[str, datetime.datetime]:
    """Return bounds that are dates; Qdrant has no order of other texts."""
    try:
        return {name: _date(value) for name, value in limits.items()}
    except ValueError as error:
        raise ValueError(
            f"where[{column!r}] must have numbers or dates, like 2024-05-31, as bounds in Qdrant, "
            f"got {list(limits.values())!r}"
        ) from error


def _date(value: str) -> datetime.datetime:
    day = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    return day if day.tzinfo else day.replace(tzinfo=datetime.timezone.utc)


def connect(client: Foreign) -> Foreign:
    """Return a client that is connected; a URL is connected to."""
    module = require("qdrant_client", "qdrant")
    errors = require("qdrant_client.http.exceptions", "qdrant")
    opened = module.QdrantClient(url=client, check_compatibility=False) if isinstance(client, str) else client
    try:
        opened.get_collections()
    except errors.ResponseHandlingException as error:
        raise ConnectionError(f"Qdrant cannot be reached, start it or correct the address: {error}") from error
    return opened


def _is_local(client: Foreign) -> bool:
    return type(client._client).__name__ == "QdrantLocal"
