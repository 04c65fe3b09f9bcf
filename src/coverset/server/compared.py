"""What `/v1/compare` takes and returns."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from coverset.server import settings
from coverset.server.schemas import REQUEST, Document, LeftOut, Model, Parameters, Query, with_parameters


@with_parameters
class Compare(Parameters):
    """One query, for Dense, MMR and NNN side by side."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"query": REQUEST, "l1": 0.05, "l2": 0.1, "path": True}}
    )
    query: Query
    k: int = Field(5, ge=1, le=settings.MOST_COMPARED)
    where: dict[str, Any] | None = None
    path: bool = Field(False, description="Also which documents come in as l1 falls.")


class Compared(Model):
    """A document of one of the three answers."""

    id: str
    weight: float
    adds: float


class Side(Model):
    """One decoder's answer."""

    hits: list[Compared]
    redundancy: float = Field(description="The mean cosine between two of its documents.")
    covered: float = Field(description="The share of the query that its documents explain together.")
    certified: bool | None
    gap: float | None
    passes: int


class Sides(Model):
    """The three answers."""

    dense: Side
    mmr: Side
    nnn: Side


class BroughtIn(Model):
    """A document that NNN chose and that is not among the nearest."""

    id: str
    dense_rank: int | None


class Run(Model):
    """A document's weight along the l1 path."""

    id: str
    enters: float = Field(description="The largest l1 of the path at which it has weight.")
    weights: list[float]


class Path(Model):
    """NNN's weights for falling l1, over all documents searched."""

    l1: list[float]
    documents: list[Run] = Field(description="In the order in which they come in.")


class Comparison(Model):
    """Dense, MMR and NNN for one query, and what sets them apart."""

    searched: int = Field(description="How many documents were searched.")
    l1: float | None = Field(description="NNN's l1: as asked for, or as chosen for this query.")
    l2: float | None = Field(description="NNN's l2.")
    answers: Sides
    documents: list[Document] = Field(description="Every document of the three answers, once.")
    similarity: list[list[float]] = Field(description="Cosines between those documents, in that order.")
    left_out: list[LeftOut]
    brought_in: list[BroughtIn]
    path: Path | None = None
