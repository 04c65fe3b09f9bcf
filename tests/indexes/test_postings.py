"""The words' part of a scan, by term: what it adds to scores is the plain product, of all rows or a sample."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import random_array

from coverset import Vectors
from coverset.indexes.memory.postings import Postings, WordScan
from coverset.indexes.memory.samples import STEPS


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 12), st.sampled_from(STEPS), st.integers(1, 40)
)
def test_what_is_added_is_the_product(seed: int, n: int, width: int, step: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    documents = random_array((n, width), density=0.4, format="csr", rng=rng, dtype=np.float32)
    queries = random_array((3, width), density=0.5, format="csr", rng=rng, dtype=np.float32).toarray()
    postings = Postings.of(Vectors(None, documents).words)
    assert len(postings.rows) == len(postings.values) == documents.nnz
    scan, rows = WordScan(postings, queries, 0.5, step), -(-n // step)
    scores = np.ones((3, rows), np.float32)
    for start in range(0, rows, block):
        scan.add(start, scores[:, start : start + block])
    np.testing.assert_allclose(scores, 1.0 + 0.5 * queries @ documents.toarray()[::step].T, rtol=1e-5, atol=1e-6)
