"""The words' part of a scan, by term and by row: what it adds is the plain product, of all rows or a sample."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import random_array

from coverset import Vectors
from coverset.indexes.memory.postings import Postings
from coverset.indexes.memory.samples import STEPS
from coverset.indexes.memory.word_scan import MANY, ByRow, ByTerm, WordScan


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 12), st.sampled_from(STEPS), st.integers(1, 40)
)
def test_what_is_added_is_the_product(seed: int, n: int, width: int, step: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    documents = random_array((n, width), density=0.4, format="csr", rng=rng, dtype=np.float32)
    queries = random_array((3, width), density=0.5, format="csr", rng=rng, dtype=np.float32).toarray()
    vectors, rows = Vectors(None, documents).sharing(0.25), -(-n // step)
    postings = Postings.of(vectors.words)
    assert len(postings.rows) == len(postings.values) == documents.nnz
    expected = 1.0 + 0.5 * queries @ documents.toarray()[::step].T
    for scan in (ByTerm(postings, queries, 0.5, step), ByRow(vectors.rows, queries, step)):
        scores = np.ones((3, rows), np.float32)
        for start in range(0, rows, block):
            scan.add(start, scores[:, start : start + block])
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


def test_many_rows_are_read_on_all_cores_and_each_once() -> None:
    rng = np.random.default_rng(0)
    documents = random_array((3 * MANY + 5, 30), density=0.2, format="csr", rng=rng, dtype=np.float32)
    queries = rng.standard_normal((20, 30)).astype(np.float32)
    scan = ByRow(Vectors(None, documents).rows, queries, 1)
    scores = np.zeros((20, documents.shape[0]), np.float32)
    scan.add(0, scores)
    np.testing.assert_allclose(scores, queries @ documents.toarray().T, rtol=1e-4, atol=1e-5)


def test_a_few_terms_are_looked_up_and_many_are_met_on_the_way() -> None:
    rng = np.random.default_rng(0)
    vectors = Vectors(None, random_array((500, 100), density=0.1, format="csr", rng=rng, dtype=np.float32))
    postings = Postings.of(vectors.words)
    few, many = np.zeros((8, 100), np.float32), np.ones((64, 100), np.float32)
    few[:, 3] = 1.0
    assert isinstance(WordScan.of(vectors.rows, postings, few, 1), ByTerm)
    assert isinstance(WordScan.of(vectors.rows, postings, many, 1), ByRow)
