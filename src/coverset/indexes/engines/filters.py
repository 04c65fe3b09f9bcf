"""Which documents to search among: columns and the values they may have, the same on every engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

# Column and accepted values; all conditions must hold.
Condition = tuple[str, tuple[Any, ...]]


def as_conditions(where: Any) -> tuple[Condition, ...]:
    """Return {"lang": "py", "year": [2024, 2025]} as (("lang", ("py",)), ("year", (2024, 2025)))."""
    if not isinstance(where, Mapping) or not where:
        raise ValueError(f"where must map columns to a value or a list of values, got {where!r}")
    return tuple((_column(column), _values(column, accepted)) for column, accepted in where.items())


def _column(name: Any) -> str:
    if isinstance(name, str) and name and "\0" not in name:
        return name
    raise ValueError(f"where must name columns by non-empty strings, got {name!r}")


def _values(column: str, accepted: Any) -> tuple[Any, ...]:
    several = isinstance(accepted, (list, tuple, set, frozenset, np.ndarray))
    values = tuple(v.item() if isinstance(v, np.generic) else v for v in (accepted if several else (accepted,)))
    if not values:
        raise ValueError(f"where[{column!r}] must have at least one value, got {accepted!r}")
    for value in values:
        if not isinstance(value, (str, bool, int, float)) or (isinstance(value, float) and not np.isfinite(value)):
            raise ValueError(
                f"where[{column!r}] must be a string, a number, True or False, or a list of these, got {value!r}"
            )
    return values
