"""What `/v1/compare` takes and returns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import ConfigDict, Field

from coverset.answer import Answer
from coverset.decoders import NNN
from coverset.explaining import comparison
from coverset.explaining.comparison import BroughtIn
from coverset.explaining.path import Path as L1Path
from coverset.explaining.reasons import LeftOut
from coverset.plain import Json
from coverset.server import settings
from coverset.server.schemas import (
    REQUEST,
    Document,
    Model,
    Name,
    Parameters,
    Part,
    Parts,
    Query,
    with_parameters,
)


@with_parameters
class Compare(Parameters):
    """One query, for every decoder side by side."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"query": REQUEST, "l1": 0.05, "l2": 0.1, "path": True}}
    )
    query: Query
    k: int = Field(5, ge=1, le=settings.MOST_COMPARED)
    where: Json | None = None
    parts: Parts = "auto"
    path: bool = Field(False, description="Also which documents come in as l1 falls.")


class Compared(Model):
    """A document of one of the answers."""

    id: str
    score: float
    weight: float
    adds: float
    part: str | None
    words: list[str]
    alike: list[str]


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

    @classmethod
    def of(cls, answer: Answer, redundancy: float) -> Side:
        """Return an answer as one of several."""
        return cls(
            hits=[
                Compared(
                    id=hit.id,
                    score=hit.score,
                    weight=hit.weight,
                    adds=hit.adds or 0.0,
                    part=hit.part,
                    words=list(hit.words),
                    alike=list(hit.alike),
                )
                for hit in answer.hits
            ],
            parts=[Part.of(part) for part in answer.parts],
            uncovered_words=answer.uncovered_words,
            unknown_words=answer.unknown_words,
            answered=answer.answered,
            redundancy=redundancy,
            covered=answer.covered,
            certified=answer.certified,
            gap=answer.gap,
            passes=answer.passes,
        )


class Run(Model):
    """A document's weight along the l1 path."""

    id: str
    enters: float = Field(description="The largest l1 of the path at which it has weight.")
    weights: list[float]


class Path(Model):
    """NNN's weights for falling l1, over all documents searched."""

    l1: list[float]
    documents: list[Run] = Field(description="In the order in which they come in.")

    @classmethod
    def of(cls, path: L1Path, names: Sequence[str]) -> Path:
        """Return the path, with the documents' names."""
        runs = [
            Run(id=names[row], enters=l1, weights=[round(weight, 5) for weight in path.of(row)])
            for row, l1 in path.entered.items()
        ]
        return cls(l1=path.l1, documents=runs)


class Comparison(Model):
    """Every decoder's answer to one query, and what sets them apart."""

    searched: int = Field(description="How many documents were searched.")
    l1: float | None = Field(description="NNN's l1: as asked for, or as chosen for this query.")
    l2: float | None = Field(description="NNN's l2.")
    answers: dict[Name, Side] = Field(description="By decoder.")
    documents: list[Document] = Field(description="Every document of the answers, once.")
    similarity: list[list[float]] = Field(description="Cosines between those documents, in that order.")
    left_out: list[LeftOut]
    brought_in: list[BroughtIn]
    path: Path | None = None

    @classmethod
    def of(
        cls, found: comparison.Comparison, searched: int, nnn: NNN, path: L1Path | None, names: Sequence[str]
    ) -> Comparison:
        """Return a comparison as the service states it."""
        return cls.model_construct(
            searched=searched,
            l1=nnn.l1,
            l2=nnn.l2,
            answers={name: Side.of(answer, found.redundancy[name]) for name, answer in found.answers.items()},
            documents=[Document.of(document) for document in found.documents],
            similarity=np.round(found.similarity, 4).tolist(),
            left_out=found.left_out,
            brought_in=found.brought_in,
            path=None if path is None else Path.of(path, names),
        )
