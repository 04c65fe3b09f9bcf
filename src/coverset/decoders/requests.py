"""Requests: what is asked for as a whole, and the parts it is made of, each a target of its own.

A document counts by how well it answers the whole and by how well it answers the part that it answers best:

    s_i = s_i(whole) + max over parts of s_i(part)

where s is whatever the decoder scores by. So what only one part asks for comes in, and what the whole asks for
stays; parts that say the same change nothing. NNN begins with the best document of each part (`combined.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coverset.arrays import Array, Floats, Ids
from coverset.inputs import as_targets
from coverset.vectors import Vectors

MOST_PARTS = 16
Real = TypeVar("Real", np.float32, np.float64)


@dataclass(frozen=True, eq=False)
class Requests:
    """A batch of requests: the vector of each as a whole, and of its parts; None: no request has any.

    `guessed`: the parts were told from the request's text, and were not stated by whoever asks.
    """

    wholes: Vectors
    parts: list[Vectors] | None = None
    guessed: bool = False

    @classmethod
    def checked(
        cls, wholes: Vectors, parts: Sequence[ArrayLike | Vectors | None] | None, *, guessed: bool = False
    ) -> Requests:
        """Check the parts that go with some queries."""
        if parts is None:
            return cls(wholes)
        if len(parts) != len(wholes):
            raise ValueError(f"parts must have one entry for each of {len(wholes)} queries, got {len(parts)}")
        none = wholes.take(slice(0, 0))
        checked = [none if given is None else as_targets("parts", given, wholes) for given in parts]
        most = max((len(some) for some in checked), default=0)
        if most > MOST_PARTS:
            raise ValueError(f"parts must be at most {MOST_PARTS} for a query, got {most}")
        return cls(wholes, checked if most else None, guessed)

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self.wholes)

    def one(self, request: int) -> Requests:
        """Return one request alone."""
        parts = None if self.parts is None else [self.parts[request]]
        return Requests(self.wholes.one(request), parts, self.guessed)

    def targets(self, request: int) -> Vectors:
        """Return all targets of one request: the whole, then its parts."""
        whole = self.wholes.one(request)
        return whole if self.parts is None else Vectors.join([whole, self.parts[request]])


def together(scores: NDArray[Real]) -> NDArray[Real]:
    """Return what each document counts for a request, from its (targets, n) scores: the whole comes first."""
    worth: NDArray[Real] = scores[0] + scores[1:].max(axis=0) if len(scores) > 1 else scores[0]
    return worth


def serves(scores: Array | Floats) -> Ids:
    """Return which part each document serves best, counted from 0; -1: the whole, best of all."""
    best: Ids = np.argmax(scores, axis=0).astype(np.int64) - 1
    return best
