"""Plain data, and what other libraries hand out: the two kinds of thing whose types are not ours to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

# An object of JSON: names, and whatever JSON can hold.
Json: TypeAlias = dict[str, Any]
# The same where it is only read: metadata, a filter, a document as a dict.
Fields: TypeAlias = Mapping[str, Any]
# An object of a library that comes with an extra, and is imported where it is used: its types are not known here.
Foreign: TypeAlias = Any
