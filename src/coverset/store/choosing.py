"""What a search does once its requests are read: filter, decode, one of each document, and whether it answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from coverset.decoders import Decoder
from coverset.decoders.kinds import as_searched
from coverset.decoders.registry import as_decoder
from coverset.encoders.hybrid import Reading
from coverset.explaining.floor import Judged, decoded
from coverset.indexes import MemoryIndex
from coverset.inputs import as_choice, as_count, as_number
from coverset.plain import Fields
from coverset.selection import Selection
from coverset.store.snapshot import Snapshot
from coverset.store.whole import UNITS, one_per_document


@dataclass(frozen=True)
class Wanted:
    """What a search is told beside its requests, as `Retriever.answer` documents it."""

    k: int | None
    where: Fields | None
    decoder: Decoder | str | None
    share: float | None
    per: str

    def __post_init__(self) -> None:
        """Check what does not depend on the store."""
        as_count("k", self.k, optional=True)
        as_choice("per", self.per, UNITS)
        if self.share is not None:
            as_number("share", self.share, 0.0, 1.0)


@dataclass(frozen=True)
class Chosen:
    """The documents that were searched, what was chosen of them for each request, by which decoder, how fast."""

    documents: Snapshot
    decoder: Decoder
    selections: list[Judged]
    seconds: float


def choose(readings: Sequence[Reading], version: Snapshot, wanted: Wanted) -> Chosen:
    """Return what a version of a store has for some requests; `seconds` is the time of one."""
    documents = version.where(wanted.where)
    if wanted.share is not None:
        documents = documents.sharing(wanted.share)
    decoder, index = as_decoder(wanted.decoder, documents.decoder), documents.index
    if index is None or not readings:
        return Chosen(
            documents, decoder, [Judged.of(reading, None, Selection.none()) for reading in readings], 0.0
        )
    decoder, start = as_searched(decoder, index), time.perf_counter()
    selections = decoded(readings, index, decoder, wanted.k)
    if wanted.per == "document":
        selections = [
            _by_document(reading, selection, documents, index, decoder, wanted.k)
            for reading, selection in zip(readings, selections, strict=True)
        ]
    seconds = (time.perf_counter() - start) / len(readings)
    judged = [Judged.of(reading, index, found) for reading, found in zip(readings, selections, strict=True)]
    if wanted.where is None:  # a filter is an answer of its own kind: what passes it is wanted
        judged = [each.cut for each in judged]
    return Chosen(documents, decoder, judged, seconds)


def _by_document(
    reading: Reading, found: Selection, documents: Snapshot, index: MemoryIndex, decoder: Decoder, k: int | None
) -> Selection:
    """Return the best passage of each document, decoded again where there are too few documents."""
    return one_per_document(found, lambda deeper: decoded([reading], index, decoder, deeper)[0], documents, k)
