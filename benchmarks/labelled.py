"""Labelled data sets under both offline encoders, as the studies of the default and of few examples use them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.paper.frozen import Source
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.evaluation.measuring import Labelled
from coverset.indexes import MemoryIndex

ENCODERS = {"M": "all-MiniLM-L6-v2", "B": "bge-small-en-v1.5"}


@dataclass(frozen=True)
class Set:
    """A data set under an encoder; `name` says both."""

    name: str
    index: MemoryIndex
    test: Labelled
    dev: Labelled | None


def parser(description: str) -> argparse.ArgumentParser:
    """Return a parser that takes the data sets' folders, where results go, and where embeddings are kept."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("folders", nargs="+", type=Path, help="data sets in BEIR layout")
    arguments.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    arguments.add_argument("--cache", type=Path, default=default_folder())
    return arguments


def sets(folders: list[Path], cache: Path) -> Iterator[Set]:
    """Yield every data set under every encoder."""
    for short, encoder in ENCODERS.items():
        cached = CachedEncoder(load_encoder(encoder), cache)
        for source in map(Source.read, folders):
            index = MemoryIndex(cached.encode(source.data.texts))
            test, dev = (
                Labelled.of(cached.encode_queries(split.texts), split.relevant) if split else None
                for split in (source.test, source.dev)
            )
            assert test is not None
            yield Set(f"{source.name} ({short})", index, test, dev)
