"""Text to unit vectors."""

from __future__ import annotations

from coverset.encoders.protocol import Encoder

__all__ = ["Encoder", "load_encoder"]

DEFAULT = "all-MiniLM-L6-v2"


def load_encoder(name: str = DEFAULT) -> Encoder:
    """Return the encoder of that name."""
    from coverset.encoders.onnx import OnnxEncoder

    return OnnxEncoder(name)
