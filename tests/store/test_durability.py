"""What a store has acknowledged it keeps, through kill -9; what it has not, it keeps whole or not at all."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from coverset import NNN, Dense, Retriever
from coverset.encoders.words import Analyser
from tests.store.history import Writer, contents, found
from tests.store.words import Words

WRITES, KILLS = 200, 15
# After how many more writes each writer is killed, at the latest; the last one may finish.
STRIDE = WRITES // (KILLS + 1)


def check_search(store: Retriever, documents: dict[str, tuple[str, dict[str, Any]]]) -> None:
    """Hold searches against the decoder over words and meanings made afresh from the texts to be there."""
    ids, asked = sorted(documents), ["red fox swims", "green frog sleeps"]
    texts = [documents[i][0] for i in ids]
    words = TfidfVectorizer(analyzer=Analyser("english").terms, sublinear_tf=True).fit(texts)
    meanings, spoken = Words().encode(texts + asked), words.transform(texts + asked).toarray()
    for share in (0.0, 0.5):
        rows = np.hstack([np.sqrt(1 - share) * meanings, np.sqrt(share) * spoken]).astype(np.float32)
        corpus = rows[: len(ids)]
        for text, query in zip(asked, rows[len(ids) :], strict=True):
            dense = store.search(text, k=3, share=share, decoder=Dense(distinct=False))
            scores = np.sort(corpus @ query)[::-1]
            assert [hit.weight for hit in dense] == pytest.approx(scores[:3].tolist(), abs=1e-5)
            decoder = NNN(l1=0.1, l2=0.5, distinct=False)
            found = store.search(text, k=3, share=share, decoder=decoder)
            assert [hit.id for hit in found] == [ids[i] for i in decoder.decode(query, corpus, k=3).ids]


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
