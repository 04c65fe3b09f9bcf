"""Inner products with rows scattered over a large array, read in place, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.compilation import vectorised


@vectorised
def scattered_scores(rows: Any, ids: Ids, residual: Floats) -> Any:
    """Return rows[ids] @ residual without copying the rows."""
    scores = np.empty(len(ids), np.float32)
    for n in range(len(ids)):
        row, total = rows[ids[n]], np.float32(0.0)
        for j in range(len(residual)):
            total += row[j] * residual[j]
        scores[n] = total
    return scores
