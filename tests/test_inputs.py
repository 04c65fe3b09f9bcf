"""Bad input gets an error that names the argument and what would be accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coverset import MMR, NNN, Dense, MemoryIndex

CORPUS = np.eye(4, 3)
QUERY = np.ones(3)
DECODERS = [Dense(), MMR(), NNN(), NNN(solver="fista")]


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize(
    ("query", "corpus", "message"),
    [
        (QUERY, np.where(CORPUS == 1, np.nan, 0), "corpus must be finite: row 0 has NaN or infinity"),
        (QUERY, np.where(CORPUS == 1, np.inf, 0), "corpus must be finite: row 0 has NaN or infinity"),
        (QUERY, CORPUS * 1e30, "overflows float32"),
        (QUERY, np.ones(3), r"corpus must have 2 dimensions.*\(3,\)"),
        (QUERY, np.ones((2, 2, 3)), "corpus must have 2 dimensions"),
        (QUERY, np.ones((0, 3)), "corpus must hold at least one document"),
        (QUERY, [["a", "b", "c"]], "corpus must be an array of real numbers"),
        (QUERY, [[1, 2], [3]], "corpus must be an array of real numbers, got a list"),
        (QUERY, CORPUS.astype(complex), "corpus must be an array of real numbers, got an array of dtype complex"),
        (np.ones(4), CORPUS, r"query must be 3 wide like the corpus, got shape \(4,\)"),
        (np.ones((1, 2, 3)), CORPUS, r"query must be one row of shape \(3,\)"),
        (1.0, CORPUS, r"query must be one row of shape \(3,\)"),
        (np.ones((2, 3)), CORPUS, r"query must be one row of shape \(3,\), got shape \(2, 3\).* decode_batch"),
        ([np.nan, 0, 0], CORPUS, "query must be finite"),
        (None, CORPUS, "query must be an array of real numbers"),
    ],
)
def test_arrays(decoder: Any, query: Any, corpus: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decoder.decode(query, corpus)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize(
    ("queries", "message"),
    [
        (np.ones((2, 4)), "queries must be 3 wide"),
        (np.ones((1, 2, 3)), r"queries must have shape \(B, 3\)"),
        (QUERY, r"queries must have shape \(B, 3\), got shape \(3,\).* decode"),
        ([[0, 0, 0], [0, np.inf, 0]], "queries must be finite"),
    ],
)
def test_batches(decoder: Any, queries: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decoder.decode_batch(queries, CORPUS)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("k", [0, -1, 2.5, True, "5"])
def test_k(decoder: Any, k: Any) -> None:
    with pytest.raises(ValueError, match="k must be a whole number >= 1"):
        decoder.decode(QUERY, CORPUS, k=k)


@pytest.mark.parametrize("decoder", [Dense(), MMR()])
def test_k_none_is_for_nnn_only(decoder: Any) -> None:
    with pytest.raises(ValueError, match="k must be a whole number >= 1, got None"):
        decoder.decode(QUERY, CORPUS, k=None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"l1": -0.1}, "l1 must be a finite number >= 0, got -0.1"),
        ({"l2": -1}, "l2 must be a finite number >= 0"),
        ({"l1": np.nan}, "l1 must be a finite number"),
        ({"l2": np.inf}, "l2 must be a finite number"),
        ({"l1": "0.1"}, "l1 must be a finite number >= 0, got '0.1'"),
        ({"l1": 0, "l2": 0}, "l1 and l2 must not both be 0"),
        ({"solver": "cvx"}, "solver must be one of 'exact', 'fista', got 'cvx'"),
        ({"iterations": 0}, "iterations must be a whole number >= 1, got 0"),
        ({"candidates": 0}, "candidates must be a whole number >= 1 or None, got 0"),
        ({"fill": "yes"}, "fill must be True or False, got 'yes'"),
        ({"center": 1}, "center must be True or False, got 1"),
    ],
)
def test_nnn_parameters(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NNN(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"relevance": 1.1}, "relevance must be a finite number between 0 and 1, got 1.1"),
        ({"relevance": None}, "relevance must be a finite number between 0 and 1, got None"),
        ({"candidates": -3}, "candidates must be a whole number >= 1 or None, got -3"),
    ],
)
def test_mmr_parameters(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MMR(**arguments)


@pytest.mark.parametrize("decoder", [Dense, MMR, NNN])
def test_a_misspelt_parameter_is_an_error(decoder: Any) -> None:
    with pytest.raises(TypeError, match="lambda1"):
        decoder(lambda1=0.1)
    with pytest.raises(TypeError, match="top_k"):
        decoder().decode(QUERY, CORPUS, top_k=3)


def test_lists_integers_and_other_precisions_are_welcome() -> None:
    for corpus in (CORPUS.tolist(), CORPUS.astype(int), CORPUS.astype(np.float16), np.asfortranarray(CORPUS)):
        assert Dense().decode([1, 0, 0], corpus, k=1).ids.tolist() == [0]


def test_a_float32_array_is_not_copied() -> None:
    corpus = np.ones((5, 3), np.float32)
    assert np.shares_memory(MemoryIndex(corpus).corpus.meaning, corpus)


def test_a_zero_query_gets_an_answer() -> None:
    for decoder in DECODERS:
        assert len(decoder.decode(np.zeros(3), CORPUS[:3], k=2)) == 2
    assert NNN().decode(np.zeros(3), CORPUS[:3], k=2).certified


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("n", [3, 1000])
def test_a_corpus_of_nothing_but_zero_rows_has_no_answer(decoder: Any, n: int) -> None:
    assert len(decoder.decode(QUERY, np.zeros((n, 3)))) == 0
