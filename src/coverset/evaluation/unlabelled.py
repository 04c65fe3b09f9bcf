"""`coverset tune --unlabelled`: the setting that suits some queries, from the queries alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

from rich.console import Console

from coverset.decoders import NNN
from coverset.decoders.requests import Requests
from coverset.decoders.strength import suited
from coverset.indexes import MemoryIndex
from coverset.plain import Json

# With fewer queries than this the median may well come out on the other side.
ENOUGH = 20
# Below this, joint decoding helped on most of our data sets (docs/default.md); from here up to 1, little.
SURE = 0.9


@dataclass(frozen=True)
class Suited:
    """The decoder that suits queries over a corpus, and how crowded the typical query's nearest documents are."""

    share: ClassVar[None] = None  # it stays as it is
    decoder: NNN
    crowding: float
    queries: int

    @classmethod
    def run(cls, index: MemoryIndex, queries: Requests) -> Suited:
        """Look at the nearest documents of every query."""
        l2, crowding = suited(queries.wholes, index)
        return cls(NNN(l2=l2), crowding, len(queries))

    @property
    def advice(self) -> str:
        """What to make of it."""
        measured = (
            f"a typical query's ten nearest documents are {self.crowding:.2f} times as alike as they are like "
            "the query (without what all documents share)"
        )
        if self.crowding >= 1.0:
            verdict = (
                f"Dense should do as well here: {measured}, one crowd. Geometry cannot tell what of it is needed."
            )
        else:
            helps = "should" if self.crowding < SURE else "may"
            verdict = f"Joint decoding {helps} help here: {measured}, so they show different sides of it."
        few = f" {self.queries} queries are few: take {ENOUGH} or more." if self.queries < ENOUGH else ""
        return f"{verdict}{few} Only labelled queries can tell for sure."

    def as_json(self) -> Json:
        """Return the setting and why, as plain data."""
        return {
            "decoder": "nnn",
            "params": asdict(self.decoder),
            "crowding": self.crowding,
            "queries": self.queries,
            "advice": self.advice,
        }

    def show(self, console: Console) -> None:
        """Print the setting as a line to paste, and the advice."""
        console.print(f"\n{self.queries} queries, without labels. Use:\n")
        console.print(f"    NNN(l2={self.decoder.l2!r})\n", highlight=False)
        console.print(self.advice, highlight=False)
