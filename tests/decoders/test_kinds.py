"""One of each kind: who stands for whom, against a loop over all pairs of written-out rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from coverset import MMR, NNN, RRF, Dense, MemoryIndex, Vectors
from coverset.arrays import Array, Ids
from coverset.decoders.kinds import Kinds
from coverset.decoders.rounds import _standing
from tests.conftest import unit


def cosines(rows: Array) -> Array:
    """Between all pairs of rows, in double precision."""
    scaled: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled @ scaled.T


def by_pairs(pairs: Array, order: Ids, cosine: float, k: int) -> tuple[list[int], list[list[int]]]:
    """Go down a ranking one by one."""
    kept: list[int] = []
    others: list[list[int]] = []
    taken = set[int]()
    for place, one in enumerate(order.tolist()):
        if one in taken or len(kept) == k:
            continue
        alike = [n for n in order.tolist() if n != one and n not in taken and pairs[one, n] >= cosine]
        taken |= {one, *alike}
        kept.append(place)
        others.append(alike)
    return kept, others


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 12), st.sampled_from([0.0, 0.31, 0.6, 0.93]))
def test_those_alike_are_those_that_all_pairs_tell(seed: int, n: int, k: int, cosine: float) -> None:
    rng = np.random.default_rng(seed)
    scale = 10.0 ** float(rng.integers(-6, 7))
    words = scipy.sparse.random_array((n, 25), density=0.2, format="csr", rng=rng, dtype=np.float32)
    vectors = Vectors(scale * unit(rng.standard_normal((n, 6)) + 0.3), scale * words).sharing(0.4)
    pairs, order = cosines(vectors.flat()), rng.permutation(n)[: rng.integers(1, n + 1)]
    assume((abs(pairs - cosine) > 1e-5).all())
    kept, others = Kinds(cosine).walk(np.arange(n) + 100, vectors, order, k)
    expected, left_out = by_pairs(pairs, order, cosine, k)
    assert kept.tolist() == expected
    assert others == [[100 + i for i in some] for some in left_out]


@pytest.mark.parametrize("versions", [4, 60, 300])
def test_copies_in_crowds_leave_room_for_other_kinds(versions: int) -> None:
    rng = np.random.default_rng(0)
    things, count = unit(rng.standard_normal((40, 24))), 40 * versions
    said = unit(abs(rng.standard_normal((40, 60))) * (rng.random((40, 60)) < 0.2))
    of = np.arange(count) % 40
    meaning = unit(things[of] + 0.05 * rng.standard_normal((count, 24)))
    index = MemoryIndex(Vectors(meaning, scipy.sparse.csr_array(said[of])))
    assert index.copies == min(versions, 64)
    needed = [3, 7, 11, 19]
    both = (unit(half[needed].sum(axis=0, keepdims=True)) for half in (things, said))
    whole = Vectors(next(both), scipy.sparse.csr_array(next(both)))
    parts = Vectors(things[needed], scipy.sparse.csr_array(said[needed]))
    decoders = (NNN(), NNN(distinct=0.7), Dense(distinct=0.7), MMR(distinct=0.7), RRF(distinct=0.7))
    for decoder, asked in itertools.product(decoders, (None, parts)):
        found = decoder.decode(whole, index, 6, asked)
        assert len(np.unique(found.ids % 40)) == len(found.ids) == 6
        assert {*needed} <= {*(found.ids % 40).tolist()}
        for one, others in zip(found.ids.tolist(), found.alike, strict=True):
            assert others
            assert all(other % 40 == one % 40 for other in others)  # type: ignore[operator]


def test_documents_without_versions_have_one_copy_each() -> None:
    rng = np.random.default_rng(1)
    words = scipy.sparse.random_array((100, 80), density=0.1, format="csr", rng=rng, dtype=np.float32)
    meaning = unit(rng.standard_normal((100, 24)))
    assert MemoryIndex(Vectors(meaning, words)).copies == 1
    # By one half alone, versions cannot be told from different things that are described alike.
    assert MemoryIndex(np.repeat(meaning, 3, axis=0)).copies == 1
    # Two thirds of these have a copy, and less than half of those.
    twice = np.r_[0:100, 0:50]
    assert MemoryIndex(Vectors(meaning[twice], words[twice])).copies == 2
    assert MemoryIndex(Vectors(meaning[twice[:130]], words[twice[:130]])).copies == 1


def test_who_stood_for_others_names_them_to_who_stands_for_it() -> None:
    assert _standing(["a", "z"], {"b": "a", "c": "b", "d": "x"}) == [["b", "c"], []]
