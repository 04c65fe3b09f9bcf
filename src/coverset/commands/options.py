"""An option for every parameter of every decoder, made from the registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from coverset.decoders.registry import METHODS, Given, options

# A command's argument of this name is replaced by the options.
GIVEN = "given"
NOTHING: Given = {}


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
    def run(**arguments: Any) -> None:
        given: Given = {option.name: arguments.pop(option.name) for option in made}
        command(**arguments, given=given)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _told(name: str) -> str:
    kind, fixed = METHODS[name]
    said = ", ".join(f"{parameter} = {value:g}" for parameter, value in fixed.items())
    return f"{name} ({kind.__name__} with {said})" if fixed else name
