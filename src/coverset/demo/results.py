"""A request of the demo, decoded by Dense, MMR and NNN side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from coverset.answer import Answer
from coverset.decoders import MMR, NNN, Dense
from coverset.demo.catalogue import Tools
from coverset.encoders import load_encoder
from coverset.encoders.hybrid import Hybrid
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.explaining.comparison import Comparison, compare
from coverset.indexes import MemoryIndex
from coverset.plain import Json
from coverset.vectors import Vectors

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

    def as_json(self) -> Json:
        """Return it as plain data."""
        return {
            "request": self.request,
            "picks": self.picks,
            "redundancy": self.redundancy,
            "covered": self.covered,
            "dropped": [{"name": d.id, "like": d.like, "cosine": d.cosine} for d in self.found.left_out],
            "brought_in": [{"name": b.id, "dense_rank": b.dense_rank} for b in self.found.brought_in],
            "answered": self.nnn.answered,
            "gap": self.nnn.gap,
            "certified": self.nnn.certified,
            "documents": self.documents,
            "milliseconds": 1000 * self.nnn.seconds,
        }


def results(requests: Sequence[str], tools: dict[str, str], nnn: NNN, k: int) -> list[Result]:
    """Read the tools and the requests as a store does, and decode each request with every decoder."""
    encoder, analyser = load_encoder(), Analyser()
    vocabulary, words = Vocabulary.of([analyser.counts(text) for text in tools.values()])
    index = MemoryIndex(Vectors(encoder.encode(list(tools.values())), words))
    searched = Tools(list(tools), list(tools.values()), index)
    reader = Hybrid(encoder.encode_queries, analyser, vocabulary)
    readings = reader.read(requests, reader.vectors(requests), reader.parts(requests), guessed=True)
    decoders = {"dense": Dense(), "mmr": MMR(), "nnn": nnn}
    compare(readings[0], searched, decoders, k)  # so that no time is told that was spent on compiling
    return [
        Result(request, compare(reading, searched, decoders, k), len(index))
        for request, reading in zip(requests, readings, strict=True)
    ]
