"""What each decoder picks for a request, and how NNN's answer came to differ from the nearest documents."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from coverset.arrays import Floats
from coverset.decoders import MMR, NNN, Decoder, Dense
from coverset.evaluation.metrics import redundancy
from coverset.explanation import covered, left_out, places
from coverset.indexes import MemoryIndex
from coverset.selection import Selection


@dataclass(frozen=True)
class Dropped:
    """A document among the nearest that NNN left out, and the one in NNN's answer that it is most alike."""

    name: str
    like: str
    cosine: float


@dataclass(frozen=True)
class BroughtIn:
    """A document that NNN chose instead, and its place among the nearest, counted from 1."""

    name: str
    dense_rank: int | None


@dataclass(frozen=True)
class Comparison:
    """The answers to one request, by decoder, and what sets them apart.

    `covered` is the share of the request that the first 1, 2, ... documents of an answer explain together.
    """

    request: str
    picks: dict[str, list[str]]
    redundancy: dict[str, float]
    covered: dict[str, list[float]]
    dropped: list[Dropped]
    brought_in: list[BroughtIn]
    gap: float
    violation: float
    certified: bool
    documents: int
    milliseconds: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def compare(request: str, query: Floats, names: list[str], index: MemoryIndex, nnn: NNN, k: int) -> Comparison:
    """Decode a request with Dense, MMR and NNN, and say what changed from Dense to NNN."""
    decoders: dict[str, Decoder] = {"Dense": Dense(), "MMR": MMR(), "NNN": nnn}
    selections: dict[str, Selection] = {name: d.decode(query, index, k) for name, d in decoders.items()}
    start = time.perf_counter()
    answer: Selection = nnn.decode(query, index, k)
    milliseconds = 1000 * (time.perf_counter() - start)
    nearest = selections["Dense"].ids
    gone = left_out(index, nearest, answer.ids)
    new = answer.ids[~np.isin(answer.ids, nearest)]
    return Comparison(
        request=request,
        picks={name: [names[i] for i in s.ids] for name, s in selections.items()},
        redundancy={name: redundancy(index.corpus.meaning[s.ids]) for name, s in selections.items()},
        covered={name: covered(query, index.corpus.meaning[s.ids]).tolist() for name, s in selections.items()},
        dropped=[Dropped(names[d.id], names[d.like], d.cosine) for d in gone],
        brought_in=[BroughtIn(names[i], n) for i, n in zip(new, places(query, index, new), strict=True)],
        gap=float(answer.gap or 0.0),
        violation=float(answer.violation or 0.0),
        certified=bool(answer.certified),
        documents=len(index),
        milliseconds=milliseconds,
    )
