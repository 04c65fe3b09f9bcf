"""Selection: one query's answer, the same for every decoder."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from coverset.arrays import Floats, Ids, Keys

# What a document serves that serves no part.
WHOLE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The documents chosen for one query, best first, and how good the choice is known to be.

    Attributes
    ----------
    ids
        Row numbers of the chosen documents, int64; or the index's own ids, as objects if they are not whole
        numbers.
    weights
        float32, in the same order: the coefficient w for NNN (0 for documents that only fill up to
        k), the inner product for Dense, the marginal score for MMR. `gap` and `violation` are those of the
        coefficients in double precision, which these are rounded from.
    gap
        NNN: how far the objective can be from its minimum, over the whole corpus (the duality gap);
        infinity where the answer was computed from `candidates` only. None for other decoders.
    violation
        NNN: the largest violation of the optimality (KKT) conditions over the whole corpus. None
        for other decoders.
    certified
        NNN: gap and violation were measured with an exact pass over the whole corpus, and both are
        within the tolerance. False over an approximate index, unless `NNN(certify=True)` could search it
        exhaustively at the end. None for other decoders.
    proved
        NNN: these ids are proved to be, as a set, the ids that the exact minimum would give; False
        when the scores around the cut are too close to tell. None for other decoders.
    passes
        How many searches of the whole corpus the answer took.
    strengths
        NNN: (l1, l2), as given or as chosen for this query. None for other decoders.
    alike
        For each id, the ids that were met and left out because this one stands for them.
    serves
        For each id, the part of the request that it serves best, counted from 0; -1: the request as a whole.
    """

    ids: Keys
    weights: Floats
    gap: float | None = None
    violation: float | None = None
    certified: bool | None = None
    proved: bool | None = None
    passes: int = 1
    strengths: tuple[float, float] | None = None
    alike: list[list[Hashable]] = field(default_factory=list)
    serves: Ids = field(default_factory=lambda: np.empty(0, np.int64))

    def __post_init__(self) -> None:
        """Without kinds or parts, nobody is left out, and all serve the whole request."""
        if len(self.alike) != len(self.ids):
            object.__setattr__(self, "alike", [[] for _ in range(len(self.ids))])
        if len(self.serves) != len(self.ids):
            object.__setattr__(self, "serves", np.full(len(self.ids), WHOLE))

    @classmethod
    def none(cls) -> Selection:
        """Return the selection of no documents."""
        return cls(np.empty(0, np.int64), np.empty(0, np.float32))

    def take(self, places: Sequence[int]) -> Selection:
        """Return some of its documents; nothing is then proved about which they are."""
        if list(places) == list(range(len(self))):
            return self
        kept = np.asarray(places, np.int64)
        return replace(
            self,
            ids=self.ids[kept],
            weights=self.weights[kept],
            proved=None if self.proved is None else False,
            alike=[self.alike[place] for place in places],
            serves=self.serves[kept],
        )

    def __len__(self) -> int:
        """Return how many documents were chosen."""
        return len(self.ids)
