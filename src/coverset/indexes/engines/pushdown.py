"""Filters as engines take them: a mask over columns in memory, or an expression in the engine's own words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coverset.filters import Exists, Filter, Leaf, Range, accepts, fold, mask, scalar


def matching(condition: Filter, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Return which documents match, by columns of values in memory."""

    def of(leaf: Leaf) -> NDArray[np.bool_]:
        column = columns[leaf.key]
        values, places = column, np.arange(len(column))
        if column.dtype != object:  # which may hold values of several kinds, that have no order
            values, places = np.unique(column, return_inverse=True)
        found = [scalar(value) for value in values.tolist()]
        held = [value is not None and (isinstance(leaf, Exists) or accepts(leaf, value)) for value in found]
        return np.array(held, bool)[places]

    return mask(condition, of)


def expression(condition: Filter, leaf: Callable[[Leaf], str]) -> str:
    """Return a filter as SQL and its like have it; `leaf` must be true or false, never null."""

    def combine(word: Literal["and", "or", "not"], parts: list[str]) -> str:
        return f"(not {parts[0]})" if word == "not" else f"({f' {word} '.join(parts)})"

    return fold(condition, leaf, combine)


def bounds(leaf: Range) -> Iterable[tuple[str, Any]]:
    """Yield the bounds of a range as (operator, value)."""
    if leaf.low is not None:
        yield (">" if leaf.low_open else ">="), leaf.low[1]
    if leaf.high is not None:
        yield ("<" if leaf.high_open else "<="), leaf.high[1]
