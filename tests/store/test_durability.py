"""What a store has acknowledged it keeps, through kill -9; what it has not, it keeps whole or not at all."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import NNN, Dense, Retriever
from tests.store.history import Writer, contents, found
from tests.store.words import Words

WRITES, KILLS = 200, 15
# After how many more writes each writer is killed, at the latest; the last one may finish.
STRIDE = WRITES // (KILLS + 1)


def check_search(store: Retriever, documents: dict[str, tuple[str, dict[str, Any]]]) -> None:
    """Hold searches against the decoder over vectors made afresh from the texts that should be there."""
    ids = sorted(documents)
    corpus = Words().encode([documents[i][0] for i in ids])
    for text in ("red fox swims", "green frog sleeps"):
        query = Words().encode([text])[0]
        dense = store.search(text, k=3, decoder=Dense())
        scores = np.sort(corpus @ query)[::-1]
        assert [hit.weight for hit in dense] == pytest.approx(scores[:3].tolist(), abs=1e-5)
        expected = NNN(l1=0.1, l2=0.5).decode(query, corpus, k=3)
        assert [hit.id for hit in store.search(text, k=3, decoder=NNN(l1=0.1, l2=0.5))] == [
            ids[i] for i in expected.ids
        ]


def test_kill_9_at_any_moment_loses_nothing_acknowledged(tmp_path: Path) -> None:
    rng, folder = random.Random(0), tmp_path / "s.cover"
    Retriever.open(folder, encoder=Words())
    applied = kills = unacknowledged = 0
    following = Writer(folder)
    while applied < WRITES:
        writer, following = following, Writer(folder)
        first = applied
        victim = rng.randrange(STRIDE) if kills < KILLS else WRITES
        writer.start(first, WRITES)
        for n in writer.acknowledged():
            applied = n + 1
            if n - first >= victim:
                time.sleep(rng.random() * 0.15)
                break
        applied = max([applied, *(n + 1 for n in writer.kill())])
        kills += applied < WRITES
        there = found(Retriever.open(folder, encoder=Words(), create=False))
        assert there in (contents(applied), contents(applied + 1)), f"after {applied} acknowledged writes"
        if there != contents(applied):
            applied, unacknowledged = applied + 1, unacknowledged + 1
        check_search(Retriever.open(folder, encoder=Words()), there)
    following.kill()
    assert kills == KILLS
    assert unacknowledged, "no kill fell into a write: the test has not tested what it should"
