"""Ray: a corpus beyond one machine, in shards that live as actors on a cluster."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Array, Floats, Keys
from coverset.extras import require
from coverset.filters import scalar
from coverset.indexes.engines.engine import Engine, as_documents, blocks, in_order
from coverset.indexes.engines.folder import Folder
from coverset.indexes.engines.shard import Shard
from coverset.indexes.ids import as_ids
from coverset.indexes.protocol import Corpus
from coverset.inputs import as_batch, as_count
from coverset.plain import Foreign
from coverset.ranking import ranked
from coverset.selection import Selection
from coverset.vectors import Vectors

MANIFEST = "corpus.json"


class Decodes(Protocol):
    """A decoder, as far as it concerns an index."""

    def decode_batch(self, queries: ArrayLike, corpus: Corpus, k: int | None = 5) -> list[Selection]:
        """Pick the documents for each query."""
        ...


class RayIndex(Engine):
    """An exact index over a folder of parts, each searched by an actor of a Ray cluster.

    Every actor maps its part into memory, and answers for it. A round of column generation is one scatter
    and gather: residuals go out; scores, ids, and the vectors of violators that are not known yet come back.
    Ray places the actors, restarts one whose process dies, on another node if need be, and asks it again. So
    the folder must be readable on every node: an object store, a shared file system, or a copy at the same path.

    Parameters
    ----------
    folder
        What `RayIndex.build` wrote: a path, or a URL such as "s3://bucket/docs", of which every actor fetches its
        part. fsspec reads it, with s3fs for "s3://", gcsfs for "gs://".
    """

    exact = True
    # Every shard answers with as many, so ask for fewer than of an engine that answers once.
    ask = 128

    def __init__(self, folder: str | Path) -> None:
        ray = _running()
        place = Folder(folder)
        written = place.text(MANIFEST)
        if written is None:
            raise ValueError(f"folder must hold a corpus that RayIndex.build wrote, got {str(folder)!r}")
        manifest = json.loads(written)
        self.dim, self.documents, self.columns = manifest["dim"], manifest["documents"], manifest["columns"]
        self.numbered = manifest["numbered"]
        actor = ray.remote(Shard).options(max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD")
        self.shards = [actor.remote(place.url, part) for part in range(manifest["parts"])]

    @classmethod
    def build(
        cls,
        folder: str | Path,
        vectors: ArrayLike,
        ids: Iterable[Hashable] | None = None,
        *,
        shards: int = 2,
        columns: Mapping[str, Iterable[object]] | None = None,
    ) -> RayIndex:
        """Write a corpus to an empty or new folder, in parts of equal size, and start its shards."""
        rows, named, values = as_documents(vectors, ids, columns)
        count, place = min(as_count("shards", shards), len(rows)), Folder(folder)
        if not place.empty():
            raise ValueError(f"folder must be empty or new, got {str(folder)!r}: RayIndex(folder) attaches to it")
        for name in values:
            if not name.isidentifier():
                raise ValueError(f"columns must be named by identifiers, got {name!r}")
        if named.dtype == object:
            named = np.array([str(i) for i in named])
        bounds = np.linspace(0, len(rows), count + 1).astype(int)
        for part in blocks("writing the parts", count, 1):
            piece = slice(bounds[part.start], bounds[part.stop])
            place.save(f"vectors-{part.start}.npy", rows[piece])
            place.save(f"ids-{part.start}.npy", named[piece])
            for name, column in values.items():
                written = [kept and kept[1] for kept in map(scalar, column[piece])]
                place.write_text(f"column-{name}-{part.start}.json", json.dumps(written))
        manifest = {
            "dim": rows.shape[1],
            "documents": len(rows),
            "parts": count,
            "numbered": named.dtype.kind == "i",
            "columns": list(values),
        }
        # Last, so that a folder without it is one that was not finished.
        place.write_text(MANIFEST, json.dumps(manifest))
        return cls(folder)

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self.documents)

    def decode(
        self, decoder: Decodes, queries: ArrayLike, k: int | None = 5, *, batch: int = 64
    ) -> list[Selection]:
        """Decode many queries over the cluster: each batch is a task that runs wherever there is room."""
        task = _running().remote(_decode)
        many = as_batch(queries, Vectors.of(np.empty((0, self.dim), np.float32))).meaning
        starts = range(0, len(many), as_count("batch", batch))
        tasks = [task.remote(decoder, many[s : s + batch], self, k) for s in starts]
        return [selection for part in _running().get(tasks) for selection in part]

    def search_with_vectors(
        self, queries: Floats, k: int, floors: Array, known: Keys
    ) -> tuple[Floats, Keys, Keys, Floats]:
        """Search, and bring back at once the vectors above the floors that are not among the `known` ids."""
        told = known if self.numbered else known.astype(str)
        answers = self._gather("search_with_vectors", queries, k, self.condition, floors.astype(np.float32), told)
        scores, ids = self._merge([(s, i) for s, i, _, _ in answers], k)
        new = np.concatenate([ids for _, _, ids, _ in answers])
        return scores, ids, as_ids(new.tolist()), np.concatenate([vectors for *_, vectors in answers])

    def close(self) -> None:
        """Stop the shards."""
        for shard in self.shards:
            _running().kill(shard)

    def _search(self, queries: Floats, k: int) -> tuple[Floats, Keys]:
        return self._merge(self._gather("search", queries, k, self.condition), k)

    def _vectors(self, ids: Keys) -> Floats:
        answers = self._gather("vectors", ids if self.numbered else ids.astype(str))
        return in_order(
            ids, {i: row for found, rows in answers for i, row in zip(found.tolist(), rows, strict=True)}
        )

    def _check_condition(self, columns: list[str]) -> None:
        for column in columns:
            if column not in self.columns:
                raise ValueError(f"where must name columns of the corpus, {self.columns}, got {column!r}")

    def _gather(self, question: str, *arguments: object) -> list[Any]:
        """Put one question to all shards; what they share is stored once."""
        ray = _running()
        shared = [ray.put(a) if isinstance(a, np.ndarray) else a for a in arguments]
        return list(ray.get([getattr(shard, question).remote(*shared) for shard in self.shards]))

    def _merge(self, answers: list[Any], k: int) -> tuple[Floats, Keys]:
        """The best k of what the shards found, padded."""
        scores = np.concatenate([scores for scores, _ in answers], axis=1)
        found = np.concatenate([ids for _, ids in answers], axis=1)
        order = ranked(scores, min(k, scores.shape[1]))
        best = np.full((len(scores), k), -np.inf, np.float32)
        ids = np.full((len(scores), k), -1 if self.numbered else None, np.int64 if self.numbered else object)
        best[:, : order.shape[1]] = np.take_along_axis(scores, order, axis=1)
        ids[:, : order.shape[1]] = np.take_along_axis(found, order, axis=1)
        ids[np.isneginf(best)] = -1 if self.numbered else None
        return best, ids


def _decode(decoder: Decodes, queries: Floats, index: RayIndex, k: int | None) -> list[Selection]:
    return decoder.decode_batch(queries, index, k)


def _running() -> Foreign:
    """Return Ray, once it runs."""
    ray = require("ray", "ray")
    if not ray.is_initialized():
        raise ConnectionError("Ray is not running: call ray.init() first, on a cluster ray.init(address='auto')")
    return ray
