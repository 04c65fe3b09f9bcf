"""What must be right before a store is opened: the folder, and the encoder."""

from __future__ import annotations

import os
from pathlib import Path

from coverset.encoders import Encoder, load_encoder
from coverset.encoders.precomputed import FINGERPRINT, Precomputed
from coverset.store.errors import EncoderMismatchError
from coverset.store.rows import State


def check_free(folder: Path) -> None:
    """Refuse to make a store in a folder that holds something else."""
    if folder.exists() and (
        not folder.is_dir() or set(os.listdir(folder)) - {"writer.lock", "documents.lance", "ledger"}
    ):
        raise ValueError(f"folder must be a store, empty or missing, and {folder} is something else")


def check_encoder(folder: Path, state: State, name: str, fingerprint: str) -> None:
    """Refuse another encoder than the one that the store was made with."""
    if (name, fingerprint) != (state.encoder, state.fingerprint):
        same = (
            f" with other weights ({fingerprint[:12]}, not {state.fingerprint[:12]})"
            if name == state.encoder
            else ""
        )
        raise EncoderMismatchError(
            f"the store {folder} was made with the encoder {state.encoder!r}, and its vectors do not compare "
            f"with those of {name!r}{same}: open it without naming an encoder, or make a new store"
        )


def load_for(folder: Path, state: State, dim: int) -> Encoder:
    """Return the encoder that the store was made with."""
    if state.fingerprint == FINGERPRINT:
        return Precomputed(dim, state.encoder)
    try:
        encoder = load_encoder(state.encoder)
    except ValueError as error:
        raise ValueError(
            f"the store {folder} was made with the encoder {state.encoder!r}, which cannot be loaded by its name: "
            "pass it, Retriever.open(folder, encoder=...)"
        ) from error
    check_encoder(folder, state, encoder.name, encoder.fingerprint)
    return encoder
