"""The rounded copy of a corpus: scores as near as it says, and the same answers with it as without."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse import random as random_sparse

from coverset import MMR, NNN, Dense, MemoryIndex
from coverset.indexes.memory import rounded
from coverset.indexes.memory.rounded import LOOK, PAYS, Rounded, Rounding
from coverset.indexes.memory.samples import STEPS
from coverset.indexes.memory.scan import scan
from coverset.vectors import Vectors
from tests.conftest import clustered

DOCUMENTS = 70_000


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 60),
    st.integers(1, 70),
    st.integers(1, 5),
    st.integers(-20, 15),
    st.sampled_from(STEPS),
)
@example(0, 2, 3, 1, -19, 16)
def test_scores_are_as_near_as_it_says(seed: int, n: int, d: int, q: int, exponent: int, step: int) -> None:
    rng = np.random.default_rng(seed)
    rows = (10.0**exponent * rng.standard_normal((n, d)) ** 3).astype(np.float32)
    rows[rng.integers(n)] = 0.0
    targets = rng.standard_normal((q, d)).astype(np.float32)
    copy = Rounded(rows)
    exact = targets.astype(float) @ rows[::step].astype(float).T
    allowed = (copy.error + 1e-5 * np.linalg.norm(rows, axis=1).max()) * np.linalg.norm(targets, axis=1)
    assert (np.abs(copy.scores(targets, step) - exact).max(axis=1) <= allowed).all()
    assert copy.error <= np.abs(rows).max() / 254 * np.sqrt(d) * 1.01 + 1e-30
    assert copy.nbytes == rows.nbytes // 4 + 8 * n


@pytest.fixture(scope="module")
def documents() -> tuple[Any, Any]:
    corpus, queries = clustered(DOCUMENTS, 48, 3, seed=4)
    corpus[100:120] = corpus[0]  # the same document many times
    corpus[500] = 0.0
    return corpus, queries


def with_copy(corpus: Any, **options: Any) -> MemoryIndex:
    """An index whose rounded copy is made, as after some queries."""
    index = MemoryIndex(corpus, **options)
    for _ in range(PAYS + 1):
        index.rounded()
    assert index._rounding[0].wait() is not None
    return index


def without_copy(monkeypatch: pytest.MonkeyPatch, corpus: Any, **options: Any) -> MemoryIndex:
    index = MemoryIndex(corpus, **options)
    monkeypatch.setattr(index, "rounded", lambda: None)
    return index


@pytest.mark.parametrize("decoder", [Dense(), MMR(), NNN(), NNN(l1=0.1, l2=0.1), NNN(l1=0.05, l2=10.0)], ids=str)
def test_answers_are_the_same_with_it(documents: Any, decoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, queries = documents
    index, plain = with_copy(corpus), without_copy(monkeypatch, corpus)
    alone = [
        (decoder.decode(query, index, k=8), decoder.decode(query, plain, k=8)) for query in (*queries, corpus[0])
    ]
    together = zip(decoder.decode_batch(queries, index, 8), decoder.decode_batch(queries, plain, 8), strict=True)
    for ours, expected in (*alone, *together):
        np.testing.assert_array_equal(ours.ids, expected.ids)
        np.testing.assert_allclose(ours.weights, expected.weights, atol=1e-6)
        assert (ours.certified, ours.proved) == (expected.certified, expected.proved)


def test_a_search_is_brute_force(documents: Any) -> None:
    corpus, queries = documents
    index = with_copy(corpus)
    for asked in (*np.split(queries, len(queries)), corpus[:1], queries):
        for query, scores, ids in zip(asked, *index.search(asked, 300), strict=True):
            exact = (corpus.astype(float) @ query.astype(float)).astype(np.float32)
            exact[500] = -np.inf
            np.testing.assert_array_equal(ids, np.argsort(-exact, kind="stable")[:300])
            np.testing.assert_array_equal(scores, exact[ids])


def test_words_are_counted_in_full(documents: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, queries = documents
    rng = np.random.default_rng(0)
    words = random_sparse(DOCUMENTS, 500, 0.01, format="csr", random_state=rng, dtype=np.float32)
    both = Vectors(corpus, words)
    index, plain = with_copy(both), without_copy(monkeypatch, both)
    asked = random_sparse(len(queries), 500, 0.02, format="csr", random_state=rng, dtype=np.float32)
    for decoder in (Dense(), NNN(l1=0.1, l2=0.5)):
        for q in range(len(queries)):
            query = Vectors(queries[q : q + 1], asked[q : q + 1])
            ours, expected = decoder.decode_batch(query, index)[0], decoder.decode_batch(query, plain)[0]
            np.testing.assert_array_equal(ours.ids, expected.ids)
            assert ours.certified == expected.certified


@pytest.fixture(scope="module", params=["words that are there", "words of either sign"])
def with_words(request: pytest.FixtureRequest) -> MemoryIndex:
    """Documents whose words count for more than their meaning, and the copy."""
    (corpus, _), rng = clustered(20_000, 16, 1, seed=5), np.random.default_rng(1)
    words = random_sparse(20_000, 40, 0.1, format="csr", random_state=rng, dtype=np.float32)
    if request.param == "words of either sign":
        words.data *= rng.choice([-1.0, 1.0], len(words.data))
    return with_copy(Vectors(corpus, words), share=0.8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.floats(-1.0, 1.0), st.sampled_from(STEPS))
@example(0, 5, -1.0, 1)
@example(1, 300, 0.1, 16)
def test_negative_words_leave_the_best_where_they_are(
    with_words: MemoryIndex, seed: int, most: int, floor: float, step: int
) -> None:
    rng, corpus = np.random.default_rng(seed), with_words.corpus
    queries = rng.standard_normal((2, 56)).astype(np.float32)
    queries[:, 16:] *= rng.random((2, 40)) < rng.random()
    asked = Vectors(queries[:, :16], csr_array(queries[:, 16:]))
    found = scan(with_words, asked, most, np.full(2, floor), None, step)
    written = corpus.flat().astype(float)[::step]
    for query, rows in zip(queries, found, strict=True):
        scores = written @ query.astype(float)
        best = np.argsort(-scores, kind="stable")[:most]
        assert set(best[scores[best] > floor] * step) <= set(rows.tolist())
        assert (scores[rows // step] >= floor - 1e-4).all()
        assert len(rows) <= most + 5


def test_it_is_made_when_it_pays_and_only_where_there_is_room(
    documents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = documents[0]
    waits = Rounding(rows)
    for _ in range(PAYS):
        assert waits.copy() is None
    assert waits.wait() is None
    waits.copy()
    assert waits.wait() is waits.copy() is not None
    monkeypatch.setattr(rounded, "free_memory", lambda: float(rows.size))
    crowded = Rounding(rows)
    for _ in range(3 * PAYS):
        assert crowded.copy() is None
    assert crowded.wait() is None


def test_it_is_dropped_when_memory_runs_short_and_comes_back(
    documents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, query = with_copy(documents[0]), documents[1][:1]
    expected, waits = index.search(query, 5)[1], index._rounding[0]
    monkeypatch.setattr(rounded, "free_memory", lambda: 0.2 * documents[0].size)
    for _ in range(LOOK):
        np.testing.assert_array_equal(index.search(query, 5)[1], expected)
    assert waits.copy() is waits.wait() is None
    monkeypatch.setattr(rounded, "free_memory", lambda: 3.0 * documents[0].size)
    waits.copy()
    assert waits.wait() is waits.copy() is not None


def test_a_container_has_no_more_memory_than_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounded, "CGROUP", tmp_path)
    machine = rounded.free_memory()
    (tmp_path / "memory.current").write_text("600\n")
    (tmp_path / "memory.max").write_text("1000\n")
    assert rounded.free_memory() == 400.0
    (tmp_path / "memory.max").write_text("max\n")
    assert rounded.free_memory() == pytest.approx(machine, rel=0.5)


def test_an_index_with_a_copy_goes_to_another_process(documents: Any) -> None:
    corpus, queries = documents
    index = with_copy(corpus)
    there = pickle.loads(pickle.dumps(index))
    np.testing.assert_array_equal(there.search(queries[:1], 5)[1], index.search(queries[:1], 5)[1])
    assert there.rounded() is None


def test_threads_that_ask_at_once_have_it_made_once(documents: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(rounded, "Rounded", lambda rows: made.append(rows) or object())
    waits = Rounding(documents[0])
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: waits.copy(), range(64)))
    assert waits.wait() is not None
    assert len(made) == 1


def test_the_system_tells_how_much_memory_is_free() -> None:
    assert rounded.free_memory() > 2**20
