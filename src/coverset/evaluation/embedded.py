"""A data set as vectors: an index over its documents, and its splits' queries encoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.decoders.requests import Requests
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.encoders.hybrid import Hybrid
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.evaluation.datasets import load
from coverset.indexes import MemoryIndex
from coverset.indexes.memory.index import SHARE
from coverset.inputs import as_choice
from coverset.vectors import Vectors

SPACES = ("hybrid", "dense", "words")
# The rows of the documents that a query needs; a frozenset: any one of them.
Relevant: TypeAlias = Ids | Sequence[int | frozenset[int]]


@dataclass(frozen=True)
class Space:
    """What documents and requests are compared by, and whether requests come apart.

    Attributes
    ----------
    name
        "hybrid": words and meaning; "dense": meaning alone; "words".
    parts
        Whether what a request is made of counts as further targets.
    share
        The share of words.
    """

    name: str = "dense"
    parts: bool = False
    share: float = SHARE

    def __post_init__(self) -> None:
        """Check the name."""
        as_choice("space", self.name, SPACES)


@dataclass(frozen=True)
class Labelled:
    """Encoded queries and, for each, what of the corpus is relevant."""

    queries: Floats | Requests
    relevant: Sequence[Relevant]


def embed(
    folder: Path, encoder: str, cache: Path | None, splits: list[str], space: Space | None = None
) -> tuple[MemoryIndex, list[Labelled]]:
    """Read a data set and these splits of it, and only if all of it is sound, encode it: by default, meaning."""
    data, space = load(folder), space or Space()
    labelled = [data.split(name) for name in splits]
    cached = None if space.name == "words" else CachedEncoder(load_encoder(encoder), cache or default_folder())
    meaning = None if cached is None else cached.encode(data.texts)
    if space.name == "dense":
        assert cached is not None
        assert meaning is not None
        index, reader = MemoryIndex(meaning), Hybrid(cached.encode_queries)
    else:
        analyser = Analyser()
        vocabulary, words = Vocabulary.of([analyser.counts(text) for text in data.texts])
        reader = Hybrid(None if cached is None else cached.encode_queries, analyser, vocabulary)
        index = MemoryIndex(Vectors(meaning, words), space.share)
    return index, [Labelled(_requests(reader, split.texts, space), split.relevant) for split in labelled]


def _requests(reader: Hybrid, texts: list[str], space: Space) -> Floats | Requests:
    wholes = reader.vectors(texts)
    if not space.parts:
        return Requests(wholes) if wholes.width else wholes.meaning
    parts = reader.part_vectors(reader.parts(texts))
    return Requests.checked(wholes, parts, guessed=True)


def by_meaning(index: MemoryIndex, labelled: Labelled) -> tuple[MemoryIndex, Floats | Requests]:
    """Return the same documents and queries by meaning alone; by words, where they have no meaning."""
    if not index.dim:
        return index, Requests(wholes_of(labelled.queries))
    return MemoryIndex(index.corpus.meaning), wholes_of(labelled.queries).meaning


def wholes_of(queries: Floats | Requests) -> Vectors:
    """Return the queries as wholes, without their parts."""
    return queries.wholes if isinstance(queries, Requests) else Vectors.of(np.asarray(queries))
