"""Without strengths, NNN chooses them per query: near Dense where the nearest are one crowd, jointly elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from coverset import NNN, Dense, MemoryIndex, Vectors
from coverset.decoders.nearest import Nearest
from coverset.decoders.strength import DENSE, NEAREST, strengths
from tests.conftest import clustered
from tests.solvers.test_exact import Plain


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def crowd(alike: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A query and 40 documents that, apart from it, have this cosine to each other."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((64, 42)))[0].T
    query, common, own = basis[0], basis[1], basis[2:]
    cosines = np.linspace(0.8, 0.5, 40)[:, None]
    rest = np.sqrt(alike) * common + np.sqrt(1 - alike) * own
    return query, cosines * query + np.sqrt(1 - cosines**2) * rest


@pytest.mark.parametrize("alike", [0.0, 0.2, 0.35])
def test_strengths_follow_how_alike_the_nearest_are(alike: float) -> None:
    query, corpus = crowd(alike)
    l1, l2 = strengths(Nearest(MemoryIndex(corpus), Vectors.of(query[None].astype(np.float32)), NEAREST))
    # Two of the ten have cosine s_i s_j + alike sqrt(1 - s_i^2) sqrt(1 - s_j^2), as `crowd` made them.
    s = np.linspace(0.8, 0.5, 40)[:10]
    cosines = np.outer(s, s) + alike * np.sqrt(np.outer(1 - s**2, 1 - s**2))
    x = cosines[np.triu_indices(10, 1)].mean() / s.mean()
    np.testing.assert_allclose(l1, 0.3 * 0.8, rtol=1e-5)
    np.testing.assert_allclose(l2, 0.75 / (1.2 - x), rtol=1e-3)


def test_a_crowd_ranks_as_dense_does() -> None:
    # Documents with cosines of some 0.93 to each other, and 0.73 to the query.
    query, corpus = crowd(0.85)
    assert strengths(Nearest(MemoryIndex(corpus), Vectors.of(query[None].astype(np.float32)), NEAREST))[
        1
    ] == pytest.approx(DENSE)
    np.testing.assert_array_equal(NNN().decode(query, corpus).ids, Dense().decode(query, corpus).ids)


def test_duplicates_are_not_taken_for_a_crowd() -> None:
    rng = np.random.default_rng(1)
    a, b = np.linalg.qr(rng.standard_normal((32, 2)))[0].T
    corpus = unit(np.stack([*(a + 0.01 * rng.standard_normal((12, 32))), b]))
    query = 0.8 * a + 0.6 * b
    assert 12 not in Dense().decode(query, corpus, k=3).ids
    assert 12 in NNN().decode(query, corpus, k=3).ids


def test_the_answer_does_not_depend_on_any_scale_or_on_the_batch() -> None:
    corpus, queries = clustered(300, 24, 6, seed=5)
    whole = NNN().decode_batch(queries, corpus)
    for query, selection in zip(queries, whole, strict=True):
        np.testing.assert_array_equal(NNN().decode(7.0 * query, corpus).ids, selection.ids)
        np.testing.assert_array_equal(NNN().decode(query, 5.0 * corpus).ids, selection.ids)


def test_a_strength_that_is_given_stands() -> None:
    corpus, queries = clustered(200, 24, 4, seed=2)
    index = MemoryIndex(corpus)
    l1, l2 = strengths(Nearest(index, Vectors.of(queries), NEAREST))
    for q, query in enumerate(queries):
        for given in (NNN(l1=0.2, distinct=False), NNN(l2=0.5, distinct=False), NNN(distinct=False)):
            both = NNN(l1=l1[q] if given.l1 is None else given.l1, l2=l2[q] if given.l2 is None else given.l2)
            np.testing.assert_array_equal(given.decode(query, index).ids, both.decode(query, index).ids)


def test_a_small_corpus_is_decoded_whole_and_a_large_one_among_the_nearest() -> None:
    corpus, (query,) = clustered(3000, 24, 1, seed=7)
    small, large = NNN().decode(query, corpus[:2000]), NNN().decode(query, corpus)
    assert small.certified
    assert not large.certified
    assert large.passes == 1
    l1, l2 = strengths(Nearest(MemoryIndex(corpus), Vectors.of(query[None]), NEAREST))
    among = NNN(l1=l1[0], l2=l2[0], candidates=256).decode(query, corpus)
    np.testing.assert_array_equal(large.ids, among.ids)
    np.testing.assert_array_equal(NNN().decode(query, Plain(corpus)).ids, large.ids)


def test_a_query_that_nothing_answers_gets_an_answer_all_the_same() -> None:
    corpus = np.eye(4, 8)
    for query in (-corpus[0], np.eye(8)[7]):
        assert len(NNN().decode(query, corpus, k=3).ids) == 3
        assert len(NNN().decode(query, corpus, k=None).ids) == 0
    assert NNN().decode(corpus[0], corpus[:1]).ids.tolist() == [0]


def by_hand(queries: np.ndarray, corpus: np.ndarray) -> float:
    """1 / (1 - y), written out for documents and queries of length 1."""
    mean, ratios = corpus.mean(axis=0), []
    for query in queries:
        ten = corpus[np.argsort(-corpus @ query)[:10]]
        pairs = [(i, j) for i in range(10) for j in range(i) if ten[i] @ ten[j] < 0.95]
        from_mean, seen = unit(ten - mean), unit(query - mean)
        alike = np.mean([from_mean[i] @ from_mean[j] for i, j in pairs])
        ratios.append(max(alike, 0.0) / np.mean(from_mean @ seen))
    return float(1 / (1 - np.median(ratios)))


def test_one_l2_suits_queries_of_a_kind() -> None:
    rng = np.random.default_rng(3)
    corpus = unit(rng.standard_normal((200, 24)) + 0.5)
    queries = unit(corpus[:31] + corpus[31:62] + 0.05 * rng.standard_normal((31, 24)))
    decoder = NNN.suited(queries, corpus)
    assert decoder.l1 is None
    assert decoder.l2 == pytest.approx(by_hand(queries, corpus), rel=0.01)
    assert NNN.suited(9.0 * queries, corpus) == decoder
    assert NNN.suited(queries, 2.0 * corpus).l2 == pytest.approx(4.0 * by_hand(queries, corpus), rel=0.01)
    np.testing.assert_array_equal(
        decoder.decode(queries[0], corpus).ids,
        NNN.suited(queries, 2.0 * corpus).decode(queries[0], 2.0 * corpus).ids,
    )


def test_queries_amid_crowds_are_suited_by_the_dense_limit() -> None:
    rng = np.random.default_rng(4)
    centres = unit(rng.standard_normal((6, 48)))
    crowds = unit(np.repeat(centres, 20, axis=0) + 0.08 * rng.standard_normal((120, 48)))
    queries = unit(centres + 0.3 * rng.standard_normal((6, 48)))
    assert NNN.suited(queries, crowds).l2 == pytest.approx(DENSE, rel=0.01)


def test_documents_of_nothing_but_zeros_suit_any_query() -> None:
    decoder = NNN.suited(np.ones((2, 3)), np.zeros((20, 3)))
    assert len(decoder.decode(np.ones(3), np.zeros((20, 3))).ids) == 0


def test_what_cannot_be_suited_is_said() -> None:
    corpus, queries = clustered(50, 24, 4, seed=0)
    with pytest.raises(ValueError, match="queries must have at least one row"):
        NNN.suited(queries[:0], corpus)
    with pytest.raises(ValueError, match="corpus must be in memory"):
        NNN.suited(queries, Plain(corpus))
    with pytest.raises(ValueError, match="queries"):
        NNN.suited(queries[:, :3], corpus)


def test_among_copies_of_the_query_the_strength_is_no_less_than_pairs_of_documents_can_make_it() -> None:
    rng = np.random.default_rng(0)
    meaning = np.repeat(rng.standard_normal((1, 8)), 30, axis=0).astype(np.float32)
    words = scipy.sparse.csr_array(rng.random((30, 12)).astype(np.float32))
    both = Vectors(meaning, words)
    found = NNN(certify=True).decode(Vectors(meaning[:1], words[:1]), MemoryIndex(both, share=0.3))
    assert found.certified
    assert found.strengths is not None
    square = float((np.asarray(MemoryIndex(both, share=0.3).norms, float) ** 2).mean())
    assert found.strengths[1] == pytest.approx(square / 31, rel=0.2)


def test_a_query_like_no_document_is_certified_to_get_no_weight() -> None:
    corpus, query = np.eye(3, 6, dtype=np.float32), np.eye(1, 6, 5)[0]
    found = NNN(l2=0.0).decode(query, corpus)
    assert (found.gap, found.violation, found.certified) == (0.0, 0.0, True)
    assert not found.weights.any()
