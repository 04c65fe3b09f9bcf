"""What `/v1/compare` takes and returns."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from coverset.answer import Part
from coverset.decoders import NNN
from coverset.explaining import comparison
from coverset.explaining.comparison import BroughtIn
from coverset.explaining.path import Path
from coverset.explaining.reasons import LeftOut
from coverset.plain import Json
from coverset.server import settings
from coverset.server.schemas import (
    REQUEST,
    Document,
    Model,
    Name,
    Parameters,
    Parts,
    Query,
    Setting,
    Share,
    shown,
    with_parameters,
)
from coverset.store.snapshot import Snapshot


@with_parameters
class Compare(Parameters):
    """One query, for every decoder side by side."""

    model_config = shown(query=REQUEST, l1=0.05, l2=0.1, path=True)
    query: Query
    k: int = Field(5, ge=1, le=settings.MOST_COMPARED)
    where: Json | None = None
    parts: Parts = "auto"
    share: Share | None = Field(
        None, description="The share of words in NNN's and RRF's scores; null: the store's own."
    )
    path: bool = Field(False, description="Also which documents come in as l1 falls.")


class Compared(Model):
    """A document of one of the answers."""

    id: str
    score: float = Field(description="What it explains by itself, in what its decoder ranks by: see `share`.")
    weight: float
    adds: float
    part: str | None
    words: tuple[str, ...]
    alike: tuple[str, ...]


class Side(Model):
    """One decoder's answer."""

    hits: list[Compared]
    parts: list[Part]
    uncovered_words: list[str]
    unknown_words: list[str]
    answered: bool
    redundancy: float = Field(description="The mean cosine between two of its documents.")
    covered: float = Field(description="The share of the query that its documents explain together.")
    certified: bool | None
    gap: float | None
    passes: int
    decoder: Setting
    share: float = Field(description="The share of words in what it ranks by: Dense and MMR go by meaning alone.")


class Comparison(Model):
    """Every decoder's answer to one query, and what sets them apart."""

    searched: int = Field(description="How many documents were searched.")
    version: int = Field(description="The version of the store that was searched.")
    l1: float | None = Field(description="NNN's l1: as asked for, or as chosen for this query.")
    l2: float | None = Field(description="NNN's l2.")
    answers: dict[Name, Side] = Field(description="By decoder.")
    documents: list[Document] = Field(description="Every document of the answers, once.")
    similarity: list[list[float]] = Field(description="Cosines between those documents, in that order.")
    left_out: list[LeftOut]
    brought_in: list[BroughtIn]
    path: Path | None = None

    @classmethod
    def of(cls, found: comparison.Comparison, searched: Snapshot, nnn: NNN, path: Path | None) -> Comparison:
        """Return a comparison of answers from these documents as the service states it."""
        sides = {
            name: Side.like(
                answer,
                hits=[*map(Compared.like, answer.hits)],
                redundancy=found.redundancy[name],
                decoder=Setting.of(answer.decoder),
            )
            for name, answer in found.answers.items()
        }
        return cls.like(
            found,
            searched=len(searched),
            version=searched.version,
            l1=nnn.l1,
            l2=nnn.l2,
            answers=sides,
            documents=[*map(Document.like, found.documents)],
            similarity=np.round(found.similarity, 4).tolist(),
            path=path,
        )
