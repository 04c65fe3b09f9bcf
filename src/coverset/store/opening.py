"""What must be right before a store is opened: the folder, its words, and the encoder."""

from __future__ import annotations

import os
from pathlib import Path

from coverset.encoders import DEFAULT, Encoder, load_encoder
from coverset.encoders.encoder import as_encoder
from coverset.encoders.precomputed import FINGERPRINT, Precomputed
from coverset.encoders.words import Analyser
from coverset.store.errors import EncoderMismatchError
from coverset.store.layout import is_part
from coverset.store.rows import State
from coverset.store.table import Table


def check_free(folder: Path) -> None:
    """Refuse to make a store in a folder that holds something else."""
    if folder.exists() and (not folder.is_dir() or not all(map(is_part, os.listdir(folder)))):
        raise ValueError(f"folder must be a store, empty or missing, and {folder} is something else")


def create_store(table: Table, encoder: str | Encoder | None, words: str | None) -> Encoder:
    """Make a store where there is none, and return its encoder; "auto" words are English."""
    check_free(table.folder)
    first, source = _first_encoder(encoder)
    language = "english" if words == "auto" else words
    if language is not None:
        Analyser(language)
    table.create(State(first.name, first.fingerprint, source, words=language), first.dim)
    return first


def _first_encoder(given: str | Encoder | None) -> tuple[Encoder, str | None]:
    """Return the encoder of a new store, and what it can be loaded by again, if not by its name."""
    if given is not None and not isinstance(given, str):
        return as_encoder(given), None
    encoder = load_encoder(given or DEFAULT)
    place = str(Path(given).resolve()) if given and Path(given).is_dir() else given
    return encoder, None if place == encoder.name else place


def same_words(folder: Path, state: State, given: str | None) -> None:
    """Refuse other words than the store's own; one of the first format has none, and says how it gets some."""
    if given in ("auto", state.words):
        return
    if state.first:
        raise ValueError(
            f"words must be 'auto' or None, got {given!r}: the store {folder} is of the first format, without "
            f"words, and coverset upgrade {folder} --words {given} brings it over"
        )
    raise ValueError(f"words must be {state.words!r}, as the store {folder} was made, or 'auto', got {given!r}")


def same_encoder(folder: Path, state: State, dim: int, given: str | Encoder) -> Encoder | None:
    """Return the encoder that was given, or None if it is the store's own by name; refuse any other."""
    if isinstance(given, str):
        if given == state.encoder:
            return None
        given = load_encoder(given)
    given = as_encoder(given)
    if (given.name, given.fingerprint, given.dim) != (state.encoder, state.fingerprint, dim):
        raise EncoderMismatchError(
            f"the store {folder} was made with the encoder {_told(state.encoder, state.fingerprint, dim)}, and "
            f"its vectors do not compare with those of {_told(given.name, given.fingerprint, given.dim)}: open it "
            "without naming an encoder, or make a new store"
        )
    return given


def own_encoder(folder: Path, state: State, dim: int) -> Encoder:
    """Return the encoder that the store was made with."""
    if state.fingerprint == FINGERPRINT:
        return Precomputed(dim, state.encoder)
    source = state.source or state.encoder
    try:
        encoder = load_encoder(source)
    except (ValueError, OSError) as error:
        raise ValueError(
            f"the store {folder} was made with the encoder {state.encoder!r}, which cannot be loaded by its name: "
            f"pass it, Retriever.open(folder, encoder=...) ({error})"
        ) from error
    same_encoder(folder, state, dim, encoder)
    return encoder


def _told(name: str, fingerprint: str, dim: int) -> str:
    return f"{name!r} ({dim} dimensions{f', fingerprint {fingerprint[:12]}' if fingerprint else ''})"
