"""How much work an answer takes, counted and not timed: rows read, over fixed corpora."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from coverset import NNN, Dense, MemoryIndex
from coverset.indexes.memory.bounds import Bounds
from coverset.indexes.memory.scan import scan
from tests.conftest import clustered, unit

DOCUMENTS, QUERIES = 70_000, 16


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the rows of every pass, for all queries at once, and those that are read for one query by itself."""
    counts: Counter[str] = Counter()

    def passed(index: Any, *arguments: Any, **options: Any) -> Any:
        step = arguments[4] if len(arguments) > 4 else 1
        counts["rows passed"] += -(-len(index) // step)
        return scan(index, *arguments, **options)

    def read(bounds: Bounds, rows: Any, step: int, batch: Any, residuals: Any, turned: Any, lowest: Any) -> Any:
        within = [bounds.codes[q] > known.cut for q, known in zip(batch, turned, strict=True)]
        counts["rows read"] += int(np.sum(within))
        return asked(bounds, rows, step, batch, residuals, turned, lowest)

    asked = Bounds.read
    monkeypatch.setattr("coverset.indexes.memory.index.scan", passed)
    monkeypatch.setattr("coverset.indexes.memory.screened.scan", passed)
    monkeypatch.setattr(Bounds, "read", read)
    return counts


def corpora() -> dict[str, tuple[Any, Any]]:
    rng = np.random.default_rng(0)
    return {
        "alike": clustered(DOCUMENTS, 192, QUERIES, seed=1),
        "random": (unit(rng.standard_normal((DOCUMENTS, 192))), unit(rng.standard_normal((QUERIES, 192)))),
    }


# Passes, and reads of single rows for a query, that are allowed, both in corpora: what was measured.
MOST = {
    ("alike", "dense"): (1.0, 0.0),
    ("alike", "default"): (1.0, 0.0),
    ("alike", "sparse"): (2.2, 0.05),
    ("alike", "large support"): (2.2, 0.1),
    ("random", "dense"): (1.0, 0.0),
    ("random", "default"): (1.0, 0.0),
    ("random", "sparse"): (2.0, 0.05),
}
DECODERS = {
    "dense": Dense(),
    "default": NNN(),
    "sparse": NNN(l1=0.1, l2=0.1),
    "large support": NNN(l1=0.1, l2=10.0),
}


@pytest.mark.parametrize(("kind", "name"), MOST)
def test_no_more_of_the_corpus_is_read_than_was(kind: str, name: str, counted: Counter[str]) -> None:
    corpus, queries = corpora()[kind]
    index = MemoryIndex(corpus)
    index.crowding  # noqa: B018  a sample of the corpus, which is looked at once
    DECODERS[name].decode_batch(queries, index)
    passes = counted["rows passed"] / DOCUMENTS
    reads = counted["rows read"] / DOCUMENTS / QUERIES
    print(f"{kind}, {name}: {passes:.2f} passes, {reads:.2f} of the rows read again for a query")
    most_passes, most_reads = MOST[kind, name]
    assert passes <= most_passes
    assert reads <= most_reads
