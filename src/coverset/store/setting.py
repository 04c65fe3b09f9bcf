"""A decoder as plain data, to be kept with the documents: its name and its parameters."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from coverset.decoders import MMR, NNN, Decoder, Dense

DECODERS: dict[str, type[Decoder]] = {"NNN": NNN, "MMR": MMR, "Dense": Dense}


def as_setting(decoder: Any) -> dict[str, Any]:
    """Return the decoder's name and parameters."""
    name = type(decoder).__name__
    if DECODERS.get(name) is not type(decoder):
        raise ValueError(f"decoder must be one of {', '.join(DECODERS)}, got {decoder!r}")
    return {"name": name, "parameters": asdict(decoder)}  # type: ignore[call-overload]


def from_setting(setting: dict[str, Any] | None) -> Decoder:
    """Return the decoder of a setting; of none, NNN as it comes."""
    return NNN() if setting is None else DECODERS[setting["name"]](**setting["parameters"])
