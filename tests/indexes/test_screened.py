"""Which rows to read again when the residual has turned: against random rows, and the extreme one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coverset.indexes.memory.bounds import needed


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 2.0), st.floats(-1.2, 1.2), st.floats(0.2, 3.0))
def test_no_row_that_reaches_the_floor_is_left_out(seed: int, turn: float, floor: float, longest: float) -> None:
    rng = np.random.default_rng(seed)
    before = rng.normal(size=3)
    after = before + turn * rng.normal(size=3)
    rows = rng.normal(size=(4000, 3))
    rows *= longest * rng.uniform(size=(4000, 1)) ** (1 / 3) / np.linalg.norm(rows, axis=1, keepdims=True)
    reached = rows[rows @ after >= floor]
    least, _ = needed(before, after, floor, longest)
    assert (reached @ before >= least - 1e-9 * longest * np.linalg.norm(before)).all()


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 2.0), st.floats(-1.2, 1.2), st.floats(0.2, 3.0))
def test_what_is_below_is_bounded_by_the_slope(seed: int, turn: float, floor: float, longest: float) -> None:
    rng = np.random.default_rng(seed)
    before = rng.normal(size=3)
    after = before + turn * rng.normal(size=3)
    rows = rng.normal(size=(4000, 3))
    rows *= longest * rng.uniform(size=(4000, 1)) ** (1 / 3) / np.linalg.norm(rows, axis=1, keepdims=True)
    least, slope = needed(before, after, floor, longest)
    if np.isfinite(least):
        below = rows[rows @ before <= least]
        allowed = floor + slope * (below @ before - least)
        assert (below @ after <= allowed + 1e-6 * longest * np.linalg.norm(after)).all()


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.9))
def test_the_bound_is_attained(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    before, after = rng.normal(size=(2, 5))
    floor = share * np.linalg.norm(after)
    away = -before + (before @ after) / (after @ after) * after
    row = share * after / np.linalg.norm(after) + np.sqrt(1 - share**2) * away / np.linalg.norm(away)
    least, _ = needed(before, after, float(floor), 1.0)
    if np.isfinite(least):
        np.testing.assert_allclose(row @ before, least, atol=1e-9)
    else:  # even the row opposite to the old residual reaches the floor
        assert -before @ after / np.linalg.norm(before) >= floor - 1e-9


def test_a_residual_of_nothing_asks_for_every_row() -> None:
    zero, some = np.zeros(3), np.ones(3)
    assert needed(zero, some, 0.1, 1.0)[0] <= 0
    assert np.isfinite(needed(some, zero, 0.1, 1.0)[0])
