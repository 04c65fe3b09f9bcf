"""Every engine gives the answer that the array in memory gives, and never claims more than it has proved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coverset import MMR, NNN, Dense, Index
from coverset.filters import as_filter, keys
from tests.indexes.conftest import FILTERS, REFUSED, Built, Text

DECODER = NNN(l1=0.1, l2=0.1)


def assert_same_answers(built: Built, found: Any, expected: Any) -> None:
    """Equal ids in equal order and equal weights, save where rounding may swap weights that are equal."""
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=2e-6)
        rows = built.rows(ours.ids)
        if theirs.proved:
            assert set(rows) == set(theirs.ids.tolist())
        weights = dict(zip(theirs.ids.tolist(), theirs.weights.tolist(), strict=True))
        np.testing.assert_allclose([weights.get(r, 0.0) for r in rows], ours.weights, atol=2e-6)


def test_it_is_an_index_that_knows_its_size_and_width(built: Built, text: Text) -> None:
    assert isinstance(built.index, Index)
    assert (len(built.index), built.index.dim) == text.corpus.shape
    assert built.index.exact is built.case.exact


def test_an_exact_engine_gives_the_answer_of_the_array_in_memory_for_200_queries(built: Built, text: Text) -> None:
    index = built.index.exactly()
    if index is None:
        pytest.skip("no exhaustive search")
    queries = text.queries if built.case.exact else text.queries[:40]
    found = DECODER.decode_batch(queries, index)
    assert all(selection.certified for selection in found)
    assert_same_answers(built, found, DECODER.decode_batch(queries, text.memory))


def test_scores_are_inner_products_of_what_is_asked_best_first(built: Built, text: Text) -> None:
    # Not of length 1, as residuals are not.
    queries = text.queries[:8] * np.linspace(0.1, 3.0, 8, dtype=np.float32)[:, None]
    index = built.index.exactly() or built.index
    scores, ids = index.search(queries, 10)
    products = queries @ text.corpus.T
    best = -np.sort(-products, axis=1)[:, :10]
    rows = np.array([built.rows(row) for row in ids])
    np.testing.assert_allclose(np.take_along_axis(products, rows, axis=1), scores, atol=1e-5)
    if index.exact:
        np.testing.assert_allclose(scores, best, atol=1e-5)


def test_more_than_there_is_comes_back_padded(built: Built, text: Text) -> None:
    index = built.index.exactly() or built.index
    scores, ids = index.search(text.queries[:2], len(text.corpus) + 3)
    assert scores.shape == ids.shape == (2, len(text.corpus) + 3)
    missing = ids == (-1 if ids.dtype == np.int64 else None)
    assert missing[:, -3:].all()
    assert np.isneginf(scores[missing]).all()
    if index.exact:
        assert sorted(built.rows(ids[0, :-3])) == list(range(len(text.corpus)))


def test_vectors_come_in_the_order_asked_for(built: Built, text: Text) -> None:
    rows = [5, 3, 400, 0, 3]
    vectors = built.index.vectors([built.ids[r] for r in rows])
    np.testing.assert_allclose(vectors, text.corpus[rows], atol=1e-6)
    assert built.index.vectors([]).shape == (0, text.corpus.shape[1])


def test_an_id_that_is_not_there_is_an_error_that_names_it(built: Built) -> None:
    stranger = type(built.ids[1])(int=3) if built.case.id_kind == "uuid" else built.ids[1]
    stranger = {"integer": 3, "string": "no such", "uuid string": "00000000-0000-0000-0000-000000000003"}.get(
        built.case.id_kind, stranger
    )
    with pytest.raises(ValueError, match=r"ids must be ids of the index.*3|no such"):
        built.index.vectors([built.ids[0], stranger])


def test_an_approximate_engine_certifies_only_when_asked_to_and_able_to(built: Built, text: Text) -> None:
    if built.case.exact:
        pytest.skip("exact")
    for selection in DECODER.decode_batch(text.queries[:20], built.index):
        assert selection.certified is False
        assert selection.gap == np.inf
        assert 2 <= selection.passes <= 32
    found = NNN(l1=0.1, l2=0.1, certify=True).decode_batch(text.queries[:20], built.index)
    assert all(selection.certified is built.case.certifies for selection in found)
    if built.case.certifies:
        assert_same_answers(built, found, DECODER.decode_batch(text.queries[:20], text.memory))


@pytest.mark.parametrize(("where", "says"), FILTERS, ids=[str(where) for where, _ in FILTERS])
def test_a_filter_leaves_what_matches_and_nothing_else(
    built: Built, text: Text, where: Any, says: Callable[[Any], bool]
) -> None:
    if not built.case.filters:
        with pytest.raises(ValueError, match="where"):
            built.index.where(where)
        return
    if built.case.engine == "qdrant" and "$contains" in str(where):
        with pytest.raises(ValueError, match="which finds whole words only"):
            built.index.where(where)
        return
    if not set(keys(as_filter(where))) <= set(built.case.columns(text)):
        pytest.skip("no such column")
    described = [dict(zip(text.columns, row, strict=True)) for row in zip(*text.columns.values(), strict=True)]
    rows = [n for n, row in enumerate(described) if says(row)]
    view = built.index.where(where)
    exact = view.exactly() or view
    _, ids = exact.search(text.queries[:3], len(text.corpus))
    present = ids != (-1 if ids.dtype == np.int64 else None)
    for n in range(3):
        found = built.rows(ids[n, present[n]])
        if exact.exact:
            assert sorted(found) == rows
        assert set(found) <= set(rows)
    if rows and exact.exact:
        expected = DECODER.decode_batch(text.queries[:4], text.corpus[rows])
        for ours, theirs in zip(DECODER.decode_batch(text.queries[:4], exact), expected, strict=True):
            assert ours.certified
            np.testing.assert_allclose(ours.weights, theirs.weights, atol=2e-6)
            assert set(built.rows(ours.ids)) == {rows[i] for i in theirs.ids}
    if not rows:
        for decoder in (DECODER, NNN(), NNN(l1=0.1, l2=0.1, candidates=9), Dense(), MMR(candidates=9)):
            assert len(decoder.decode(text.queries[0], view)) == 0
    assert built.index.condition is None  # the view left the index as it was


@pytest.mark.parametrize("where", [None, *REFUSED], ids=str)
def test_a_filter_that_makes_no_sense_is_refused(built: Built, where: Any) -> None:
    with pytest.raises(ValueError, match="where"):
        built.index.where(where)


def test_a_column_that_is_not_there_is_refused_and_never_part_of_the_filter(built: Built, text: Text) -> None:
    for column in ("missing", 'year" = 2020 or "year', "year in [2020] or id"):
        if built.case.engine == "qdrant" and '"' not in column:
            assert (built.index.where({column: 2020}).search(text.queries[:1], 3)[1] == -1).all()
        else:
            with pytest.raises(ValueError, match="where"):
                built.index.where({column: 2020})


def test_dense_and_mmr_speak_of_the_engines_own_ids(built: Built, text: Text) -> None:
    index = built.index.exactly() or built.index
    queries = text.queries[:10]
    for query, ours in zip(queries, Dense().decode_batch(queries, index), strict=True):
        np.testing.assert_allclose(text.corpus[built.rows(ours.ids)] @ query, ours.weights, atol=1e-5)
        np.testing.assert_allclose(np.sort(text.corpus @ query)[::-1][:5], ours.weights, atol=1e-5)
    decoder = MMR(relevance=0.5, candidates=50)
    for ours, theirs in zip(
        decoder.decode_batch(queries, index), decoder.decode_batch(queries, text.memory), strict=True
    ):
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-5)
        np.testing.assert_allclose(text.corpus[built.rows(ours.ids)], text.corpus[theirs.ids], atol=1e-6)


def test_candidates_are_taken_from_a_single_search(built: Built, text: Text) -> None:
    index = built.index.exactly() or built.index
    decoder = NNN(l1=0.1, l2=0.1, candidates=40)
    for ours, theirs in zip(
        decoder.decode_batch(text.queries[:10], index),
        decoder.decode_batch(text.queries[:10], text.memory),
        strict=True,
    ):
        assert ours.certified is False
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-5)


def test_rewrite_hands_the_engine_a_query_that_ranks_as_nnn_does(built: Built, text: Text) -> None:
    index = built.index.exactly()
    if index is None:
        pytest.skip("no exhaustive search")
    _, ids = index.search(DECODER.rewrite(text.queries[:20], index), 5)
    for row, expected in zip(ids, DECODER.decode_batch(text.queries[:20], text.memory), strict=True):
        if expected.proved:
            assert set(built.rows(row)) == set(expected.ids.tolist())


def test_what_exists_is_not_built_over(built: Built, text: Text) -> None:
    index = built.index
    for owner, name in (("connection", "table"), ("client", "collection")):
        if hasattr(index, owner) and hasattr(index, name):
            target = index._name().strip('"') if name == "table" else index.collection
            with pytest.raises(ValueError, match="must not exist yet"):
                type(index).build(getattr(index, owner), target, text.corpus)
            assert len(index) == len(text.corpus)


def test_an_event_loop_may_ask_it_from_many_threads_at_once(built: Built, text: Text) -> None:
    index = built.index.exactly() or built.index

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(
            *(asyncio.to_thread(DECODER.decode, query, index) for query in text.queries[:24])
        )

    found = asyncio.run(all_at_once())
    assert all(selection.certified is index.exact for selection in found)
    if index.exact:
        assert_same_answers(built, found, DECODER.decode_batch(text.queries[:24], text.memory))
