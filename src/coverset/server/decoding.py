"""From what a request says to a decoder, and back."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from coverset.arrays import Floats
from coverset.decoders import MMR, NNN, Decoder, Dense
from coverset.decoders.strength import strengths
from coverset.indexes import Index
from coverset.server.schemas import Default, Name
from coverset.server.settings import LEAST_STRENGTH

DECODERS: dict[Name, type[Decoder]] = {"nnn": NNN, "dense": Dense, "mmr": MMR}


def name_of(decoder: Decoder) -> Name:
    """Return a decoder's name."""
    return next(name for name, kind in DECODERS.items() if type(decoder) is kind)


def decoder_of(default: Decoder, name: Name | None, **given: float | None) -> Decoder:
    """Return the decoder of that name with the parameters given; the rest, where it can, is as in the default.

    A parameter that the decoder does not have is an error.
    """
    base: Any = default if name is None or name == name_of(default) else DECODERS[name]()
    wanted = {parameter: value for parameter, value in given.items() if value is not None}
    accepted = {field.name for field in fields(base)}
    for parameter in wanted:
        if parameter not in accepted:
            raise ValueError(f"the decoder {name_of(base)!r} has no {parameter}")
    made: Decoder = replace(base, **wanted)
    if (
        isinstance(made, NNN)
        and made.l1 is not None
        and made.l2 is not None
        and made.l1 + made.l2 < LEAST_STRENGTH
    ):
        raise ValueError(f"l1 + l2 must be at least {LEAST_STRENGTH:g}, got {made.l1 + made.l2:g}")
    return made


def with_strengths(nnn: NNN, query: Floats, index: Index) -> NNN:
    """Return the decoder with the strengths that it would choose for a query, where it has none."""
    if nnn.l1 is not None and nnn.l2 is not None:
        return nnn
    l1, l2 = strengths(query[None], index)
    return replace(
        nnn, l1=float(l1[0]) if nnn.l1 is None else nnn.l1, l2=float(l2[0]) if nnn.l2 is None else nnn.l2
    )


def as_default(decoder: Any) -> Default:
    """Return a decoder as the service states it."""
    parameters = {name: getattr(decoder, name, None) for name in ("l1", "l2", "relevance")}
    return Default(decoder=name_of(decoder), **parameters)
