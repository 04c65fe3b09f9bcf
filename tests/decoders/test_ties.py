"""Documents that are equal go by their id, wherever they stand and whatever else is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import random_array

from coverset import MMR, NNN, RRF, Dense, MemoryIndex, Vectors
from tests.conftest import unit

DECODERS = [Dense(distinct=False), Dense(distinct=0.99), MMR(), RRF(distinct=False), NNN(), NNN(l1=0.05, l2=0.3)]


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(3, 70), st.integers(2, 50), st.booleans())
@example(11291135, 3, 2, False)
def test_the_first_of_equal_documents_comes_first(decoder: Any, seed: int, n: int, d: int, parts: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(max(1, n // 3), size=n)  # every document some three times, anywhere
    meaning = unit(rng.standard_normal((n, d)) + 0.5)[rows]
    words = random_array((n, 40), density=0.2, format="csr", rng=rng, dtype=np.float32)[rows]
    queries = Vectors(
        unit(rng.standard_normal((3, d)) + 0.5), random_array((3, 40), density=0.3, format="csr", rng=rng)
    )
    whole, others = queries.take(slice(0, 1)), queries.take(slice(1, 3)) if parts else None
    ids = decoder.decode(whole, MemoryIndex(Vectors(meaning, words)), k=n, parts=others).ids.tolist()
    for row in set(rows.tolist()):
        same = [i for i in ids if rows[i] == row]
        assert same == sorted(same)
        assert not same or same[0] == np.flatnonzero(rows == row)[0]
