"""Embeddings are encoded once, survive restarts and damage, and can be shared by processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from coverset.arrays import Floats
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.encoders.onnx import OnnxEncoder
from coverset.encoders.trained import TableEncoder

TEXTS = ["sort an array", "invert a matrix", "sort an array", ""]


class Counting(OnnxEncoder):
    """The real encoder, which notes what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def encode(self, texts: str | Sequence[str]) -> Floats:
        self.asked.extend(texts)
        return super().encode(texts)


@pytest.fixture(scope="module")
def counting() -> Counting:
    return Counting()


def test_each_text_is_encoded_once_also_after_a_restart(counting: Counting, tmp_path: Path) -> None:
    counting.asked.clear()
    first = CachedEncoder(counting, tmp_path).encode(TEXTS)
    assert sorted(counting.asked) == sorted(set(TEXTS))
    again = CachedEncoder(counting, tmp_path)
    np.testing.assert_array_equal(again.encode(TEXTS), first)
    assert len(counting.asked) == 3
    np.testing.assert_allclose(again.encode(["one more", "", "sort an array"])[2], first[0])
    assert counting.asked[3:] == ["one more"]
    assert again.encode([]).shape == (0, 384)
    np.testing.assert_allclose(first, OnnxEncoder().encode(TEXTS), atol=1e-6)


def test_queries_and_documents_are_kept_apart(counting: Counting, tmp_path: Path) -> None:
    cached = CachedEncoder(OnnxEncoder("bge-small-en-v1.5"), tmp_path)
    for _ in range(2):
        np.testing.assert_allclose(cached.encode(TEXTS), cached.encoder.encode(TEXTS), atol=1e-6)
        np.testing.assert_allclose(cached.encode_queries(TEXTS), cached.encoder.encode_queries(TEXTS), atol=1e-6)


def test_a_damaged_file_is_encoded_again_and_nothing_half_written_is_left(
    counting: Counting, tmp_path: Path
) -> None:
    expected = CachedEncoder(counting, tmp_path).encode(TEXTS)
    (file,) = tmp_path.rglob("*.npz")
    file.write_bytes(file.read_bytes()[:200])
    np.testing.assert_array_equal(CachedEncoder(counting, tmp_path).encode(TEXTS), expected)
    np.testing.assert_array_equal(CachedEncoder(counting, tmp_path).encode(TEXTS), expected)
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".npz"]


def test_processes_share_a_cache(counting: Counting, tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from coverset.encoders.cache import CachedEncoder
from coverset.encoders.onnx import OnnxEncoder
from coverset.encoders.trained import TableEncoder
cache = CachedEncoder(OnnxEncoder(), Path(sys.argv[1]))
for start in range(0, 60, 5):
    cache.encode([f"text number {i % 40}" for i in range(start, start + 10)])
"""
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    counting.asked.clear()
    texts = [f"text number {i}" for i in range(40)]
    vectors = CachedEncoder(counting, tmp_path).encode(texts)
    assert counting.asked == []
    np.testing.assert_allclose(vectors, counting.encode(texts), atol=1e-5)


def test_the_default_place_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "coverset"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "coverset"


def test_what_is_under_an_adapted_encoder_is_encoded_once(counting: Counting, tmp_path: Path) -> None:
    """A table without vectors of its own hands everything to the encoder underneath."""
    empty = {"keys": np.empty((0, 32), np.uint8), "vectors": np.empty((0, 384), np.float32)}
    save_file(empty, tmp_path / "documents.safetensors")
    CachedEncoder(counting, tmp_path).encode(TEXTS)
    counting.asked.clear()
    over = CachedEncoder(TableEncoder("over", "1", counting, tmp_path), tmp_path)
    np.testing.assert_array_equal(over.encode(TEXTS), CachedEncoder(counting, tmp_path).encode(TEXTS))
    assert not counting.asked


def test_the_encoder_that_is_handed_in_stays_as_it_is(counting: Counting, tmp_path: Path) -> None:
    empty = {"keys": np.empty((0, 32), np.uint8), "vectors": np.empty((0, 384), np.float32)}
    save_file(empty, tmp_path / "documents.safetensors")
    over = TableEncoder("over", "1", counting, tmp_path)
    CachedEncoder(CachedEncoder(over, tmp_path).encoder, tmp_path)
    assert over.base is counting
