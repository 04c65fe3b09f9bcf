"""An encoder under small trained adapters, in numpy: what `coverset train --train adapter` leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.encoder import Encoder
from coverset.encoders.tensors import read_tensors
from coverset.plain import Foreign

# Vectors adapted at a time.
BLOCK = 8192


class NumpyAdapter:
    """The forward pass of `coverset.training.adapter.Adapter`, from its safetensors file, without torch."""

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


class AdaptedEncoder:
    """An encoder whose query and document vectors each go through an adapter.

    Parameters
    ----------
    name, fingerprint
        What it is called, and which weights it has.
    base
        The encoder underneath.
    folder
        Where `query.safetensors` and `document.safetensors` are.
    """

    def __init__(self, name: str, fingerprint: str, base: Encoder, folder: Path) -> None:
        self.name, self.fingerprint, self.base, self.dim = name, fingerprint, base, base.dim
        self.query = NumpyAdapter(folder / "query.safetensors", base.dim)
        self.document = NumpyAdapter(folder / "document.safetensors", base.dim)

    def encode(self, texts: str | Sequence[str]) -> Floats:
        """Return unit vectors of documents."""
        return _one_or_many(self.base.encode, self.document, texts)

    def encode_queries(self, texts: str | Sequence[str]) -> Floats:
        """Return unit vectors of queries."""
        return _one_or_many(self.base.encode_queries, self.query, texts)


def _one_or_many(encode: Foreign, adapt: NumpyAdapter, texts: str | Sequence[str]) -> Floats:
    vectors = adapt(encode([texts] if isinstance(texts, str) else texts))
    return vectors[0] if isinstance(texts, str) else vectors


def gelu(x: Floats) -> Floats:
    """Return x times the normal distribution function of x, by Abramowitz and Stegun's 7.1.26 (error 1.5e-7)."""
    t = 1.0 / (1.0 + (0.3275911 / np.sqrt(2.0)) * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    tail = 0.5 * series * np.exp(-0.5 * x * x)
    result: Floats = (x * np.where(x < 0, tail, 1.0 - tail)).astype(np.float32)
    return result
