"""What there is to learn from: a data set's documents, and its train and dev queries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coverset.evaluation.datasets import Split, load
from coverset.lines import FileError


@dataclass(frozen=True)
class Examples:
    """Documents, and labelled queries to train on and to choose by."""

    folder: Path
    documents: list[str]
    train: Split
    dev: Split


def read(folder: Path, held_out: float = 0.0, seed: int = 0) -> Examples:
    """Read a data set's train and dev splits.

    `held_out` keeps queries with that share of the distinct relevant sets out of both, so that a test split
    has queries whose relevant set was never seen: `only` picks them.
    """
    data = load(folder)
    train, dev = data.split("train"), data.split("dev")
    if held_out:
        hidden = hidden_sets(train, held_out, seed)
        train, dev = (without(split, hidden) for split in (train, dev))
        if not train.ids or not dev.ids:
            raise FileError(f"{folder}: nothing is left to train on with {held_out:g} of the sets held out")
    return Examples(folder, data.texts, train, dev)


def hidden_sets(train: Split, share: float, seed: int) -> set[frozenset[int]]:
    """Draw that share of the distinct relevant sets of a split."""
    distinct = sorted({tuple(sorted(rows.tolist())) for rows in train.relevant})
    chosen = np.random.default_rng(seed).permutation(len(distinct))[: round(share * len(distinct))]
    return {frozenset(distinct[row]) for row in chosen}


def without(split: Split, hidden: set[frozenset[int]]) -> Split:
    """Return the queries of a split whose relevant set is not hidden."""
    kept = [row for row, rows in enumerate(split.relevant) if frozenset(rows.tolist()) not in hidden]
    return _pick(split, kept)


def only(split: Split, hidden: set[frozenset[int]]) -> Split:
    """Return the queries of a split whose relevant set is hidden."""
    return _pick(split, [row for row, rows in enumerate(split.relevant) if frozenset(rows.tolist()) in hidden])


def _pick(split: Split, rows: list[int]) -> Split:
    """Return these queries of a split."""
    return Split(
        [split.ids[row] for row in rows],
        [split.texts[row] for row in rows],
        [split.relevant[row] for row in rows],
    )
