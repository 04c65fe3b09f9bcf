"""A parameter of a decoder that can be set from outside: by an option, in a request, by tuning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coverset.decoders.decoder import Decoder

KEY = "offered"


@dataclass(frozen=True)
class Parameter:
    """What is said of a parameter outside its decoder.

    Attributes
    ----------
    help
        What it does, as options and the service's schema say it.
    low, high
        Its range, where it is a number; without `high` there is no end to it.
    kind
        `float`, `int` for what is counted, or `bool` for what is done or not.
    tried
        The values that tuning tries, those whose answers are most like Dense's first.
    """

    help: str
    low: float = 0.0
    high: float | None = None
    kind: type[float] | type[int] | type[bool] = float
    tried: tuple[float, ...] = ()

    @property
    def offered(self) -> Mapping[str, Parameter]:
        """As the metadata of a field."""
        return {KEY: self}


def offered(kind: type[Decoder]) -> dict[str, Parameter]:
    """Return the parameters of a decoder that can be set from outside, by name."""
    return {field.name: field.metadata[KEY] for field in fields(kind) if KEY in field.metadata}
