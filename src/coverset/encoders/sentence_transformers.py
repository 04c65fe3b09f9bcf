"""Any sentence-transformers model, from a folder or by its name on the hub."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coverset.arrays import Floats
from coverset.encoders.device import pick, told
from coverset.extras import require
from coverset.plain import Foreign

LOG = logging.getLogger(__name__)


class SentenceTransformersEncoder:
    """Encode texts with sentence-transformers; queries and documents each by their own prompt and route.

    Parameters
    ----------
    model
        A folder, or a name on the hub.
    max_tokens
        Cut texts here; None: where the model does.
    batch
        Texts that go through the network at a time.
    device
        Where the network runs: "auto", "cpu", "cuda", "cuda:1" or "mps"; None: $COVERSET_DEVICE, or "auto".
    """

    def __init__(
        self, model: str, max_tokens: int | None = None, batch: int = 32, device: str | None = None
    ) -> None:
        library = require("sentence_transformers", "train")
        self.device = pick(device)
        self.model: Foreign = library.SentenceTransformer(model, device=self.device)
        LOG.info("%s runs on %s", model, told(self.device))
        if max_tokens is not None:
            self.model.max_seq_length = min(max_tokens, self.model.max_seq_length)
        self.name = Path(model).resolve().name if Path(model).is_dir() else model
        self.dim = int(self.model.get_embedding_dimension())
        self.fingerprint = _fingerprint(self.model)
        self._batch = batch

    def encode(self, texts: str | Sequence[str]) -> Floats:
        """Return a unit vector (d,) for one document, or (n, d) for a list."""
        return self._encode(self.model.encode_document, texts)

    def encode_queries(self, texts: str | Sequence[str]) -> Floats:
        """Return a unit vector (d,) for one query, or (n, d) for a list."""
        return self._encode(self.model.encode_query, texts)

    def _encode(self, encode: Foreign, texts: str | Sequence[str]) -> Floats:
        if isinstance(texts, str):
            vector: Floats = self._encode(encode, [texts])[0]
            return vector
        if not len(texts):
            return np.empty((0, self.dim), np.float32)
        vectors = encode(list(texts), batch_size=self._batch, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


def _fingerprint(model: Foreign) -> str:
    """Hash the weights, and what else decides a vector: prompts and where texts are cut."""
    digest = hashlib.sha256(repr((sorted(model.prompts.items()), model.max_seq_length)).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode() + tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
