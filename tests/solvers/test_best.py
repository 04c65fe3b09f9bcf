"""The best documents, in order, against Python's own sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coverset.solvers.best import FEW, best

# Weights that are 0, that are all but 0, and that are more.
WEIGHTS = st.sampled_from([0.0, 0.0, 1e-300, 1e-30, 1e-14, 0.25, 0.5, 1.0])


@given(
    st.lists(st.tuples(WEIGHTS, st.integers(-9, 9)), min_size=1, max_size=80),
    st.one_of(st.just(-1), st.integers(1, 60)),
    st.booleans(),
)
def test_weights_come_first_then_scores_and_none_comes_twice(
    documents: list[tuple[float, int]], k: int, fill: bool
) -> None:
    weights, scores = np.array(documents, float).T
    columns, _, counts, _, _ = best(weights[None], scores[None], np.ones(1), k, fill)
    found = columns[0, : counts[0]].tolist()
    # What is smaller than the tie counts as equal, but not as nothing.
    size = np.where((weights > 0) & (weights < 1e-12 * weights.max()), 1e-13 * weights.max(), weights)
    by_weight = sorted(np.flatnonzero(weights).tolist(), key=lambda i: (-size[i], i))
    by_score = sorted(np.flatnonzero(weights == 0).tolist(), key=lambda i: (-scores[i], i))
    wanted = len(by_weight) if k < 0 else k
    expected = (by_weight + by_score)[:wanted] if fill else by_weight[:wanted]
    assert found == expected


@pytest.mark.parametrize("support", [3, FEW + 8])
def test_a_weight_that_is_all_but_none_keeps_its_place(support: int) -> None:
    weights, scores = np.zeros((1, 100)), -np.arange(100.0)[None]
    weights[0, -support:] = 1.0
    weights[0, -1] = 1e-20
    columns, _, counts, _, _ = best(weights, scores, np.ones(1), support + 2, True)
    assert columns[0, : counts[0]].tolist() == [*range(100 - support, 100), 0, 1]


@pytest.mark.parametrize("k", [3, FEW + 8])
def test_of_documents_equal_but_for_rounding_the_first_is_returned(k: int) -> None:
    apart = 1e-15 * np.random.default_rng(0).permuted(np.arange(60.0)[None].repeat(20, axis=0), axis=1)
    for weights in 0.5 + apart:
        columns, chosen, _, _, _ = best(weights[None], np.full((1, 60), 0.2), np.ones(1), k, True)
        assert columns[0].tolist() == list(range(k))
        assert chosen[0].tolist() == [0.5] * k


def test_weights_as_far_apart_as_scores_are_rounded_are_equal_and_those_further_apart_are_not() -> None:
    scores = np.full((1, 3), 0.2)
    for l2, apart, expected in ((1e-4, 3e-12, [0, 1, 2]), (1.0, 3e-12, [1, 2, 0]), (1e-12, 1e-6, [1, 2, 0])):
        weights = np.array([[0.1, 0.1 * (1 + 2 * apart), 0.1 * (1 + apart)]])
        columns, _, _, _, _ = best(weights, scores, np.array([l2]), 3, True)
        assert columns[0].tolist() == expected
