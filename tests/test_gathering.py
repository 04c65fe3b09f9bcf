"""Sparse rows: numbered against a dictionary, multiplied against scipy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from coverset.arrays import Floats
from coverset.gathering import numbered
from coverset.products import pair_scores
from coverset.vectors import Vectors

TERMS = st.lists(st.integers(0, 40) | st.integers(0, 2**31 - 1), max_size=300)


@given(TERMS, TERMS)
def test_terms_are_numbered_as_they_come(terms: list[int], others: list[int]) -> None:
    first, second, count = numbered(np.array(terms, np.int32), np.array(others, np.int32))
    numbers = {term: number for number, term in enumerate(dict.fromkeys(terms + others))}
    assert count == len(numbers)
    assert first.tolist() == [numbers[term] for term in terms]
    assert second.tolist() == [numbers[term] for term in others]


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0), st.integers(-6, 6))
def test_pairs_of_rows_and_targets_are_multiplied(seed: int, share: float, decade: int) -> None:
    rng = np.random.default_rng(seed)

    def written(vectors: Vectors) -> Floats:
        words = vectors.words
        return csr_array((words.values, words.terms, words.starts), shape=(len(words), words.width)).toarray()

    def drawn(count: int) -> Vectors:
        meaning = (10.0**decade * rng.standard_normal((count, 5))).astype(np.float32)
        words = random_array((count, 30), density=0.3, rng=rng, dtype=np.float32).tocsr()
        return Vectors(meaning, words).sharing(share)

    rows, targets = drawn(20), drawn(4)
    which, members = rng.integers(0, 4, 50), rng.integers(0, 20, 50)
    out = np.zeros(50, np.float32)
    pair_scores(rows.rows, targets.rows, which, members, 10, 50, out)
    halves = ((rows.meaning, targets.meaning, 1 - share), (written(rows), written(targets), share))
    expected = sum(part * (b.astype(float) @ a.astype(float).T)[which, members] for a, b, part in halves)
    assert not out[:10].any()
    np.testing.assert_allclose(out[10:], expected[10:], rtol=1e-5, atol=1e-6 * max(1.0, 100.0**decade))
