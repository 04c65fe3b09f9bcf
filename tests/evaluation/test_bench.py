"""`coverset bench` times every decoder on a store, in one run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from coverset import NNN, Retriever
from coverset.encoders.precomputed import Precomputed
from coverset.evaluation.peers import VIOLATION, _violation, solvers
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


def test_peers_that_are_installed_are_timed_beside(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    store = Retriever.open(tmp_path / "s.cover", encoder=Precomputed(16))
    store.add({"id": str(i), "text": f"t{i}", "vector": rng.standard_normal(16)} for i in range(60))
    done = run(tmp_path / "s.cover", "--queries", 4, "--repeats", 2, "--peers", "--json", command="bench")
    times = {row["decoder"]: row for row in json.loads(done.stdout)}
    nets = f"elastic net to {VIOLATION:g}"
    assert {"Dense", "FAISS flat", "FAISS HNSW", f"scikit-learn, {nets}", "pyversity, MMR of 60"} <= set(times)
    assert all(row["milliseconds"] > 0 for row in times.values())
    assert times["FAISS flat"]["passes"] is None


def test_solvers_are_only_timed_once_they_are_as_exact_as_we_are() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((80, 12)).astype(np.float32)
    query = rng.standard_normal(12).astype(np.float32)
    answer = NNN(l1=0.1, l2=0.1).decode(query, rows, k=None)
    weights = np.zeros(80)
    weights[answer.ids] = answer.weights
    assert _violation(rows.T.astype(float), query.astype(float), weights, 0.1, 0.1) < VIOLATION
    assert _violation(rows.T.astype(float), query.astype(float), 0.9 * weights, 0.1, 0.1) > VIOLATION
    assert solvers(rows, query, 0.1, 0.1)["scikit-learn"] > 0
