"""What is said about an answer is true, by someone else's arithmetic."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from coverset import NNN, Dense, MemoryIndex, Vectors
from coverset.arrays import Floats
from coverset.explaining.reasons import Target, alone, covered, left_out, places, together

Corpus = tuple[Floats, Floats]


def test_what_documents_cover_is_the_share_that_non_negative_least_squares_rebuilds(
    corpus_and_queries: Corpus,
) -> None:
    corpus, queries = corpus_and_queries
    for query in queries:
        rows = corpus[NNN(l1=0.05, l2=0.1).decode(query, corpus, k=8).ids]
        for n, share in enumerate(covered(Vectors(query[None]), Vectors(rows)), start=1):
            _, residual = nnls(rows[:n].T.astype(float), query.astype(float))
            np.testing.assert_allclose(share, 1 - residual**2 / float(query @ query), atol=1e-5)


def test_a_copy_adds_nothing_and_an_opposite_explains_nothing() -> None:
    query = Vectors([[0.8, 0.6]])
    np.testing.assert_allclose(covered(query, Vectors([[1, 0], [1, 0], [0, 1]])), [0.64, 0.64, 1.0], atol=1e-5)
    assert covered(query, Vectors([[-0.8, -0.6]])).tolist() == [0.0]
    assert covered(query, Vectors(np.empty((0, 2)))).tolist() == []


def test_each_document_left_out_is_told_with_the_one_it_is_most_alike(corpus_and_queries: Corpus) -> None:
    corpus, queries = corpus_and_queries
    index = MemoryIndex(corpus)
    some = False
    for query in queries:
        nearest = Dense().decode(query, index, k=6).ids
        answer = NNN(l1=0.05, l2=0.05).decode(query, index, k=6).ids
        told = left_out(index, nearest, answer, [f"d{i}" for i in range(len(corpus))])
        assert [d.id for d in told] == [f"d{i}" for i in nearest.tolist() if i not in set(answer.tolist())]
        for d in told:
            gone = corpus[int(d.id[1:])].astype(float)
            cosines = {f"d{i}": float(corpus[i].astype(float) @ gone) for i in answer}
            np.testing.assert_allclose(d.cosine, max(cosines.values()), atol=1e-6)
            np.testing.assert_allclose(cosines[d.like], d.cosine, atol=1e-6)
            some = True
    assert some


def test_a_place_is_one_more_than_the_documents_that_are_nearer(corpus_and_queries: Corpus) -> None:
    corpus, queries = corpus_and_queries
    query = queries[0]
    scores = corpus.astype(float) @ query.astype(float)
    ids = np.argsort(-scores)[[0, 17, 998, 1500]]
    assert places(Target.of(query, MemoryIndex(corpus)), ids) == [1, 18, 999, None]


def test_what_a_document_explains_alone_is_what_it_covers_as_the_only_one(corpus_and_queries: Corpus) -> None:
    corpus, queries = corpus_and_queries
    for query in queries:
        target = Vectors(query[None])
        for row, share in zip(corpus[:20], alone(target, Vectors(corpus[:20])), strict=True):
            np.testing.assert_allclose(share, together(target, Vectors(row[None])), atol=1e-5)
    assert alone(Vectors(np.zeros((1, 2))), Vectors(np.eye(2))).tolist() == [0.0, 0.0]


def test_no_document_explains_more_than_all_of_a_query() -> None:
    row = Vectors(np.full((1, 3), 0.57735032))  # as long as 1, and a rounding error more
    assert alone(row, row).tolist() == [1.0]
