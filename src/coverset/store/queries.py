"""How a store's queries are read: text or vector, whole or in parts, against one version of its documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats
from coverset.encoders import Encoder
from coverset.encoders.encoder import as_encoded
from coverset.encoders.hybrid import Hybrid, Reading, as_parts
from coverset.store.documents import unit_vector
from coverset.store.snapshot import Snapshot
from coverset.vectors import Vectors

# A query is text, or a vector.
Query: TypeAlias = str | ArrayLike
# What a request is made of: told from its text, nothing, or as listed; and the same for several requests.
Parts: TypeAlias = Literal["auto"] | Sequence[str] | None
PartsOfEach: TypeAlias = str | Sequence[Sequence[str] | None] | None

# Queries whose vectors are kept: whoever changes a setting asks the same query again and again.
REMEMBERED = 1024


def of_each(parts: Parts) -> PartsOfEach:
    """Return the parts of one request as those of a list of one."""
    return parts if parts is None or isinstance(parts, str) else [parts]


class Queries:
    """Reads queries; `encoder` returns the store's encoder, which is loaded when a text is first met."""

    def __init__(self, encoder: Callable[[], Encoder], dim: int) -> None:
        self._encoder, self._dim = encoder, dim
        self._kept: dict[str, Floats] = {}

    def vectors(self, queries: Sequence[Query]) -> Floats:
        """Return (n, dim) unit vectors of queries, which are texts or vectors."""
        out = np.empty((len(_listed(queries)), self._dim), np.float32)
        texts: dict[int, str] = {}
        for n, query in enumerate(queries):
            if not isinstance(query, str):
                out[n] = unit_vector("query", query, self._dim)
            elif query.strip():
                texts[n] = query
            else:
                raise ValueError("query must not be empty")
        if texts:
            known = self._remembered(list(texts.values()))
            out[list(texts)] = [known[text] for text in texts.values()]
        return out

    def read(self, queries: Sequence[Query], version: Snapshot, parts: PartsOfEach) -> list[Reading]:
        """Return queries as they are read against a version: their vectors, their parts, their words."""
        known: dict[str, Floats] = {}
        reader = Hybrid(
            lambda some: np.stack([known[text] for text in some]), version.analyser, version.vocabulary
        )
        texts = [query if isinstance(query, str) else None for query in _listed(queries)]
        apart = _parts(texts, reader, parts)
        every = [part for some in apart for part in some]
        meaning = self.vectors([*queries, *every])  # in one go: an encoder may be a service elsewhere
        known.update(zip(every, meaning[len(queries) :], strict=True))
        meaning = meaning[: len(queries)]
        wholes = reader.bare(meaning)
        if version.analyser is not None and version.vocabulary is not None:
            counts = [version.analyser.counts(text or "") for text in texts]
            wholes = Vectors.made(meaning, version.vocabulary.words(counts)[0], (1.0, 1.0))
        return reader.read(texts, wholes, apart, guessed=parts == "auto")

    def _remembered(self, texts: list[str]) -> dict[str, Floats]:
        """Return the vectors of texts, of which those are encoded that were not asked for of late."""
        kept = self._kept
        found = {text: vector for text in texts if (vector := kept.get(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            found.update(zip(new, self._encoded(new), strict=True))
        for text, vector in found.items():  # the last to be asked for are the last to go
            kept.pop(text, None)
            kept[text] = vector
        for oldest in list(kept)[:-REMEMBERED]:
            kept.pop(oldest, None)
        return found

    def _encoded(self, texts: Sequence[str]) -> Floats:
        """Return the meaning of texts, checked."""
        encoder = self._encoder()
        return as_encoded(encoder, encoder.encode_queries(texts), len(texts))


def _listed(queries: Sequence[Query]) -> Sequence[Query]:
    """Return queries, or say that they are one text."""
    if isinstance(queries, str):
        raise ValueError("queries must be a list of texts or vectors, got one text")
    return queries


def _parts(texts: Sequence[str | None], reader: Hybrid, parts: PartsOfEach) -> list[list[str]]:
    """Return what each request is made of; a store without words answers as it always has, without parts."""
    if parts is None or (parts == "auto" and reader.analyser is None):
        return [[] for _ in texts]
    if parts == "auto":
        return [[] if text is None else reader.parts([text])[0] for text in texts]
    if isinstance(parts, str) or len(parts) != len(texts):
        raise ValueError(f"parts must be 'auto', None or a list of texts for each query, got {parts!r}")
    return [[] if some is None else as_parts(some) for some in parts]
