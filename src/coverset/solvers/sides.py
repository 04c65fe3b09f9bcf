"""Which side of the small problem to solve on, and how exactly, by the lengths involved, compiled."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array
from coverset.compilation import compiled
from coverset.products import inner

# A support beyond LARGE is solved for on the residual's side, unless the problem is stiff: its curvatures, of
# which l2 is the smallest and no more than n ||u||^2 the largest, are too far apart; then one beyond LARGEST
# (l2 = 0 has no such side, and needs at most d).
LARGE, LARGEST, STIFF = 128, 1024, 1000.0
ENDLESS = int(np.iinfo(np.int64).max)


@compiled
def tolerance(query: Array, longest: float, shortest: float) -> float:
    """How exactly the small problem is solved: far below what a certificate asks for, but not below rounding.

    Short documents among long ones count as well, so it is the shortest that sets the measure.
    """
    return float(max(1e-9 * shortest, 1e-15 * longest) * np.sqrt(inner(query, query)))


@compiled
def largest(l2: float, longest: float, large: int) -> int:
    """How many documents may have weight before the solve goes over to the residual's side."""
    if l2 == 0.0:
        return ENDLESS
    return LARGEST if stiff(large, l2, longest) else large


@compiled
def stiff(support: int, l2: float, longest: float) -> bool:
    """Whether steps on the residual's side would be hard to solve for."""
    return bool(support * longest * longest >= STIFF * l2)
