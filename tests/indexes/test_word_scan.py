"""The words' part of a scan, by term and by row: the plain product, near enough to find all that is best."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from coverset import MemoryIndex, Vectors
from coverset.arrays import Floats
from coverset.indexes.memory.postings import Postings
from coverset.indexes.memory.rounded import Rounded
from coverset.indexes.memory.samples import STEPS
from coverset.indexes.memory.scan import BLOCK, scan
from coverset.indexes.memory.word_scan import ByRow, ByTerm, WordScan
from coverset.sparse import Words


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 90),
    st.integers(1, 12),
    st.sampled_from(STEPS),
    st.integers(1, 40),
    st.integers(-20, 15),
)
@example(0, 2, 3, 1, 1, -20)
def test_what_is_added_is_the_product_as_near_as_it_says(
    seed: int, n: int, width: int, step: int, block: int, exponent: int
) -> None:
    rng = np.random.default_rng(seed)
    documents = random_array((n, width), density=0.4, format="csr", rng=rng, dtype=np.float32)
    documents.data *= (10.0**exponent * rng.standard_normal(documents.nnz) ** 3).astype(np.float32)
    queries = random_array((3, width), density=0.5, format="csr", rng=rng, dtype=np.float32).toarray()
    queries *= rng.choice([-1.0, 1.0], queries.shape).astype(np.float32)
    vectors, rows = Vectors(None, documents).sharing(0.25), -(-n // step)
    postings = Postings.of(vectors.words)
    assert len(postings.rows) == len(postings.codes) == documents.nnz
    written = documents.toarray().astype(float)[::step]
    expected = 0.5 * queries.astype(float) @ written.T
    rounding = 1e-6 * (abs(queries).astype(float) @ abs(written).T)
    said = Words.checked(csr_array(queries))
    for adding in (ByTerm(postings, said, 0.5, step), ByRow(vectors.rows, postings.heaviest, said, step)):
        scores = np.zeros((3, rows), np.float32)
        for start in range(0, rows, block):
            adding.add(start, scores[:, start : start + block])
        assert (abs(scores - expected) <= adding.error[:, None] + rounding).all()
        largest = abs(documents.toarray()).max(axis=0).sum(dtype=float)
        assert (
            adding.error <= 0.5 * largest * abs(queries).max(axis=1) / 64_000 + 1e-30 * (width + largest)
        ).all()


def test_words_take_fourteen_bytes_by_row_and_by_term() -> None:
    documents = random_array((500, 40), density=0.3, format="csr", rng=np.random.default_rng(0), dtype=np.float32)
    words = Vectors(None, documents).words
    beside = 8 * (len(words) + 1) + 8 * (words.width + 1) + 4 * words.width
    held = words.starts.nbytes + words.terms.nbytes + words.values.nbytes + Postings.of(words).nbytes
    assert held == 14 * documents.nnz + beside


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 5, 40]),
    st.sampled_from(STEPS),
    st.integers(-12, 8),
    st.booleans(),
    st.booleans(),
)
def test_a_scan_lists_the_best_and_bounds_the_others(
    seed: int, most: int, step: int, exponent: int, few: bool, negative: bool
) -> None:
    rng = np.random.default_rng(seed)
    n, width, scale = 4000, 30, 10.0**exponent
    words = random_array((n, width), density=0.1, format="csr", rng=rng, dtype=np.float32)
    words.data *= scale * (rng.choice([-1.0, 1.0], words.nnz) if negative else 1.0)
    meaning = (scale * rng.standard_normal((n, 4))).astype(np.float32)
    meaning[rng.random(n) < 0.2] = 0.0
    index = MemoryIndex(Vectors(meaning, words), 0.7)
    if few:  # then the rounded copy is asked
        copy = Rounded(index.corpus.rows.meaning)
        index.rounded = lambda: copy  # type: ignore[method-assign]
    queries = rng.standard_normal((5 if few else 9, 4 + width)).astype(np.float32)
    queries[:, 4:] *= rng.random((len(queries), width)) < rng.random()
    written = index.corpus.flat()[::step]
    expected = queries.astype(float) @ written.T
    expected[:, ~written.any(axis=1)] = -np.inf
    kept = np.full(expected.shape, np.nan)

    def keep(start: int, scores: Floats, error: Floats) -> None:
        kept[:, start : start + scores.shape[1]] = scores + error[:, None]

    floors = np.full(len(queries), 0.1 * scale)
    asked = Vectors(queries[:, :4], csr_array(queries[:, 4:]))
    found = scan(index, asked, most, floors, keep, step)
    single = 1e-5 * scale * np.linalg.norm(queries, axis=1)[:, None]
    assert (kept >= expected - single).all()
    for scores, floor, rows in zip(expected, floors, found, strict=True):
        best = np.argsort(-scores, kind="stable")[:most]
        assert set(best[scores[best] > floor] * step) <= set(rows.tolist())
        assert np.isfinite(scores[rows // step]).all()
        assert len(rows) <= most + 5


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(-12, 8), st.sampled_from([1, 12]))
def test_a_search_scores_by_the_weights_as_they_are(seed: int, k: int, exponent: int, asked: int) -> None:
    rng = np.random.default_rng(seed)
    words, terms = (
        random_array((rows, 30), density=0.1, format="csr", rng=rng, dtype=np.float32) for rows in (2000, asked)
    )
    words.data *= np.float32(10.0**exponent)
    index = MemoryIndex(Vectors(None, words))
    scores, ids = index.search(Vectors(None, terms), k)
    expected = terms.toarray().astype(float) @ words.toarray().astype(float).T
    expected[:, index.blank] = -np.inf
    best = -np.sort(-expected, axis=1)[:, :k]
    np.testing.assert_allclose(scores, best, rtol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(expected, ids, axis=1), best, rtol=1e-6)


def test_many_rows_are_read_on_all_cores_and_each_once() -> None:
    rng = np.random.default_rng(0)
    documents = random_array((3 * BLOCK + 5, 30), density=0.2, format="csr", rng=rng, dtype=np.float32)
    queries = random_array((20, 30), density=0.9, format="csr", rng=rng, dtype=np.float32)
    index, kept = MemoryIndex(Vectors(None, documents)), np.zeros((20, documents.shape[0]))

    def keep(start: int, scores: Floats, _error: Floats) -> None:
        kept[:, start : start + scores.shape[1]] += scores

    scan(index, Vectors(None, queries), 5, None, keep)
    np.testing.assert_allclose(kept, (queries @ documents.T).toarray(), atol=1e-3)


def test_a_few_terms_are_looked_up_and_many_are_met_on_the_way() -> None:
    rng = np.random.default_rng(0)
    vectors = Vectors(None, random_array((500, 100), density=0.1, format="csr", rng=rng, dtype=np.float32))
    postings = Postings.of(vectors.words)
    few, many = np.zeros((8, 100), np.float32), np.ones((64, 100), np.float32)
    few[:, 3] = 1.0
    assert isinstance(WordScan.of(vectors.rows, postings, Words.checked(csr_array(few)), 1), ByTerm)
    assert isinstance(WordScan.of(vectors.rows, postings, Words.checked(csr_array(many)), 1), ByRow)
