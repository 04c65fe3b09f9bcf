"""Selection: one query's answer, the same for every decoder."""

from __future__ import annotations

from dataclasses import dataclass

from coverset.arrays import Floats, Keys


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
    """

    ids: Keys
    weights: Floats
    gap: float | None = None
    violation: float | None = None
    certified: bool | None = None
    proved: bool | None = None
    passes: int = 1

    def __len__(self) -> int:
        """Return how many documents were chosen."""
        return len(self.ids)
