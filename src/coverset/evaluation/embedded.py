"""A data set as vectors: an index over its documents, and its splits' queries encoded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from coverset.arrays import Floats, Ids
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.evaluation.datasets import load
from coverset.indexes import MemoryIndex


@dataclass(frozen=True)
class Labelled:
    """Encoded queries and, for each, the rows of the corpus that are relevant."""

    queries: Floats
    relevant: list[Ids]


def embed(folder: Path, encoder: str, cache: Path | None, splits: list[str]) -> tuple[MemoryIndex, list[Labelled]]:
    """Read a data set and these splits of it, and only if all of it is sound, encode it."""
    data = load(folder)
    labelled = [data.split(name) for name in splits]
    cached = CachedEncoder(load_encoder(encoder), cache or default_folder())
    index = MemoryIndex(cached.encode(data.texts))
    return index, [Labelled(cached.encode_queries(split.texts), split.relevant) for split in labelled]
