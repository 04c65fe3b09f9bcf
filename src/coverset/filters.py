"""`where`: which documents a search is about, said as data, the same for stores and for every engine.

    {"lang": "py", "year": {"$gte": 2020, "$lt": 2025}, "$or": [{"draft": False}, {"owner": ["ann", "bob"]}]}

| condition | it holds if the value |
|---|---|
| `{"lang": "py"}`, `{"lang": {"$eq": "py"}}` | is this: a text, a number, True or False; None: there is none |
| `{"lang": ["py", "js"]}`, `{"lang": {"$in": [...]}}` | is one of these |
| `{"lang": {"$ne": "py"}}`, `{"lang": {"$nin": [...]}}` | is not this, not one of these, or is missing |
| `{"year": {"$gte": 2020, "$lt": 2025}}`, also `$gt`, `$lte` | is in a range: numbers, or texts by code points |
| `{"day": {"$gte": "2024-05-01"}}`, or a `datetime.date` | is a date in the range, written as ISO 8601 has it |
| `{"title": {"$contains": "sort"}}` | is a text with this in it, upper and lower case as given |
| `{"doi": {"$exists": True}}` | is there, and not null |
| `{"$and": [...]}`, `{"$or": [...]}`, `{"$not": {...}}` | all of these filters hold, one of them, not this one |

Several keys must all hold. A value that is a list is taken by its members: one of them must be so. `1` is `1.0`;
True is not `1`, and `"1"` is neither. Dates are compared as text, so write them all alike, those with a time zone
in UTC: `2024-05-31`, or `2024-05-31T12:00:00Z`. Nothing is ever parsed, so nothing can be injected.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Scalar = str | bool | int | float
# A value with its kind, so that True and 1 are two values.
Value = tuple[str, Scalar]
KINDS: dict[type, str] = {str: "text", bool: "flag", int: "number", float: "number"}
# How deep filters may stand in filters.
DEEPEST = 16
ACCEPTED = "a string, a finite number, True, False, None, a date, a list of these or an object of operators"


@dataclass(frozen=True)
class OneOf:
    """The value is one of these."""

    key: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Range:
    """The value is a number or a text between these; a bound that is None is none, an open one is left out."""

    key: str
    low: Value | None = None
    high: Value | None = None
    low_open: bool = False
    high_open: bool = False


@dataclass(frozen=True)
class Contains:
    """The value is a text that has this in it."""

    key: str
    text: str


@dataclass(frozen=True)
class Exists:
    """There is a value."""

    key: str


@dataclass(frozen=True)
class All:
    """All of these hold."""

    of: tuple[Filter, ...]


@dataclass(frozen=True)
class AnyOf:
    """One of these holds."""

    of: tuple[Filter, ...]


@dataclass(frozen=True)
class Not:
    """The opposite of another filter."""

    of: Filter


Leaf = OneOf | Range | Contains | Exists
Filter = Leaf | All | AnyOf | Not
T = TypeVar("T")


def check_where(where: object) -> Filter | None:
    """Return a filter in one canonical, hashable form, or raise a ValueError that says what is wrong with it."""
    return None if where is None else _filter("where", where, DEEPEST)


def as_filter(where: object) -> Filter:
    """Return a filter, which must be there."""
    return _filter("where", where, DEEPEST)


def accepts(leaf: Leaf, value: Value) -> bool:
    """Say whether a condition holds for a value that is there."""
    if isinstance(leaf, OneOf):
        return value in leaf.values
    if isinstance(leaf, Contains):
        return value[0] == "text" and leaf.text in cast(str, value[1])
    if isinstance(leaf, Range):
        return _above(leaf.low, value, leaf.low_open) and _above(value, leaf.high, leaf.high_open)
    return True


def fold(
    condition: Filter,
    leaf: Callable[[Leaf], T],
    combine: Callable[[Literal["and", "or", "not"], list[T]], T],
) -> T:
    """Turn a filter into something else: its leaves one by one, then what joins them."""
    if isinstance(condition, Not):
        return combine("not", [fold(condition.of, leaf, combine)])
    if isinstance(condition, (All, AnyOf)):
        word: Literal["and", "or"] = "and" if isinstance(condition, All) else "or"
        return combine(word, [fold(part, leaf, combine) for part in condition.of])
    return leaf(condition)


def mask(condition: Filter, leaf: Callable[[Leaf], NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Return which documents match, from which of them match each leaf."""

    def combine(word: Literal["and", "or", "not"], parts: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        if word == "not":
            return ~parts[0]
        joined: NDArray[np.bool_] = np.all(parts, axis=0) if word == "and" else np.any(parts, axis=0)
        return joined

    return fold(condition, leaf, combine)


def keys(condition: Filter) -> list[str]:
    """Return the keys that a filter speaks of, each once."""
    found: list[str] = []
    fold(condition, lambda leaf: found.append(leaf.key), lambda _word, _parts: None)
    return list(dict.fromkeys(found))


def scalar(value: object) -> Value | None:
    """Return a value with its kind; None for what is none: null, NaN, a list, an object."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (datetime.date, datetime.datetime)):
        value = written(value)
    kind = KINDS.get(type(value))
    if kind is None or not isinstance(value, (str, bool, int, float)):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else (kind, value)


def written(day: datetime.date) -> str:
    """Return a date as text, as ISO 8601 has it; one with a time zone in UTC, whose sign is Z."""
    if isinstance(day, datetime.datetime) and day.tzinfo is not None:
        return day.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    return day.isoformat()


def _above(low: Value | None, high: Value | None, is_open: bool) -> bool:
    """Say whether the second is at or above the first; None is no bound, and kinds do not compare."""
    if low is None or high is None:
        return True
    if low[0] != high[0]:
        return False
    return low[1] < high[1] if is_open else low[1] <= high[1]  # type: ignore[operator]


def _filter(name: str, where: object, depth: int) -> Filter:
    if not isinstance(where, Mapping) or not where:
        raise ValueError(f"{name} must be a dict of keys and conditions, at least one, got {where!r:.100}")
    if not depth:
        raise ValueError(f"where must not be nested deeper than {DEEPEST}")
    return _all(part for key, wanted in where.items() for part in _condition(name, key, wanted, depth))


def _condition(name: str, key: object, wanted: object, depth: int) -> Iterator[Filter]:
    place = f"{name}[{key!r}]"
    if not isinstance(key, str) or not key or "\0" in key:
        raise ValueError(f"{name} must have strings as keys, of at least one character, got {key!r}")
    if key in ("$and", "$or"):
        if not isinstance(wanted, (list, tuple)) or not wanted:
            raise ValueError(f"{place} must be a list of filters, at least one, got {wanted!r:.100}")
        parts = [_filter(f"{place}[{n}]", part, depth - 1) for n, part in enumerate(wanted)]
        yield _all(parts) if key == "$and" else AnyOf(tuple(sorted(set(parts), key=repr)))
    elif key == "$not":
        yield Not(_filter(place, wanted, depth - 1))
    elif key.startswith("$"):
        raise ValueError(f"{name} has no operator {key!r}; beside keys there are $and, $or, $not")
    elif isinstance(wanted, Mapping):
        yield from _operators(place, key, wanted)
    else:
        yield _one_of(place, key, wanted)


def _operators(place: str, key: str, wanted: Mapping[Any, Any]) -> Iterator[Filter]:
    if not wanted:
        raise ValueError(f"{place} must be {ACCEPTED}, got {{}}")
    bounds: dict[str, Value] = {}
    for operator, value in wanted.items():
        here = f"{place}[{operator!r}]"
        if operator in ("$eq", "$ne"):
            if isinstance(value, (list, tuple, set, frozenset)):
                raise ValueError(f"{here} must be one value, got {value!r:.100}: use $in, $nin")
            yield _one_of(here, key, value) if operator == "$eq" else Not(_one_of(here, key, value))
        elif operator in ("$in", "$nin"):
            if not isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
                raise ValueError(f"{here} must be a list of values, got {value!r:.100}")
            yield _one_of(here, key, value) if operator == "$in" else Not(_one_of(here, key, value))
        elif operator == "$contains":
            if not isinstance(value, str) or not value:
                raise ValueError(f"{here} must be a text of at least one character, got {value!r:.100}")
            yield Contains(key, value)
        elif operator == "$exists":
            if not isinstance(value, bool):
                raise ValueError(f"{here} must be True or False, got {value!r:.100}")
            yield Exists(key) if value else Not(Exists(key))
        elif operator in ("$gt", "$gte", "$lt", "$lte"):
            bounds[operator] = _bound(here, value)
        else:
            known = "$eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $contains, $exists"
            raise ValueError(f"{place} has no operator {operator!r:.50}; there are {known}")
    if bounds:
        yield _range(place, key, bounds)


def _range(place: str, key: str, bounds: dict[str, Value]) -> Range:
    for pair in (("$gt", "$gte"), ("$lt", "$lte")):
        if pair[0] in bounds and pair[1] in bounds:
            raise ValueError(f"{place} must have either {pair[0]} or {pair[1]}, not both")
    if len({kind for kind, _ in bounds.values()}) > 1:
        raise ValueError(f"{place} must have bounds of one kind, numbers or texts, got both")
    low, high = bounds.get("$gt", bounds.get("$gte")), bounds.get("$lt", bounds.get("$lte"))
    return Range(key, low, high, "$gt" in bounds, "$lt" in bounds)


def _bound(place: str, value: object) -> Value:
    found = scalar(value)
    if found is None or found[0] == "flag":
        raise ValueError(f"{place} must be a finite number, a text or a date, got {value!r:.100}")
    return found


def _one_of(place: str, key: str, wanted: object) -> Filter:
    values = list(wanted) if isinstance(wanted, (list, tuple, set, frozenset, np.ndarray)) else [wanted]
    if not values:
        raise ValueError(f"{place} must have at least one value, got {wanted!r}")
    checked = {scalar(value) for value in values if value is not None}
    if None in checked:
        raise ValueError(f"{place} must be {ACCEPTED}, got {wanted!r:.100}")
    parts: list[Filter] = [Not(Exists(key))] if any(value is None for value in values) else []
    if checked:
        found = sorted((value for value in checked if value is not None), key=repr)
        parts.insert(0, OneOf(key, tuple(found)))
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _all(parts: Iterable[Filter]) -> Filter:
    found = sorted(set(parts), key=repr)
    return found[0] if len(found) == 1 else All(tuple(found))
