"""An option for every parameter of every decoder, made from the registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from typing import Annotated, get_type_hints

import typer

from coverset.decoders import Decoder
from coverset.decoders.kinds import as_distinct
from coverset.decoders.registry import METHODS, Given, options
from coverset.plain import Foreign

# A command's argument of this name is replaced by the options.
GIVEN = "given"
NOTHING: Given = {}


Distinct_ = Annotated[
    str | None,
    typer.Option(
        "--distinct", help="The cosine above which documents are one kind, auto (by the corpus), or off."
    ),
]


def with_kinds(decoder: Decoder, distinct: str | None) -> Decoder:
    """Return a decoder that tells kinds apart as an option says."""
    if distinct is None:
        return decoder
    try:
        value = distinct if distinct == "auto" else False if distinct in ("off", "false") else float(distinct)
    except ValueError as error:
        raise ValueError(f"distinct must be a cosine from 0 to 1, auto or off, got {distinct!r}") from error
    return replace(decoder, distinct=as_distinct(value))


def listed(names: Iterable[str]) -> str:
    """Return the names of decoders and of variants as a sentence has them."""
    *most, last = map(_told, names)
    return f"{', '.join(most)} or {last}" if most else last


def decoder_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace a command's `given` by an option for each parameter of a decoder; it gets their values."""
    signature, hints = inspect.signature(command), get_type_hints(command, include_extras=True)
    made = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None,
            annotation=Annotated[option.parameter.kind | None, typer.Option(help=option.help)],
        )
        for name, option in options().items()
    ]
    shown: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        shown += made if parameter.name == GIVEN else [parameter.replace(annotation=hints[parameter.name])]

    @wraps(command)
    def run(**arguments: Foreign) -> None:
        given: Given = {option.name: arguments.pop(option.name) for option in made}
        command(**arguments, given=given)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _told(name: str) -> str:
    kind, fixed = METHODS[name]
    said = ", ".join(f"{parameter} = {value:g}" for parameter, value in fixed.items())
    return f"{name} ({kind.__name__} with {said})" if fixed else name
