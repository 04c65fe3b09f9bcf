"""Embeddings kept on disk by encoder and text, so that each text is encoded once.

Every call that had to encode something leaves one more file: the texts' SHA-256 and their vectors, as plain
arrays. Files appear whole (written aside, then renamed) and are never changed, so processes can share a cache.
"""

from __future__ import annotations

import copy
import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.encoder import Encoder, as_encoded


def default_folder() -> Path:
    """Return where caches go unless told otherwise: $XDG_CACHE_HOME/coverset or ~/.cache/coverset."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "coverset"


class CachedEncoder:
    """An encoder that remembers, in a folder of its own inside the one given; only new texts are encoded."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        if hasattr(encoder, "base"):
            # An encoder over another one: what is underneath is the costly part, and others stand on it too.
            encoder = copy.copy(encoder)
            encoder.base = CachedEncoder(encoder.base, folder)
        self.encoder, self.name, self.dim = encoder, encoder.name, encoder.dim
        self.fingerprint = encoder.fingerprint
        self.folder = folder / f"{encoder.name.replace('/', '_')}-{encoder.fingerprint[:12]}"
        self._vectors: dict[bytes, Floats] = {}
        self._read: set[str] = set()

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of documents, encoding only texts that are not in the cache."""
        return self._cached(b"", texts, self.encoder.encode)

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of queries, encoding only texts that are not in the cache."""
        return self._cached(b"query\0", texts, self.encoder.encode_queries)

    def _cached(self, kind: bytes, texts: Sequence[str], encode: Callable[[Sequence[str]], Floats]) -> Floats:
        keys = [hashlib.sha256(kind + text.encode()).digest() for text in texts]
        self._load()
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        if new:
            vectors = as_encoded(self, encode(list(new.values())), len(new))
            self._save(list(new), vectors)
            self._vectors.update(zip(new, vectors, strict=True))
        if not keys:
            return np.empty((0, self.dim), np.float32)
        return np.stack([self._vectors[key] for key in keys])

    def _load(self) -> None:
        """Read the files that have appeared since the last time; one that is damaged is as good as absent."""
        for path in sorted(self.folder.glob("*.npz")):
            if path.name in self._read:
                continue
            self._read.add(path.name)
            try:
                with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                    keys, vectors = arrays["keys"], arrays["vectors"]
            except (OSError, ValueError, KeyError, BadZipFile):
                continue
            if vectors.shape == (len(keys), self.dim) and vectors.dtype == np.float32:
                self._vectors.update(zip((key.tobytes() for key in keys), vectors, strict=True))

    def _save(self, keys: list[bytes], vectors: Floats) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{hashlib.sha256(b''.join(keys)).hexdigest()[:24]}.npz"
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as aside:
            try:
                np.savez(aside, keys=np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 32), vectors=vectors)
            except BaseException:
                Path(aside.name).unlink()
                raise
        os.replace(aside.name, self.folder / name)
        self._read.add(name)
