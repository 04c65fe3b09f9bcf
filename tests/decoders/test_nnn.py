"""NNN's parameters do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from coverset import NNN, Dense, MemoryIndex
from tests.conftest import clustered
from tests.solvers.test_exact import Plain


def test_near_duplicates_drop_out_and_the_missing_document_comes_in() -> None:
    rng = np.random.default_rng(0)
    a, b, c = np.linalg.qr(rng.standard_normal((20, 3)))[0].T
    copies = [a + 0.05 * rng.standard_normal(20) for _ in range(5)]
    corpus = np.stack([*copies, b, c])
    corpus /= np.linalg.norm(corpus, axis=1, keepdims=True)
    query = 0.8 * a + 0.5 * b + 0.33 * c
    assert set(Dense().decode(query, corpus, k=3).ids) <= {0, 1, 2, 3, 4}
    assert {5, 6} <= set(NNN(l1=0.05, l2=0.0).decode(query, corpus, k=3).ids)


@pytest.mark.parametrize("l2", [0.05, 2.0])
@pytest.mark.parametrize("wrap", [np.asarray, MemoryIndex, Plain])
def test_rewritten_queries_bring_the_nnn_ranking_out_of_any_search(
    corpus_and_queries: Any, l2: float, wrap: Any
) -> None:
    corpus, queries = corpus_and_queries
    decoder = NNN(l1=0.1, l2=l2)
    rewritten = decoder.rewrite(queries, wrap(corpus))
    assert rewritten.shape == queries.shape
    assert rewritten.dtype == np.float32
    for selection, r in zip(decoder.decode_batch(queries, corpus, k=12), rewritten, strict=True):
        np.testing.assert_array_equal(selection.ids, Dense().decode(r, corpus, k=12).ids)
    np.testing.assert_allclose(decoder.rewrite(queries[0], corpus), rewritten[0], atol=1e-6)


def test_fill_goes_on_below_the_support_by_the_residuals_scores() -> None:
    corpus, (query,) = clustered(300, 16, 1, seed=3)
    decoder = NNN(l1=0.5, l2=0.1)
    support = decoder.decode(query, corpus, k=None)
    assert 0 < len(support) < 10
    filled = decoder.decode(query, corpus, k=10)
    np.testing.assert_array_equal(filled.ids[: len(support)], support.ids)
    assert (filled.weights[len(support) :] == 0).all()
    weights = np.zeros(300)
    weights[support.ids] = support.weights
    scores = corpus.astype(float) @ (query - weights @ corpus)
    rest = [i for i in np.argsort(-scores) if i not in support.ids]
    np.testing.assert_array_equal(filled.ids[len(support) :], rest[: 10 - len(support)])
    unfilled = NNN(l1=0.5, l2=0.1, fill=False).decode(query, corpus, k=10)
    np.testing.assert_array_equal(unfilled.ids, support.ids)
    np.testing.assert_array_equal(NNN(l1=0.5, l2=0.1, fill=False).decode(query, corpus, k=1).ids, support.ids[:1])


@pytest.mark.parametrize("wrap", [np.asarray, MemoryIndex, Plain])
def test_many_documents_can_be_asked_for(wrap: Any) -> None:
    corpus, queries = clustered(4000, 16, 2, seed=3)
    for query, selection in zip(
        queries, NNN(l1=0.6, l2=0.1).decode_batch(queries, wrap(corpus), k=1500), strict=True
    ):
        weights = np.zeros(4000)
        weights[selection.ids] = selection.weights
        scores = corpus.astype(float) @ (query - weights @ corpus)
        assert len(selection) == 1500
        assert np.count_nonzero(weights) < 100
        assert set(selection.ids) == set(np.argsort(-scores)[:1500])


def test_it_ranks_like_dense_as_l2_grows() -> None:
    corpus, queries = clustered(200, 24, 6, seed=2)
    for nnn, dense in zip(
        NNN(l1=0.0, l2=1e6).decode_batch(queries, corpus), Dense().decode_batch(queries, corpus), strict=True
    ):
        np.testing.assert_array_equal(nnn.ids, dense.ids)


@pytest.mark.parametrize("solver", ["exact", "fista"])
def test_candidates_decode_among_the_nearest_and_claim_no_certificate(
    corpus_and_queries: Any, solver: str
) -> None:
    corpus, queries = corpus_and_queries
    decoder = NNN(l1=0.1, l2=0.1, candidates=40, solver=solver, iterations=2000)
    for query, selection in zip(queries, decoder.decode_batch(queries, Plain(corpus), k=5), strict=True):
        near = np.argsort(-(corpus.astype(float) @ query))[:40]
        among = NNN(l1=0.1, l2=0.1).decode(query, corpus[near], k=5)
        np.testing.assert_allclose(selection.weights, among.weights, atol=1e-4)
        if solver == "exact":
            np.testing.assert_array_equal(selection.ids, near[among.ids])
        assert selection.certified is False
        assert selection.proved is False
        assert selection.gap == np.inf
    whole = NNN(l1=0.1, l2=0.1, candidates=len(corpus)).decode(queries[0], corpus)
    assert whole.certified


def test_center_takes_the_mean_away_from_documents_and_query(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    mean = corpus.mean(axis=0)
    ours = NNN(l1=0.05, l2=0.1, center=True).decode_batch(queries, corpus, k=6)
    by_hand = NNN(l1=0.05, l2=0.1).decode_batch(queries - mean, corpus - mean, k=6)
    for a, b in zip(ours, by_hand, strict=True):
        np.testing.assert_array_equal(a.ids, b.ids)
        np.testing.assert_allclose(a.weights, b.weights, atol=1e-5)
        assert a.certified
    rewritten = NNN(l1=0.05, l2=0.1, center=True).rewrite(queries, corpus)
    for r, a in zip(rewritten, ours, strict=True):
        np.testing.assert_array_equal(Dense().decode(r, corpus, k=6).ids, a.ids)


def test_what_needs_the_whole_array_says_so(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    with pytest.raises(ValueError, match="center=True needs the corpus in memory"):
        NNN(center=True).decode_batch(queries, Plain(corpus))


def test_center_takes_the_mean_away_from_parts_too(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    mean = corpus.mean(axis=0, dtype=np.float64).astype(np.float32)
    for n in range(0, 12, 3):
        ours = NNN(l1=0.05, l2=0.1, center=True).decode(queries[n], corpus, k=6, parts=queries[n + 1 : n + 3])
        theirs = NNN(l1=0.05, l2=0.1).decode(queries[n] - mean, corpus - mean, 6, queries[n + 1 : n + 3] - mean)
        np.testing.assert_array_equal(ours.ids, theirs.ids)
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-5)
    with pytest.raises(ValueError, match="solver='fista' passes over the whole corpus"):
        NNN(l1=0.1, l2=0.1, solver="fista").decode_batch(queries, Plain(corpus))


def test_passes_count_the_searches_of_the_corpus(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    index = Plain(corpus)
    searches = 0
    search = index.search

    def counting(queries: Any, k: int) -> Any:
        nonlocal searches
        searches += 1
        return search(queries, k)

    index.search = counting
    selection = NNN(l1=0.05, l2=0.1).decode(queries[0], index)
    assert selection.passes == searches
    assert 2 <= searches <= 10
    assert NNN(l1=0.05, l2=0.1).decode(queries[0], MemoryIndex(corpus[:1000])).passes == 1
    assert NNN(l1=0.05, l2=0.1, solver="fista", iterations=7).decode(queries[0], corpus).passes == 15


def test_threads_can_decode_over_one_index_at_once(corpus_and_queries: Any) -> None:
    corpus, queries = corpus_and_queries
    for index in (MemoryIndex(corpus), MemoryIndex(corpus[:1000])):
        expected = NNN(l1=0.05, l2=0.1).decode_batch(queries, index)
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _n: NNN(l1=0.05, l2=0.1).decode_batch(queries, index), range(24)))  # noqa: B023
        for answer in answers:
            for ours, truth in zip(answer, expected, strict=True):
                np.testing.assert_array_equal(ours.ids, truth.ids)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_worker_can_decode() -> None:
    code = """
import os, numpy as np
from coverset import NNN
corpus = np.random.default_rng(0).standard_normal((400, 16)); queries = corpus[:8]
before = NNN().decode_batch(queries, corpus)
pid = os.fork()
if pid == 0:
    after = NNN().decode_batch(queries, corpus)
    os._exit(int(any((a.ids != b.ids).any() for a, b in zip(before, after))))
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)
