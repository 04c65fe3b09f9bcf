"""`coverset bench` times every decoder on a store, in one run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from coverset import Retriever
from coverset.encoders.precomputed import Precomputed
from tests.evaluation.test_eval import run


def test_every_decoder_is_timed_beside_dense(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    store = Retriever.open(tmp_path / "s.cover", encoder=Precomputed(16))
    store.add({"id": str(i), "text": f"t{i}", "vector": rng.standard_normal(16)} for i in range(150))
    done = run(tmp_path / "s.cover", "--queries", 4, "--repeats", 2, "--json", command="bench")
    assert done.returncode == 0, done.stderr
    found = {timing["decoder"]: timing for timing in json.loads(done.stdout)}
    assert list(found) == ["Dense", "MMR, nearest 100", "NNN()", "NNN, exact", "NNN, FISTA-50", "RRF"]
    dense = found["Dense"]["milliseconds"]
    for timing in found.values():
        assert timing["milliseconds"] > 0
        assert abs(timing["over_dense"] - timing["milliseconds"] / dense) < 1e-6
    assert found["NNN, exact"]["certified"] == 1.0
    assert found["NNN, FISTA-50"]["passes"] == 101
    assert run(tmp_path / "s.cover", "--queries", 0, command="bench").returncode == 2
    assert run(tmp_path / "nowhere", command="bench").returncode == 2
