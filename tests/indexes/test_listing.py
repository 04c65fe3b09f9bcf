"""The best rows of a query, listed: against all scores sorted."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coverset.indexes.memory.listing import best_rows


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3000),
    st.integers(1, 60),
    st.floats(0, 0.3),
    st.sampled_from([-np.inf, -1.0, 0.0, 2.0, 9.0]),
    st.integers(-6, 6),
)
def test_the_best_rows_above_a_floor_are_listed_and_those_as_good_but_for_rounding(
    seed: int, count: int, most: int, slack: float, floor: float, decade: int
) -> None:
    rng, scale = np.random.default_rng(seed), np.float32(10.0) ** decade
    scores = (scale * rng.standard_normal(count).round(rng.integers(1, 5))).astype(np.float32)
    scores[rng.random(count) < 0.1] = -np.inf  # rows that are zero
    off, lowest = scale * np.float32(slack), max(scale * np.float32(floor), np.finfo(np.float32).min)
    rows, reached = best_rows(scores, most, off, lowest)
    last = np.sort(scores)[-most] if count >= most else np.float32(-np.inf)
    least = max(lowest, last - off)
    assert rows.tolist() == np.flatnonzero(scores >= least).tolist()
    assert lowest <= reached <= least
