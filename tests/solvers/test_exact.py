"""The exact solver finds the optimum, whatever the shape of the problem, and says so only when it is true."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import nnls
from sklearn.linear_model import ElasticNet

from coverset import NNN, Index, MemoryIndex, Selection
from coverset.arrays import Array, Floats, Ids
from tests.conftest import clustered, kkt_violation, objective, unit


class Plain:
    """An index with nothing but the protocol, so that answers come by searching."""

    exact = True

    def __init__(self, corpus: Floats) -> None:
        self.corpus, self.dim = corpus, corpus.shape[1]

    def __len__(self) -> int:
        return len(self.corpus)

    def search(self, queries: Floats, k: int) -> tuple[NDArray[Any], Ids]:
        scores = queries @ self.corpus.T
        ids = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(scores, ids, axis=1), ids

    def vectors(self, ids: Ids) -> Floats:
        return self.corpus[ids]


def spread(selection: Selection, n: int) -> Array:
    weights = np.zeros(n)
    weights[selection.ids] = selection.weights
    return weights


def elastic_net(corpus: Any, query: Any, l1: float, l2: float) -> Array:
    """scikit-learn's answer. Its loss is 1/(2d)||.||^2, so the strengths are divided by d."""
    d = corpus.shape[1]
    model = ElasticNet(
        alpha=(l1 + l2) / d,
        l1_ratio=l1 / (l1 + l2),
        positive=True,
        fit_intercept=False,
        tol=1e-12,
        max_iter=200_000,
        selection="cyclic",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(corpus.astype(np.float64).T, query.astype(np.float64))
    return np.asarray(model.coef_)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Corpora of all shapes: N < d and N > d, with a common direction, duplicates, zero rows, lengths not 1."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 24))
    corpus = rng.standard_normal((n, d)) + draw(st.sampled_from([0.0, 1.0])) * rng.standard_normal(d)
    corpus = unit(corpus)
    if draw(st.booleans()):
        corpus[n // 2 :] = corpus[rng.integers(0, n // 2 + 1, n - n // 2)]
    if draw(st.booleans()):
        corpus *= rng.uniform(0.1, 3.0, (n, 1)).astype(np.float32)
    if draw(st.booleans()) and n > 1:
        corpus[rng.integers(n)] = 0.0
    return corpus, unit(rng.standard_normal(d))


strengths = st.sampled_from([0.0, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0])
ridges = st.sampled_from([0.0, 1e-4, 1e-2, 0.1, 1.0, 10.0, 1e4])


@given(problems(), strengths, ridges)
@settings(max_examples=300)
def test_optimality_conditions_hold_over_the_whole_corpus_whenever_certified(
    problem: Any, l1: float, l2: float
) -> None:
    corpus, query = problem
    if l1 == l2 == 0:
        l1 = 0.05
    for handed_in in (MemoryIndex(corpus), Plain(corpus[np.abs(corpus).sum(axis=1) > 0])):
        rows = handed_in.corpus.meaning if isinstance(handed_in, MemoryIndex) else handed_in.corpus
        if len(rows) == 0:
            continue
        selection = NNN(l1=l1, l2=l2).decode(query, handed_in, k=None)
        weights = spread(selection, len(rows))
        worst = kkt_violation(rows.astype(float), query.astype(float), weights, l1, l2)
        assert selection.certified
        # The weights come back rounded to float32; l2 multiplies that rounding.
        assert worst <= 1e-5 * (1 + 1e-2 * l2)
        assert (selection.weights > 0).all()
        assert not np.isin(selection.ids, np.flatnonzero(np.abs(rows).sum(axis=1) == 0)).any()


@given(problems(), st.sampled_from([1e-3, 0.01, 0.1, 0.3]), st.sampled_from([0.0, 1e-2, 0.1, 1.0, 10.0]))
@settings(max_examples=100)
def test_objective_is_within_1e_6_of_scikit_learn(problem: Any, l1: float, l2: float) -> None:
    corpus, query = problem
    theirs = elastic_net(corpus, query, l1, l2)
    ours = spread(NNN(l1=l1, l2=l2).decode(query, corpus, k=None), len(corpus))
    wide, v = corpus.astype(float), query.astype(float)
    # One-sided and two-sided: theirs may stop early, so ours may be lower, but never higher.
    assert objective(wide, v, ours, l1, l2) <= objective(wide, v, theirs, l1, l2) + 1e-6
    if kkt_violation(wide, v, theirs, l1, l2) < 1e-6:
        assert objective(wide, v, ours, l1, l2) == pytest.approx(objective(wide, v, theirs, l1, l2), abs=1e-6)


@pytest.mark.parametrize("l1", [0.05, 0.2])
@pytest.mark.parametrize("l2", [0.05, 0.5])
def test_support_equals_scikit_learns_where_it_is_well_separated(l1: float, l2: float) -> None:
    corpus, queries = clustered(400, 32, 12, seed=3)
    checked = 0
    for query in queries:
        theirs = elastic_net(corpus, query, l1, l2)
        scores = corpus.astype(float) @ (query - theirs @ corpus)
        if not ((theirs > 1e-4) | (scores < l1 - 1e-4)).all():
            continue
        checked += 1
        ours = NNN(l1=l1, l2=l2).decode(query, corpus, k=None)
        assert set(ours.ids) == set(np.flatnonzero(theirs > 1e-4))
        np.testing.assert_allclose(spread(ours, 400), theirs, atol=1e-5)
    assert checked >= 4


def test_l1_zero_is_scipys_nnls_with_a_ridge() -> None:
    corpus, queries = clustered(200, 40, 5, seed=1)
    for l2 in (1e-2, 1.0):
        stacked = np.vstack([corpus.astype(float).T, np.sqrt(l2) * np.eye(len(corpus))])
        for query in queries:
            theirs, _ = nnls(stacked, np.concatenate([query.astype(float), np.zeros(len(corpus))]), maxiter=10_000)
            ours = NNN(l1=0.0, l2=l2).decode(query, corpus, k=None)
            np.testing.assert_allclose(spread(ours, len(corpus)), theirs, atol=1e-5)


@pytest.mark.parametrize(("l1", "l2"), [(0.1, 0.1), (0.02, 0.5), (0.1, 0.0), (0.0, 0.3)])
def test_every_way_of_solving_gives_the_same_answer(corpus_and_queries: Any, l1: float, l2: float) -> None:
    corpus, queries = corpus_and_queries
    decoder = NNN(l1=l1, l2=l2)
    small = corpus[:1500]
    by_gram = decoder.decode_batch(queries, MemoryIndex(small), k=8)
    by_pools = decoder.decode_batch(queries, small, k=8)
    by_search = decoder.decode_batch(queries, Plain(small), k=8)
    for a, b, c in zip(by_gram, by_pools, by_search, strict=True):
        assert a.certified
        assert b.certified
        assert c.certified
        np.testing.assert_allclose(a.weights, b.weights, atol=1e-6)
        np.testing.assert_allclose(a.weights, c.weights, atol=1e-6)
        if a.proved:
            assert set(a.ids) == set(b.ids) == set(c.ids)


def test_a_support_of_thousands_is_solved_and_certified() -> None:
    corpus, queries = clustered(12_000, 32, 2, seed=5)
    for handed_in in (corpus, Plain(corpus)):
        for selection, query in zip(
            NNN(l1=0.0, l2=50.0).decode_batch(queries, handed_in, k=None), queries, strict=True
        ):
            weights = spread(selection, len(corpus))
            assert len(selection) > 2000
            assert selection.certified
            assert kkt_violation(corpus.astype(float), query.astype(float), weights, 0.0, 50.0) < 1e-5


def test_a_large_corpus_is_sampled_first_and_still_solved_exactly() -> None:
    corpus, queries = clustered(70_000, 24, 6, seed=6)
    for selection, query in zip(NNN(l1=0.05, l2=0.1).decode_batch(queries, corpus, k=None), queries, strict=True):
        assert selection.certified
        assert (
            kkt_violation(corpus.astype(float), query.astype(float), spread(selection, 70_000), 0.05, 0.1) < 1e-6
        )


def test_duplicates_share_their_weight_and_without_l2_the_lowest_id_takes_it() -> None:
    corpus, queries = clustered(50, 16, 4, seed=2)
    doubled = np.concatenate([corpus, corpus])
    for query in queries:
        shared = spread(NNN(l1=0.1, l2=0.2).decode(query, doubled, k=None), 100)
        np.testing.assert_allclose(shared[:50], shared[50:], atol=1e-7)
        single = NNN(l1=0.1, l2=0.0).decode(query, doubled, k=None)
        alone = NNN(l1=0.1, l2=0.0).decode(query, corpus, k=None)
        np.testing.assert_array_equal(np.sort(single.ids), np.sort(alone.ids))
        ranked = NNN(l1=0.1, l2=0.2).decode(query, doubled, k=4)
        assert list(ranked.ids[1::2]) == [i + 50 for i in ranked.ids[::2]]


@given(st.integers(0, 1000), st.sampled_from([1e-3, 1.0, 1e3]), st.sampled_from([1e-3, 1.0, 1e3]))
@settings(max_examples=50)
def test_scaling_documents_and_query_scales_the_answer(seed: int, s: float, t: float) -> None:
    # With sU, tv, l1 s t and l2 s^2 the objective is t^2 times the old one at w s / t.
    corpus, (query,) = clustered(60, 12, 1, seed)
    plain = NNN(l1=0.1, l2=0.2).decode(query, corpus, k=None)
    scaled = NNN(l1=0.1 * s * t, l2=0.2 * s * s).decode(query * t, corpus * s, k=None)
    assert scaled.certified
    np.testing.assert_allclose(spread(scaled, 60) * s / t, spread(plain, 60), atol=1e-5)


def test_nothing_above_l1_is_an_empty_certified_answer() -> None:
    corpus, queries = clustered(40, 16, 1)
    selection = NNN(l1=2.0, l2=0.1).decode(queries[0], corpus, k=None)
    assert len(selection) == 0
    assert selection.certified
    assert selection.gap == 0


def test_the_answer_does_not_depend_on_the_batch_or_the_run(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    batch = NNN(l1=0.05, l2=0.1).decode_batch(queries, corpus, k=10)
    for query, together in zip(queries, batch, strict=True):
        alone = NNN(l1=0.05, l2=0.1).decode(query, corpus, k=10)
        np.testing.assert_array_equal(alone.ids, together.ids)
        np.testing.assert_allclose(alone.weights, together.weights, rtol=1e-6)


def test_an_approximate_index_is_never_certified(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    index = Plain(corpus)
    index.exact = False
    assert isinstance(index, Index)
    for selection in NNN(l1=0.1, l2=0.1).decode_batch(queries, index, k=5):
        assert selection.certified is False
        assert selection.gap == np.inf
