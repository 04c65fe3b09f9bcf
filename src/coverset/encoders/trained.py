"""What training leaves behind, read without torch: adapters over an encoder, or a vector for every document."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Floats
from coverset.encoders.encoder import Encoder
from coverset.extras import require

# Vectors adapted at a time.
BLOCK = 8192


class AdaptedEncoder:
    """An encoder whose query and document vectors each go through an adapter: `coverset train --train adapter`.

    The adapters over `base` are in the folder's `query.safetensors` and `document.safetensors`.
    """

    def __init__(self, name: str, fingerprint: str, base: Encoder, folder: Path) -> None:
        self.name, self.fingerprint, self.base, self.dim = name, fingerprint, base, base.dim
        self.query = NumpyAdapter(folder / "query.safetensors", base.dim)
        self.document = NumpyAdapter(folder / "document.safetensors", base.dim)

    def encode(self, texts: str | Sequence[str]) -> Floats:
        """Return unit vectors of documents."""
        return _listed(lambda some: self.document(self.base.encode(some)), texts)

    def encode_queries(self, texts: str | Sequence[str]) -> Floats:
        """Return unit vectors of queries."""
        return _listed(lambda some: self.query(self.base.encode_queries(some)), texts)


class TableEncoder:
    """An encoder whose documents, where it knows them, have trained vectors: `coverset train colt`.

    All else, queries among it, is encoded by `base`. The folder's `documents.safetensors` has `keys`, the SHA-256
    of documents, and `vectors`.
    """

    def __init__(self, name: str, fingerprint: str, base: Encoder, folder: Path) -> None:
        self.name, self.fingerprint, self.base, self.dim = name, fingerprint, base, base.dim
        path = folder / "documents.safetensors"
        tensors = read_tensors(path)
        if set(tensors) != {"keys", "vectors"} or tensors["vectors"].shape != (len(tensors["keys"]), self.dim):
            raise ValueError(f"{path} is no table of vectors of width {self.dim}")
        keys = (key.tobytes() for key in tensors["keys"])
        self._table: dict[bytes, Floats] = dict(zip(keys, tensors["vectors"], strict=True))

    def encode(self, texts: str | Sequence[str]) -> Floats:
        """Return unit vectors of documents: the trained ones, where there are."""
        return _listed(self._documents, texts)

    def encode_queries(self, texts: str | Sequence[str]) -> Floats:
        """Return unit vectors of queries, by the encoder underneath."""
        return self.base.encode_queries(texts)

    def _documents(self, texts: Sequence[str]) -> Floats:
        found = [self._table.get(key(text)) for text in texts]
        vectors = np.empty((len(found), self.dim), np.float32)
        unknown = [row for row, vector in enumerate(found) if vector is None]
        if unknown:
            vectors[unknown] = self.base.encode([texts[row] for row in unknown])
        for row, known in enumerate(found):
            if known is not None:
                vectors[row] = known
        return vectors


class NumpyAdapter:
    """The forward pass of `coverset.training.towers.Adapter`, from its safetensors file, without torch."""

    def __init__(self, path: Path, dim: int) -> None:
        tensors = read_tensors(path)
        try:
            self.first, self.second = tensors["first.weight"].T, tensors["second.weight"].T
            self.biases = tensors["first.bias"], tensors["second.bias"]
            self.share = np.float32(1.0 / (1.0 + np.exp(-float(tensors["mix"]))))
        except KeyError as error:
            raise ValueError(f"{path} is no adapter: it lacks {error}") from error
        except TypeError as error:
            raise ValueError(f"{path} is no adapter: {error}") from error
        if self.first.ndim != 2 or self.second.ndim != 2:
            raise ValueError(f"{path} is no adapter: its weights must have 2 dimensions")
        if self.first.shape[0] != dim or self.second.shape[1] != dim:
            raise ValueError(f"{path} is for vectors of width {self.first.shape[0]}, the encoder's have {dim}")

    def __call__(self, vectors: Floats) -> Floats:
        """Adapt (n, dim) vectors."""
        parts = [self._adapt(vectors[start : start + BLOCK]) for start in range(0, len(vectors), BLOCK)]
        return np.concatenate(parts) if parts else vectors

    def _adapt(self, vectors: Floats) -> Floats:
        changed = gelu(vectors @ self.first + self.biases[0]) @ self.second + self.biases[1]
        mixed = (1 - self.share) * vectors + self.share * changed
        unit: Floats = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return unit


def _listed(encode: Callable[[Sequence[str]], Floats], texts: str | Sequence[str]) -> Floats:
    """Encode a list of texts, or one text as a list of one."""
    return encode([texts])[0] if isinstance(texts, str) else encode(texts)


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return the tensors of a safetensors file by their names."""
    library = require("safetensors", "app")
    if not path.is_file():
        raise ValueError(f"{path} is missing")
    try:
        tensors: dict[str, NDArray[Any]] = require("safetensors.numpy", "app").load_file(path)
    except (library.SafetensorError, ValueError, TypeError) as error:
        raise ValueError(f"{path} is no safetensors file: {error}") from error
    return tensors


def key(text: str) -> bytes:
    """Return what a document is known by."""
    return hashlib.sha256(text.encode()).digest()


def gelu(x: Floats) -> Floats:
    """Return x times the normal distribution function of x, by Abramowitz and Stegun's 7.1.26 (error 1.5e-7)."""
    t = 1.0 / (1.0 + (0.3275911 / np.sqrt(2.0)) * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    tail = 0.5 * series * np.exp(-0.5 * x * x)
    result: Floats = (x * np.where(x < 0, tail, 1.0 - tail)).astype(np.float32)
    return result
