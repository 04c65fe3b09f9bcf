"""From what a request says to a decoder, and back."""

from __future__ import annotations

from dataclasses import replace

from coverset.arrays import Floats
from coverset.decoders import NNN, Decoder
from coverset.decoders.registry import chosen, name_of
from coverset.decoders.strength import strengths
from coverset.indexes import Index
from coverset.server.schemas import Default
from coverset.server.settings import LEAST_STRENGTH


def affordable(decoder: Decoder) -> Decoder:
    """Return a decoder that may be asked for: settings that give nearly every document weight cost too much."""
    if isinstance(decoder, NNN) and decoder.l1 is not None and decoder.l2 is not None:
        strength = decoder.l1 + decoder.l2
        if strength < LEAST_STRENGTH:
            raise ValueError(f"l1 + l2 must be at least {LEAST_STRENGTH:g}, got {strength:g}")
    return decoder


def with_strengths(nnn: NNN, query: Floats, index: Index) -> NNN:
    """Return the decoder with the strengths that it would choose for a query, where it has none."""
    if nnn.l1 is not None and nnn.l2 is not None:
        return nnn
    l1, l2 = strengths(query[None], index)
    return replace(
        nnn, l1=float(l1[0]) if nnn.l1 is None else nnn.l1, l2=float(l2[0]) if nnn.l2 is None else nnn.l2
    )


def as_default(decoder: Decoder) -> Default:
    """Return a decoder as the service states it."""
    return Default(decoder=name_of(decoder), **chosen(decoder))
