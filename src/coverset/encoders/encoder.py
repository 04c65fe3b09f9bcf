"""What an encoder is, and what it returns: both checked before anybody relies on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Floats
from coverset.inputs import as_vectors

# How far from 1 a vector's length may be: half precision is that exact.
CLOSE = 1e-2
# What an encoder has.
NEEDED = ("name", "dim", "fingerprint", "encode", "encode_queries")


class Encoder(Protocol):
    """Text to unit vectors. `name` says which model, `fingerprint` which weights."""

    name: str
    dim: int
    fingerprint: str

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of documents."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        """Return (n, dim) unit vectors of queries: many models encode them in another way than documents."""
        ...


class EncoderError(ValueError):
    """An encoder returned something else than a vector of its width and of length 1 for every text."""


def as_encoder(value: object) -> Encoder:
    """Return an encoder after checking that it is one: an object of another library often is not."""
    missing = [name for name in NEEDED if not hasattr(value, name)]
    if missing:
        told = "a function" if callable(value) and not hasattr(value, "encode") else f"a {type(value).__name__}"
        raise ValueError(
            f"encoder must be a name, or an object with {', '.join(NEEDED)}; got {told} without "
            f"{', '.join(missing)}: coverset.encoders.function.FunctionEncoder makes one of a function"
        )
    return cast(Encoder, value)


def as_encoded(encoder: Encoder, vectors: ArrayLike, count: int, *, scale: bool = False) -> Floats:
    """Return the unit vectors that an encoder made of so many texts, or raise an EncoderError that says why not.

    With `scale`, vectors of any length but zero are scaled to length 1.
    """
    what = f"what {encoder.name!r} returns"
    try:
        found = as_vectors(what, vectors)
    except ValueError as error:
        raise EncoderError(str(error)) from error
    if found.shape != (count, encoder.dim):
        wanted = (count, encoder.dim)
        raise EncoderError(f"{what} for {count} texts must have shape {wanted}, got {found.shape}")
    lengths = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise EncoderError(f"{what} must be finite and not all zero")
    if scale:
        found = (found / lengths).astype(np.float32)
    elif (far := np.abs(lengths - 1.0) > CLOSE).any():
        raise EncoderError(f"{what} must be vectors of length 1, and one is {lengths[far][0]:g} long")
    return found
