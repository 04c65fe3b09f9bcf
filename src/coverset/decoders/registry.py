"""All decoders by name. A line here, and the command line, the service and the tuning know a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TypeAlias

from coverset.decoders.decoder import Decoder
from coverset.decoders.dense import Dense
from coverset.decoders.mmr import MMR
from coverset.decoders.nnn import NNN
from coverset.decoders.parameter import Parameter, offered
from coverset.decoders.rrf import RRF
from coverset.inputs import as_choice
from coverset.plain import Json

DECODERS: dict[str, type[Decoder]] = {
    "dense": Dense,
    "mmr": MMR,
    "nnn": NNN,
    "rrf": RRF,
}
# What a store is searched with until somebody has chosen.
DEFAULT = "nnn"
# The default first.
NAMES = (DEFAULT, *(name for name in DECODERS if name != DEFAULT))
# Beside the decoders, their variants: the same with a parameter fixed.
METHODS: dict[str, tuple[type[Decoder], Mapping[str, float]]] = {
    name: method
    for plain, kind in DECODERS.items()
    for name, method in ((plain, (kind, {})), *((v, (kind, fixed)) for v, fixed in kind.variants.items()))
}

Given: TypeAlias = Mapping[str, float | None]
Setting: TypeAlias = Json


@dataclass(frozen=True)
class Option:
    """A parameter, and the decoders that have it."""

    parameter: Parameter
    kinds: Sequence[type[Decoder]]

    @property
    def help(self) -> str:
        """What it does, and for whom."""
        return f"{', '.join(kind.__name__ for kind in self.kinds)}: {self.parameter.help}"


def options() -> dict[str, Option]:
    """Return every parameter that can be set from outside, by name."""
    kinds: dict[str, list[type[Decoder]]] = {}
    for kind in DECODERS.values():
        for name in offered(kind):
            kinds.setdefault(name, []).append(kind)
    return {name: Option(offered(having[0])[name], having) for name, having in kinds.items()}


def name_of(decoder: Decoder) -> str:
    """Return the name of a decoder."""
    for name, kind in DECODERS.items():
        if type(decoder) is kind:
            return name
    known = ", ".join(kind.__name__ for kind in DECODERS.values())
    raise ValueError(f"decoder must be one of {known}, got {decoder!r}")


def make(name: str, given: Given) -> Decoder:
    """Return the decoder, or the variant, of that name with the parameters given; the rest is as it comes."""
    kind, fixed = METHODS[as_choice("decoder", name, tuple(METHODS))]
    return replace(kind(**fixed), **_accepted(name, kind, given, fixed))


def changed(own: Decoder, name: str | None, given: Given) -> Decoder:
    """Return a store's own decoder with the parameters given or, if another is named, that one with them."""
    wanted = name_of(own) if name is None else as_choice("decoder", name, NAMES)
    if wanted != name_of(own):
        return make(wanted, given)
    return replace(own, **_accepted(wanted, type(own), given, {}))


def as_decoder(value: Decoder | str | None, own: Decoder) -> Decoder:
    """Return the decoder that a caller wants: one that is made, one by its name, or (None) a store's own."""
    if isinstance(value, Decoder):
        return value
    if value is None:
        return own
    if isinstance(value, str):
        return changed(own, value, {})
    raise ValueError(
        f"decoder must be a decoder, as NNN(), or one of {', '.join(map(repr, NAMES))}, got {value!r}"
    )


def each_changed(own: Decoder, given: Given) -> dict[str, Decoder]:
    """Return every decoder, a store's own as it is there, each with those of the parameters given that it has."""
    return {
        name: changed(own, name, {n: value for n, value in given.items() if n in offered(kind)})
        for name, kind in DECODERS.items()
    }


def grid(name: str) -> tuple[Decoder, ...]:
    """Return the settings that tuning tries; of those that do equally well, it takes the first.

    They begin where answers are most like Dense's; the decoder's last parameter varies slowest.
    """
    kind, fixed = METHODS[as_choice("decoder", name, tuple(METHODS))]
    tried = {n: p.tried for n, p in reversed(offered(kind).items()) if p.tried and n not in fixed}
    return tuple(kind(**fixed, **dict(zip(tried, values, strict=True))) for values in product(*tried.values()))


def tunable() -> tuple[str, ...]:
    """Return the names of those that there is something to tune about."""
    return tuple(name for name in METHODS if len(grid(name)) > 1)


def chosen(decoder: Decoder) -> dict[str, float | None]:
    """Return what is set of a decoder's parameters, of those that can be from outside.

    A flag that is as it comes is not set: it would only lengthen what is told of every decoder.
    """
    usual = type(decoder)()
    said = {name: getattr(decoder, name) for name in offered(type(decoder))}
    return {
        name: None if value is getattr(usual, name) and isinstance(value, bool) else value
        for name, value in said.items()
    }


def as_setting(decoder: Decoder) -> Setting:
    """Return a decoder as plain data, to be kept with documents: the name of its class, and all parameters."""
    name_of(decoder)
    return {"name": type(decoder).__name__, "parameters": asdict(decoder)}


def from_setting(setting: Setting | None) -> Decoder:
    """Return the decoder of a setting; of none, the default as it comes."""
    if setting is None:
        return DECODERS[DEFAULT]()
    kinds = {kind.__name__: kind for kind in DECODERS.values()}
    return kinds[as_choice("decoder", setting["name"], tuple(kinds))](**setting["parameters"])


def _accepted(name: str, kind: type[Decoder], given: Given, fixed: Mapping[str, float]) -> dict[str, float]:
    """Return the parameters that are given; one that the decoder does not have, or has fixed, is an error."""
    has = [parameter for parameter in offered(kind) if parameter not in fixed]
    wanted = {parameter: value for parameter, value in given.items() if value is not None}
    for parameter in wanted:
        if parameter not in has:
            instead = f"; it has {', '.join(has)}" if has else ""
            raise ValueError(f"the decoder {name!r} has no {parameter}{instead}")
    return wanted
