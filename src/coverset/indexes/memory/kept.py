"""The scores of a pass, kept as bytes: what a residual that has turned may need to read again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats
from coverset.compilation import vectorised

# The largest code.
TOP = 255


class Kept:
    """Bounds (queries, rows) on scores of at most `most` (queries,): a score is below `unit` times its code.

    `error` says how far off the scores may be, beyond rounding of single precision.
    """

    def __init__(self, most: Floats, rows: int) -> None:
        self.codes: NDArray[np.uint8] = np.empty((len(most), rows), np.uint8)
        self.unit: Floats = np.maximum(most, np.finfo(np.float32).tiny) / np.float32(TOP - 1)
        self.error = 0.0

    def add(self, start: int, scores: Floats) -> None:
        """Take in the (queries, rows) scores of the rows from `start` on."""
        _round_up(scores, self.unit, start, self.codes)


@vectorised
def _round_up(scores: Floats, unit: Floats, start: int, codes: NDArray[np.uint8]) -> None:
    """Write the codes; whatever is below 0 has that of 0."""
    top = np.float32(TOP - 1)
    for q in range(scores.shape[0]):
        times = np.float32(1.0) / unit[q]
        for n in range(scores.shape[1]):
            code = min(max(scores[q, n] * times, np.float32(0.0)), top)
            codes[q, start + n] = np.uint8(np.int32(code) + 1)
