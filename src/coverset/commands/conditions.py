"""`--where` on the command line: conditions as people write them, turned into a filter."""

from __future__ import annotations

import json
import re
from typing import Any

from coverset.plain import Json

# The longest first, as `>=` begins with `>`.
SIGNS = {"!=": "$ne", ">=": "$gte", "<=": "$lte", ">": "$gt", "<": "$lt", "~": "$contains", "=": "$in"}
CONDITION = re.compile(r"([^!<>=~]+)(!=|>=|<=|>|<|~|=)(.*)", re.DOTALL)


def parse_where(conditions: list[str]) -> Json | None:
    """Return conditions as a filter, or None where there are none.

    `key=value`, and a key that occurs again allows one more value; `key!=value`, `key>=value`, `key~text`; or a
    filter as JSON. 2024 is the number and the text, as either may be in a store; "2024" is only the text.
    """
    equal: dict[str, list[Any]] = {}
    others: list[Json] = []
    for condition in conditions:
        if condition.lstrip().startswith("{"):
            others.append(_json(condition))
            continue
        found = CONDITION.fullmatch(condition)
        if found is None:
            raise ValueError(
                f"where must be key=value, or with one of != >= <= > < ~ (contains), or JSON, got {condition!r}"
            )
        key, sign, text = found[1].strip(), found[2], found[3].strip()
        if sign == "=":
            equal.setdefault(key, []).extend(_values(text))
        else:
            others.append(_condition(key, SIGNS[sign], text))
    parts = [*([dict(equal)] if equal else []), *others]
    return None if not parts else parts[0] if len(parts) == 1 else {"$and": parts}


def _condition(key: str, operator: str, text: str) -> Json:
    if operator == "$contains":
        return {key: {operator: text}}
    values = _values(text)
    if operator == "$ne":
        return {key: {"$nin": values}}
    # A bound that is a number holds for the numbers, and as a text for the texts.
    return {"$or": [{key: {operator: value}} for value in values]}


def _values(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    if isinstance(value, str):
        return [value]
    return [value, text] if isinstance(value, (int, float)) else [text]


def _json(text: str) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"where must be key=value or a filter as JSON, got {text!r}: {error}") from error
    return found
