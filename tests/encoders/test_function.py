"""A function of one's own is an encoder like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import Dense, Retriever
from coverset.encoders import function
from coverset.encoders.function import FunctionEncoder


def letters(texts: list[str]) -> list[list[float]]:
    return [[float(text.count(letter)) for letter in "abcde"] for text in texts]


def test_vectors_are_the_functions_scaled_to_length_1() -> None:
    seen: list[int] = []

    def counted(texts: list[str]) -> Any:
        seen.append(len(texts))
        return letters(texts)

    encoder = FunctionEncoder(counted, name="letters", dim=5, queries=lambda t: np.fliplr(letters(t)), batch=2)
    vectors = encoder.encode(["aab", "c", "ddde"])
    assert seen == [2, 1]
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[0], np.array([2, 1, 0, 0, 0]) / np.sqrt(5), rtol=1e-6)
    np.testing.assert_allclose(vectors[2], np.array([0, 0, 0, 3, 1]) / np.sqrt(10), rtol=1e-6)
    np.testing.assert_allclose(encoder.encode_queries(["ea"]), [[0.5**0.5, 0, 0, 0, 0.5**0.5]], rtol=1e-6)
    np.testing.assert_allclose(encoder.encode_queries(["b"]), [[0, 0, 0, 1, 0]], rtol=1e-6)
    assert encoder.encode([]).shape == (0, 5)


def test_long_inputs_show_how_far_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(function, "LONG", 2)
    monkeypatch.setenv("FORCE_COLOR", "1")
    FunctionEncoder(letters, name="letters", dim=5, batch=2).encode(["a"] * 4)
    assert "encoding" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([[1.0, 2.0]], r"what 'mine' returns for 2 texts must have shape \(2, 2\), got \(1, 2\)"),
        ([[0.0, 0.0], [1.0, 0.0]], "must be finite and not all zero"),
        ([[np.nan, 0.0], [1.0, 0.0]], "must be finite and not all zero"),
        ("vectors", "must be an array of real numbers"),
    ],
)
def test_a_function_that_returns_something_else_is_refused(returned: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FunctionEncoder(lambda _texts: returned, name="mine", dim=2).encode(["a", "b"])


def test_a_store_works_with_it(tmp_path: Path) -> None:
    encoder = FunctionEncoder(letters, name="letters", dim=5)
    store = Retriever.open(tmp_path / "s.cover", encoder=encoder)
    store.add([{"id": "x", "text": "aaa"}, {"id": "y", "text": "bbb"}])
    assert Retriever.open(tmp_path / "s.cover", encoder=encoder).search("b", k=1, decoder=Dense())[0].id == "y"
    with pytest.raises(ValueError, match=r"the encoder 'letters' .* do not compare with those of 'other'"):
        Retriever.open(tmp_path / "s.cover", encoder=FunctionEncoder(letters, name="other", dim=5))
