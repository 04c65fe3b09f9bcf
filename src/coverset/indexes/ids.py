"""Ids of an engine's own kind: whole numbers as int64, padded with -1; others as objects, padded with None."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from coverset.arrays import Floats, Ids, Keys, Mask
from coverset.ranking import ascending


def as_ids(values: Sequence[Hashable] | Keys) -> Keys:
    """Return ids as an array: int64 if they are whole numbers, else objects (strings, UUIDs)."""
    array = np.asarray(values) if len(values) else np.empty(0, np.int64)
    if array.dtype.kind in "iu":
        if array.size and (int(array.min()) < 0 or int(array.max()) > np.iinfo(np.int64).max):
            raise ValueError(f"ids must lie between 0 and 2^63 - 1, got {array.min()} to {array.max()}")
        return array.astype(np.int64)
    objects = np.empty(len(values), object)
    objects[:] = list(values)
    return objects


def different(ids: Keys) -> tuple[Keys, Ids]:
    """Return every id once, ascending, and where each of those given stands among them."""
    if ids.dtype != object:
        return np.unique(ids, return_inverse=True)
    once = as_ids(list(dict.fromkeys(ids.tolist())))
    once = once[ascending(once)]
    place = {identifier: n for n, identifier in enumerate(once.tolist())}
    return once, np.array([place[identifier] for identifier in ids.tolist()], np.int64)


def present(ids: Keys) -> Mask:
    """Return where an array of found ids has an id, and not the padding."""
    mask: Mask = ids >= 0 if ids.dtype.kind in "iu" else (ids != np.array(None)).astype(bool)
    return mask


def padded(found: Sequence[tuple[Any, Any]], k: int) -> tuple[Floats, Keys]:
    """Return each query's (scores, ids), which may be shorter than k, as two (B, k) arrays."""
    flat = as_ids([i for _, ids in found for i in ids])
    scores = np.full((len(found), k), -np.inf, np.float32)
    padding = np.full((len(found), k), -1 if flat.dtype.kind == "i" else None, flat.dtype)
    inside = np.arange(k) < np.array([len(ids) for _, ids in found], np.int64)[:, None]
    scores[inside] = np.array([s for row, _ in found for s in row], np.float32)
    padding[inside] = flat
    return scores, padding
