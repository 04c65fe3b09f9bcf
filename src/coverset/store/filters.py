"""`where`: which documents a search is about, by equality on their metadata.

    {"lang": "py", "year": [2024, 2025]}      lang is "py" and year is one of the two

A filter is data, never text that something parses: nothing can be injected through it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from coverset.arrays import Ids

Value = tuple[str, Any]
Checked = tuple[tuple[str, tuple[Value, ...]], ...]

KINDS: dict[type, str] = {str: "text", bool: "flag", int: "number", float: "number", type(None): "null"}


def check_where(where: Any) -> Checked:
    """Return a filter in one canonical, hashable form, or raise a ValueError that says what is wrong with it."""
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        raise ValueError(f"where must be a dict of metadata keys and the values to match, got {where!r:.100}")
    checked = []
    for key, wanted in where.items():
        if not isinstance(key, str):
            raise ValueError(f"where must have strings as keys, got {key!r}")
        values = [_value(v) for v in (wanted if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted])]
        if None in values:
            raise ValueError(
                f"where[{key!r}] must be a string, a finite number, a bool, None or a list of these, "
                f"got {wanted!r:.100}"
            )
        checked.append((key, tuple(sorted({v for v in values if v is not None}, key=repr))))
    return tuple(sorted(checked))


class Columns:
    """The metadata of documents by key and value: which rows have it.

    A value that is a list is matched by each of its members. True is not 1, and 1 is 1.0.
    """

    def __init__(self, metas: list[dict[str, Any]]) -> None:
        self._documents = len(metas)
        self._rows: dict[str, dict[Value, list[int]]] = {}
        for row, meta in enumerate(metas):
            for key, value in meta.items():
                for found in {_value(v) for v in (value if isinstance(value, list) else [value])} - {None}:
                    assert found is not None
                    self._rows.setdefault(key, {}).setdefault(found, []).append(row)

    def matching(self, where: Checked) -> Ids:
        """Return the rows that match every key, ascending."""
        keep = np.ones(self._documents, bool)
        for key, values in where:
            column = self._rows.get(key, {})
            rows = [column[value] for value in values if value in column]
            one = np.zeros(self._documents, bool)
            one[[row for part in rows for row in part]] = True
            keep &= one
        return np.flatnonzero(keep)


def _value(value: Any) -> Value | None:
    """Return a scalar with its kind, so that True and 1 are two values; None for what cannot be matched."""
    kind = KINDS.get(type(value))
    if kind is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return kind, value
