"""A request of the demo, decoded by Dense, MMR and NNN side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from coverset.answer import Answer
from coverset.decoders import MMR, NNN, Dense
from coverset.demo.catalogue import Tools
from coverset.encoders import load_encoder
from coverset.explaining.comparison import Comparison, compare
from coverset.indexes import MemoryIndex

TITLES = {"dense": "Dense", "mmr": "MMR", "nnn": "NNN"}


@dataclass(frozen=True)
class Result:
    """A request, and how the decoders' answers compare."""

    request: str
    found: Comparison
    documents: int

    @property
    def nnn(self) -> Answer:
        """NNN's answer."""
        return self.found.answers["nnn"]

    @property
    def picks(self) -> dict[str, list[str]]:
        """The tools that each decoder picks."""
        return {title: [hit.id for hit in self.found.answers[name].hits] for name, title in TITLES.items()}

    @property
    def covered(self) -> dict[str, list[float]]:
        """The share of the request that each decoder's first 1, 2, ... tools explain together."""
        return {
            title: list(accumulate(hit.adds or 0.0 for hit in self.found.answers[name].hits))
            for name, title in TITLES.items()
        }

    @property
    def redundancy(self) -> dict[str, float]:
        """How alike each decoder's tools are."""
        return {title: self.found.redundancy[name] for name, title in TITLES.items()}

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "request": self.request,
            "picks": self.picks,
            "redundancy": self.redundancy,
            "covered": self.covered,
            "dropped": [{"name": d.id, "like": d.like, "cosine": d.cosine} for d in self.found.left_out],
            "brought_in": [{"name": b.id, "dense_rank": b.dense_rank} for b in self.found.brought_in],
            "gap": self.nnn.gap,
            "certified": self.nnn.certified,
            "documents": self.documents,
            "milliseconds": 1000 * self.nnn.seconds,
        }


def results(requests: Sequence[str], tools: dict[str, str], nnn: NNN, k: int) -> list[Result]:
    """Encode the tools and the requests, and decode each request with every decoder."""
    encoder = load_encoder()
    index = MemoryIndex(encoder.encode(list(tools.values())))
    searched = Tools(list(tools), list(tools.values()), index)
    queries = encoder.encode_queries(list(requests))
    nnn.decode(queries[0], index, k)  # so that no time is told that was spent on compiling
    decoders = {"dense": Dense(), "mmr": MMR(), "nnn": nnn}
    return [
        Result(request, compare(query, searched, decoders, k), len(index))
        for request, query in zip(requests, queries, strict=True)
    ]
