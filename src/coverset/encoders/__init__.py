"""Text to unit vectors."""

from __future__ import annotations

from pathlib import Path

from coverset.encoders.encoder import Encoder, EncoderError

__all__ = ["Encoder", "EncoderError", "load_encoder"]

DEFAULT = "all-MiniLM-L6-v2"


def load_encoder(name: str = DEFAULT, device: str | None = None) -> Encoder:
    """Return an encoder: an offline one by its name, or what is in a folder.

    A folder is one that training left behind, or any sentence-transformers model. `openai:MODEL` is a model
    behind an OpenAI-compatible API. Any other name with a slash in it is looked up by sentence-transformers on
    its hub. What runs on torch runs on `device`: "auto", "cpu", "cuda", "cuda:1" or "mps"; None: what
    $COVERSET_DEVICE says, or "auto".
    """
    if Path(name).is_dir():
        from coverset.encoders.model_folder import load_folder

        return load_folder(Path(name), device)
    if name.startswith("openai:"):
        from coverset.encoders.openai import OpenAIEncoder

        return OpenAIEncoder(name.removeprefix("openai:"))
    if "/" in name:
        from coverset.encoders.sentence_transformers import SentenceTransformersEncoder

        return SentenceTransformersEncoder(name, device=device)
    from coverset.encoders.onnx import MODELS, OnnxEncoder

    if name not in MODELS:
        raise ValueError(
            f"encoder must be one that works offline ({', '.join(MODELS)}), a folder with a model, openai:MODEL, "
            f"or OWNER/MODEL for sentence-transformers, got {name!r}"
        )
    return OnnxEncoder(name)
