"""A data set as vectors: an index over its documents, and its splits' queries encoded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.encoders.hybrid import Hybrid, Reading
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.evaluation.datasets import load
from coverset.evaluation.measuring import Labelled
from coverset.indexes import MemoryIndex
from coverset.indexes.memory.index import SHARE
from coverset.inputs import as_choice
from coverset.vectors import Vectors

SPACES = ("hybrid", "dense", "words")


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
    return index, [Labelled.read(_readings(reader, split.texts, space), split.relevant) for split in labelled]


def _readings(reader: Hybrid, texts: list[str], space: Space) -> list[Reading]:
    parts = reader.parts(texts) if space.parts else [[] for _ in texts]
    return reader.read(texts, reader.vectors(texts), parts, guessed=True)
