"""How a store's queries are read: text or vector, whole or in parts, against one version of its documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats
from coverset.encoders import Encoder
from coverset.encoders.encoder import as_encoded
from coverset.encoders.hybrid import Hybrid, Reading, as_parts
from coverset.plain import Fields
from coverset.store.documents import unit_vector
from coverset.store.snapshot import Snapshot
from coverset.vectors import Vectors

# A query is text, a vector, or text with its vector: {"text": ..., "vector": ...}, as a document has them.
Query: TypeAlias = str | ArrayLike | Fields
# A part is text, or text with its vector.
Part: TypeAlias = str | Fields
# What a request is made of: told from its text, nothing, or as listed; and the same for several requests.
Parts: TypeAlias = Literal["auto"] | Sequence[Part] | None
PartsOfEach: TypeAlias = str | Sequence[Sequence[Part] | None] | None

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
        """Return (n, dim) unit vectors of queries, which are texts, or bring their vectors."""
        out = np.empty((len(_listed(queries)), self._dim), np.float32)
        texts: dict[int, str] = {}
        for n, query in enumerate(queries):
            text, vector = _halves(query)
            if text is not None and not text.strip():
                raise ValueError("query must not be empty")
            if vector is not None:
                out[n] = unit_vector("query", vector, self._dim)
            elif text is not None:
                texts[n] = text
        if texts:
            known = self._remembered(list(texts.values()))
            out[list(texts)] = [known[text] for text in texts.values()]
        return out

    def read(self, queries: Sequence[Query], version: Snapshot, parts: PartsOfEach) -> list[Reading]:
        """Return queries as they are read against a version: their vectors, their parts, their words."""
        of_parts: list[Floats] = []  # of all requests, in their order
        reader = Hybrid(lambda _texts: np.stack(of_parts), version.analyser, version.vocabulary)
        texts = [_halves(query)[0] for query in _listed(queries)]
        apart = _parts(queries, reader, parts)
        every = [part for some in apart for _, part in some]
        meaning = self.vectors([*queries, *every])  # in one go: an encoder may be a service elsewhere
        of_parts.extend(meaning[len(queries) :])
        meaning = meaning[: len(queries)]
        wholes = reader.bare(meaning)
        if version.analyser is not None and version.vocabulary is not None:
            counts = [version.analyser.counts(text or "") for text in texts]
            wholes = Vectors.made(meaning, version.vocabulary.words(counts)[0], (1.0, 1.0))
        return reader.read(texts, wholes, [[text for text, _ in some] for some in apart], guessed=parts == "auto")

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


def _halves(query: Query) -> tuple[str | None, ArrayLike | None]:
    """Return the text and the vector of a query, or of a part: either, or both."""
    if isinstance(query, str):
        return query, None
    if not isinstance(query, Mapping):
        return None, query
    text, vector = query.get("text"), query.get("vector")
    if set(query) != {"text", "vector"} or not isinstance(text, str) or vector is None:
        raise ValueError(
            "a query, or a part of one, that is a dict must be {'text': ..., 'vector': ...}, text with its "
            f"vector, got {query!r:.100}"
        )
    return text, vector


def _parts(queries: Sequence[Query], reader: Hybrid, parts: PartsOfEach) -> list[list[tuple[str, Part]]]:
    """Return what each request is made of: the texts, and what there is to encode.

    A store without words answers as it always has, without parts. A query that brings its vector stays whole
    unless its parts are stated: where vectors are made elsewhere, parts have to bring theirs.
    """
    if parts is None or (parts == "auto" and reader.analyser is None):
        return [[] for _ in queries]
    if parts == "auto":
        told = [reader.parts([query])[0] if isinstance(query, str) else [] for query in queries]
        return [[(part, part) for part in some] for some in told]
    if isinstance(parts, str) or len(parts) != len(queries):
        raise ValueError(f"parts must be 'auto', None or a list of texts for each query, got {parts!r}")
    return [[] if some is None else _stated(some) for some in parts]


def _stated(parts: Sequence[Part]) -> list[tuple[str, Part]]:
    """Return the parts of one request that a caller hands in, checked."""
    listed = [] if isinstance(parts, str) or not isinstance(parts, Sequence) else parts
    texts = as_parts([_halves(part)[0] if isinstance(part, Mapping) else part for part in listed] or parts)
    return [
        (text, {**p, "text": text} if isinstance(p, Mapping) else text)
        for text, p in zip(texts, listed, strict=True)
    ]
