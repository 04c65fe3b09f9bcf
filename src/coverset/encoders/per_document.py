"""An encoder with a trained vector for every document of one corpus: what `coverset train colt` leaves behind."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.encoder import Encoder
from coverset.encoders.tensors import read_tensors


class TableEncoder:
    """An encoder whose documents, where it knows them, have trained vectors; all else is the encoder underneath.

    Parameters
    ----------
    name, fingerprint
        What it is called, and which weights it has.
    base
        The encoder underneath: it encodes queries, and documents that are not in the table.
    folder
        Where `documents.safetensors` is: `keys`, the documents' SHA-256, and `vectors`.
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
        if isinstance(texts, str):
            vector: Floats = self.encode([texts])[0]
            return vector
        found = [self._table.get(key(text)) for text in texts]
        vectors = np.empty((len(found), self.dim), np.float32)
        unknown = [row for row, vector in enumerate(found) if vector is None]
        if unknown:
            vectors[unknown] = self.base.encode([texts[row] for row in unknown])
        for row, known in enumerate(found):
            if known is not None:
                vectors[row] = known
        return vectors

    def encode_queries(self, texts: str | Sequence[str]) -> Floats:
        """Return unit vectors of queries, by the encoder underneath."""
        return self.base.encode_queries(texts)


def key(text: str) -> bytes:
    """Return what a document is known by."""
    return hashlib.sha256(text.encode()).digest()
