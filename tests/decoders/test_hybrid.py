"""Words and meaning decoded together are the same as one stacked array, whatever the decoder."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from coverset import MMR, NNN, RRF, Dense, MemoryIndex, Vectors


def halves(rng: np.random.Generator, rows: int, dim: int, terms: int) -> tuple[Any, Any]:
    """A meaning and words of some documents, at length 1; some rows have no words."""
    meaning = rng.standard_normal((rows, dim)).astype(np.float32)
    meaning /= np.linalg.norm(meaning, axis=1, keepdims=True)
    words = rng.exponential(1.0, (rows, terms)) * (rng.random((rows, terms)) < 0.2)
    words /= np.maximum(np.linalg.norm(words, axis=1, keepdims=True), 1e-12)
    return meaning, scipy.sparse.csr_array(words.astype(np.float32))


def stacked(meaning: Any, words: Any, share: float) -> Any:
    return np.hstack([np.sqrt(1 - share) * meaning, np.sqrt(share) * words.toarray()]).astype(np.float32)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, float]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, dim, terms = draw(st.integers(2, 60)), draw(st.integers(1, 8)), draw(st.integers(2, 40))
    meaning, words = halves(rng, rows, dim, terms)
    ask, said = halves(rng, 3, dim, terms)
    spoken = said.toarray()
    spoken[[0, 1, 2], [0, 1, 0]] = 0.5
    return meaning, words, ask, scipy.sparse.csr_array(spoken), draw(st.sampled_from([0.1, 0.5, 0.8]))


@given(problems(), st.sampled_from([0.01, 0.1, 0.4]), st.sampled_from([0.0, 0.05, 1.0, 30.0]))
@settings(max_examples=60, deadline=None)
def test_nnn_over_both_halves_is_nnn_over_the_stacked_array(problem: Any, l1: float, l2: float) -> None:
    meaning, words, ask, said, share = problem
    index, decoder = MemoryIndex(Vectors(meaning, words), share), NNN(l1=l1, l2=l2)
    rows, stacks = stacked(meaning, words, share), stacked(ask, said, share)
    for k in (5, None):
        ours, theirs = decoder.decode_batch(Vectors(ask, said), index, k), decoder.decode_batch(stacks, rows, k)
        for one, other in zip(ours, theirs, strict=True):
            assert one.certified
            assert other.certified
            assert len(set(one.ids.tolist())) == len(one.ids)
            if l2 > 0 and k is not None:
                np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)
            elif k is None:  # equal documents may share their weight in more than one way if l2 = 0
                rebuilt = [s.weights @ rows[s.ids] for s in (one, other)]
                np.testing.assert_allclose(*rebuilt, atol=1e-5)
            if one.proved and other.proved:
                np.testing.assert_array_equal(np.sort(one.ids), np.sort(other.ids))


@pytest.mark.parametrize("rows", [60, 3000])
@pytest.mark.parametrize("decoder", [Dense(), MMR(candidates=50), NNN(l1=0.1, l2=0.1), NNN(l1=0.02, l2=20.0)])
def test_every_decoder_over_both_halves_is_that_over_the_stacked_array(decoder: Any, rows: int) -> None:
    rng = np.random.default_rng(rows)
    (meaning, words), (ask, said) = halves(rng, rows, 16, 200), halves(rng, 4, 16, 200)
    index = MemoryIndex(Vectors(meaning, words), share=0.4)
    ours = decoder.decode_batch(Vectors(ask, said), index, k=6)
    theirs = decoder.decode_batch(stacked(ask, said, 0.4), MemoryIndex(stacked(meaning, words, 0.4)), k=6)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one.ids, other.ids)
        np.testing.assert_allclose(one.weights, other.weights, atol=1e-6)
        assert one.certified == other.certified


def test_the_corrected_query_has_words_and_brings_the_ranking_out_of_a_search() -> None:
    rng = np.random.default_rng(0)
    (meaning, words), (ask, said) = halves(rng, 400, 12, 80), halves(rng, 3, 12, 80)
    index, queries = MemoryIndex(Vectors(meaning, words), share=0.6), Vectors(ask, said)
    rewritten = NNN(l1=0.05, l2=0.3).rewrite(queries, index)
    assert isinstance(rewritten, Vectors)
    assert (rewritten.words.values < 0).any()
    _, ids = index.search(rewritten, 7)
    for row, selection in zip(ids, NNN(l1=0.05, l2=0.3).decode_batch(queries, index, k=7), strict=True):
        np.testing.assert_array_equal(row, selection.ids)


def test_a_query_without_words_is_answered_by_meaning_alone_and_the_other_way_round() -> None:
    rng = np.random.default_rng(1)
    (meaning, words), (ask, said) = halves(rng, 50, 8, 40), halves(rng, 2, 8, 40)
    spoken = said.toarray()
    spoken[[0, 1], [0, 1]] = 1.0
    index = MemoryIndex(Vectors(meaning, words), share=0.5)
    for decoder in (Dense(), NNN(l1=0.1, l2=0.2)):
        for ours, theirs in zip(decoder.decode_batch(ask, index), decoder.decode_batch(ask, meaning), strict=True):
            np.testing.assert_array_equal(ours.ids, theirs.ids)
        only, wide = Vectors(None, scipy.sparse.csr_array(spoken)), words.toarray()
        by_words = decoder.decode_batch(only, index)
        for ours, theirs in zip(by_words, decoder.decode_batch(spoken, wide), strict=True):
            np.testing.assert_array_equal(ours.ids, theirs.ids)


def test_rrf_fuses_by_rank_as_cormack_and_others_say() -> None:
    rng = np.random.default_rng(2)
    (meaning, words), (ask, said) = halves(rng, 30, 8, 20), halves(rng, 1, 8, 20)
    near, shared = meaning @ ask[0], words.toarray() @ said.toarray()[0]
    expected = np.zeros(30)
    for scores in (near, shared):
        order = [i for i in np.argsort(-scores, kind="stable") if scores is near or scores[i] > 0]
        for rank, i in enumerate(order, start=1):
            expected[i] += 1 / (60 + rank)
    found = RRF().decode(Vectors(ask, said), MemoryIndex(Vectors(meaning, words)), k=5)
    np.testing.assert_allclose(np.sort(found.weights)[::-1], np.sort(expected)[::-1][:5], rtol=1e-5)
    assert set(found.ids) == set(np.argsort(-expected, kind="stable")[:5])


@pytest.mark.parametrize("guessed", [False, True])
def test_the_best_of_each_part_comes_first_then_whoever_counts_most_for_whole_and_part(guessed: bool) -> None:
    rng = np.random.default_rng(3)
    corpus = rng.standard_normal((80, 10)).astype(np.float32)
    corpus /= np.linalg.norm(corpus, axis=1, keepdims=True)
    whole, parts = corpus[0] + corpus[1], corpus[[5, 6]]
    nnn = NNN(l1=0.1, l2=0.5)
    residuals = [nnn.rewrite(target, corpus).astype(float) for target in (whole, *parts)]
    scores = np.array([corpus.astype(float) @ r for r in residuals])
    worth = scores[0] + scores[1:].max(axis=0)
    found = nnn.decode(whole, corpus, k=4, parts=parts, guessed=guessed)
    leading = {int(np.argmax(part + (scores[0] if guessed else 0.0))) for part in scores[1:]}
    by_worth = np.argsort(-worth).tolist()
    expected = sorted(leading, key=by_worth.index) + [i for i in by_worth if i not in leading]
    assert found.ids.tolist() == expected[:4] != by_worth[:4]
    assert guessed or leading == {5, 6}
    np.testing.assert_array_equal(found.serves, scores[:, found.ids].argmax(axis=0) - 1)
    assert found.certified
    assert found.proved
    assert nnn.decode(whole, corpus, k=1, parts=parts, guessed=guessed).ids.tolist() == expected[:1]
    everyone = nnn.decode(whole, corpus, k=None, parts=parts, guessed=guessed)
    supports = [nnn.decode(target, corpus, k=None).ids.tolist() for target in (whole, *parts)]
    assert set(everyone.ids.tolist()) == set().union(*supports)


def test_other_decoders_count_a_document_by_the_whole_and_its_best_part() -> None:
    rng = np.random.default_rng(3)
    corpus = rng.standard_normal((80, 10)).astype(np.float32)
    whole, parts = corpus[0] + corpus[1], corpus[[5, 6]]
    dense = Dense().decode(whole, corpus, k=4, parts=parts)
    plain = corpus @ whole + (corpus @ parts.T).max(axis=1)
    np.testing.assert_array_equal(dense.ids, np.argsort(-plain)[:4])


@given(problems())
@settings(max_examples=60, deadline=None)
def test_with_fewer_terms_products_and_what_is_left_of_a_query_stay_what_they_are(problem: Any) -> None:
    meaning, words, ask, said, share = problem
    documents, targets = Vectors(meaning, words).sharing(share), Vectors(ask, said).sharing(share)
    rows, asked = documents.narrowed(targets)
    assert rows.width == asked.width == len(np.unique(np.concatenate([words.indices, said.indices])))
    np.testing.assert_allclose(asked.flat() @ rows.flat().T, targets.flat() @ documents.flat().T, atol=1e-12)
    weights = np.random.default_rng(len(meaning)).exponential(1.0, len(meaning))
    less = targets.one(1).less(weights, documents)
    assert (np.diff(less.words.terms) > 0).all()
    np.testing.assert_allclose(less.flat()[0], targets.flat()[1] - weights @ documents.flat(), atol=1e-5)


def test_a_vocabulary_of_millions_costs_no_more_than_its_words_do() -> None:
    rng, terms = np.random.default_rng(0), 4_000_000
    meaning = rng.standard_normal((3000, 8)).astype(np.float32)
    index = MemoryIndex(Vectors(meaning, (20 * np.arange(3001), np.arange(60_000), np.ones(60_000), terms)))
    asked = index.corpus.take(rng.choice(3000, 5, replace=False))
    for decoder in (NNN(), NNN(l1=0.1, l2=0.5), Dense()):
        decoder.decode(asked.one(0), index, 5, asked.take(np.arange(1, 5)))
        tracemalloc.start()
        found = decoder.decode(asked.one(0), index, 5, asked.take(np.arange(1, 5)))
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(found.ids) == 5
        assert held < 5 * 8 * terms  # what five targets take that are written out over all of it


def test_of_documents_that_are_alike_one_is_returned_and_the_certificate_is_for_the_rest() -> None:
    rng = np.random.default_rng(4)
    base = rng.standard_normal((20, 12))
    base /= np.linalg.norm(base, axis=1, keepdims=True)
    corpus = np.repeat(base, 4, axis=0) + 0.01 * rng.standard_normal((80, 12))
    query = base[3] + 0.8 * base[7] + 0.6 * base[11]
    for decoder in (
        NNN(l1=0.05, l2=0.3, distinct=0.95),
        Dense(distinct=0.95),
        MMR(distinct=0.95),
        RRF(distinct=0.95),
    ):
        found = decoder.decode(query, corpus, k=5)
        assert len(np.unique(found.ids // 4)) == len(found.ids) == 5
        for identifier, others in zip(found.ids.tolist(), found.alike, strict=True):
            assert all(other // 4 == identifier // 4 for other in others)  # type: ignore[operator]
    nnn = NNN(l1=0.05, l2=0.3, distinct=0.95).decode(query, corpus, k=5)
    gone = [other for others in nnn.alike for other in others]
    rest = np.setdiff1d(np.arange(80), gone)
    again = NNN(l1=0.05, l2=0.3).decode(query, corpus[rest], k=5)
    np.testing.assert_array_equal(np.sort(rest[again.ids]), np.sort(nnn.ids))
    assert nnn.certified


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: Vectors(), "must not both be None"),
        (lambda: Vectors(np.eye(2), scipy.sparse.csr_array(np.eye(3))), "as many rows, got 2 and 3"),
        (lambda: Vectors(None, ([0, 1], [5], [1.0], 3)), "indices from 0 to 2, got 5"),
        (lambda: Vectors(None, ([0, 1], [0], [np.nan], 3)), "finite weights"),
        (lambda: Vectors(None, ([0, 2], [1, 1], [1.0, 2.0], 3)), "every term of a row once"),
        (lambda: MemoryIndex(Vectors(np.eye(2)), share=2.0), "share must be a finite number between 0 and 1"),
        (
            lambda: Dense().decode(
                Vectors(np.eye(1, 2), ([0, 0], [], [], 7)), Vectors(np.eye(2), ([0, 0, 0], [], [], 9))
            ),
            "like the corpus, whose words are 9 wide, got 7 wide",
        ),
    ],
)
def test_halves_that_do_not_fit_are_errors_that_say_so(made: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        made()


def test_parts_among_the_nearest_of_a_large_corpus_are_solved_over_all_that_is_near_to_any() -> None:
    rng = np.random.default_rng(5)
    (meaning, words), (ask, said) = halves(rng, 4000, 24, 300), halves(rng, 5, 24, 300)
    index, asked = MemoryIndex(Vectors(meaning, words), share=0.5), Vectors(ask, said)
    rows, targets = stacked(meaning, words, 0.5), stacked(ask, said, 0.5)
    whole, parts = asked.take(slice(0, 1)), asked.take(slice(1, 5))
    nnn = NNN(l1=0.05, l2=0.2, candidates=400)  # half as many for each target
    found = nnn.decode(whole, index, 6, parts)
    near = np.unique(np.argsort(-(targets @ rows.T), axis=1)[:, :200])
    assert len(near) > 512
    exact = NNN(l1=0.05, l2=0.2)
    scores = np.array([rows[near].astype(float) @ exact.rewrite(target, rows[near]) for target in targets])
    worth = scores[0] + scores[1:].max(axis=0)
    leading = {int(near[np.argmax(part)]) for part in scores[1:]}
    by_worth = near[np.argsort(-worth)].tolist()
    expected = sorted(leading, key=by_worth.index) + [i for i in by_worth if i not in leading]
    assert found.ids.tolist() == expected[:6]


@pytest.mark.parametrize("decoder", [NNN(), NNN(candidates=50), NNN(l1=0.1, l2=0.1, candidates=50)])
@pytest.mark.parametrize("parts", [None, 2])
def test_k_documents_come_back_even_if_there_are_more_than_candidates(decoder: NNN, parts: int | None) -> None:
    rng = np.random.default_rng(7)
    corpus, asked = rng.standard_normal((3000, 16)), rng.standard_normal((3, 16))
    corpus[:400] = corpus[400:800]  # of these only one each
    found = decoder.decode(asked[0], MemoryIndex(corpus), 1500, parts and asked[1 : 1 + parts])
    assert len(set(found.ids.tolist())) == 1500


def test_a_part_without_words_is_solved_over_meaning_among_what_the_others_found() -> None:
    rng = np.random.default_rng(6)
    (meaning, words), (ask, said) = halves(rng, 3000, 24, 300), halves(rng, 4, 24, 300)
    spoken = said.toarray()
    spoken[2] = 0.0
    index, asked = MemoryIndex(Vectors(meaning, words), share=0.5), Vectors(ask, scipy.sparse.csr_array(spoken))
    nnn = NNN(l1=0.05, l2=0.2)
    found = nnn.decode(asked.take(slice(0, 1)), index, 6, asked.take(slice(1, 4)))
    rows, targets = stacked(meaning, words, 0.5), stacked(ask, scipy.sparse.csr_array(spoken), 0.5)
    spaces = [(rows, targets[0]), (rows, targets[1]), (meaning, ask[2]), (rows, targets[3])]
    scores = np.array([space.astype(float) @ nnn.rewrite(target, space) for space, target in spaces])
    worth = scores[0] + scores[1:].max(axis=0)
    leading = {int(np.argmax(part)) for part in scores[1:]}
    by_worth = np.argsort(-worth).tolist()
    assert found.certified
    assert found.ids.tolist()[:3] == sorted(leading, key=by_worth.index)
    np.testing.assert_array_equal(found.serves, scores[:, found.ids].argmax(axis=0) - 1)
