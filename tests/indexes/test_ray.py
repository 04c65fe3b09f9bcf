"""Shards on a cluster of two nodes answer as one index does, also when one of them dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import NNN
from coverset.indexes import RayIndex
from tests.indexes.conftest import Text

DECODER = NNN(l1=0.1, l2=0.1)


@pytest.fixture
def index(text: Text, places: Callable[[str], Any]) -> Iterator[RayIndex]:
    made = RayIndex.build(places("ray"), text.corpus, shards=4, columns=text.columns)
    yield made
    made.close()


def assert_same(found: Any, expected: Any) -> None:
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.certified
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=2e-6)
        if theirs.proved:
            assert set(ours.ids.tolist()) == set(theirs.ids.tolist())


def pids(ray: Any, index: RayIndex) -> list[int]:
    return list(ray.get([shard.__ray_call__.remote(lambda _: os.getpid()) for shard in index.shards]))


def test_shards_are_processes_spread_over_both_nodes(cluster: Any, index: RayIndex) -> None:
    asked = [
        shard.__ray_call__.remote(lambda _: cluster.get_runtime_context().get_node_id()) for shard in index.shards
    ]
    assert len(set(cluster.get(asked))) == 2
    assert len(set(pids(cluster, index))) == 4


def test_a_shard_killed_in_a_stream_of_queries_costs_no_answer(cluster: Any, index: RayIndex, text: Text) -> None:
    queries = text.queries[:80]
    expected = DECODER.decode_batch(queries, text.memory)
    before = pids(cluster, index)
    answers: list[Any] = []
    killed = threading.Event()

    def kill() -> None:
        while len(answers) < 20:
            time.sleep(0.001)
        os.kill(before[1], signal.SIGKILL)
        killed.set()

    killer = threading.Thread(target=kill)
    killer.start()
    after_the_kill = 0
    for query in queries:
        answers.append(DECODER.decode(query, index))
        after_the_kill += killed.is_set()
    killer.join()
    assert len(answers) == 80
    assert 0 < after_the_kill < 80
    assert_same(answers, expected)
    after = pids(cluster, index)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, True]


def test_many_queries_are_decoded_over_the_cluster(index: RayIndex, text: Text) -> None:
    found = index.decode(DECODER, text.queries, k=5, batch=50)
    assert_same(found, DECODER.decode_batch(text.queries, text.memory))
    view = index.where({"year": 2021})
    for ours, theirs in zip(
        view.decode(DECODER, text.queries[:10]), DECODER.decode_batch(text.queries[:10], view), strict=True
    ):
        np.testing.assert_array_equal(ours.ids, theirs.ids)


def test_a_round_is_one_question_to_each_shard(
    index: RayIndex, text: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    gather = RayIndex._gather

    def counting(self: RayIndex, question: str, *arguments: Any) -> list[Any]:
        asked.append(question)
        return gather(self, question, *arguments)

    monkeypatch.setattr(RayIndex, "_gather", counting)
    selection = DECODER.decode(text.queries[0], index)
    assert asked == ["search_with_vectors"] * selection.passes


@pytest.fixture
def bucket(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the URL at which an HTTP server on this machine offers it."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield tmp_path, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_shards_fetch_their_parts_from_an_object_store(cluster: Any, bucket: tuple[Path, str], text: Text) -> None:
    assert cluster.is_initialized()
    folder, url = bucket
    RayIndex.build(f"file://{folder}/docs", text.corpus, shards=2, columns=text.columns).close()
    index = RayIndex(f"{url}/docs")
    assert_same(DECODER.decode_batch(text.queries, index), DECODER.decode_batch(text.queries, text.memory))
    expected = RayIndex(folder / "docs").where({"year": 2021}).search(text.queries, 5)
    np.testing.assert_array_equal(index.where({"year": 2021}).search(text.queries, 5)[1], expected[1])
    index.close()
    with pytest.raises(ValueError, match=r"folder must hold a corpus that RayIndex.build wrote"):
        RayIndex(f"{url}/nothing")
    with pytest.raises(
        ValueError, match=r"folder must be a path or a URL that fsspec can open, got 'tape://docs'"
    ):
        RayIndex("tape://docs")


def test_a_folder_that_is_not_finished_is_refused(cluster: Any, tmp_path: Path, text: Text) -> None:
    assert cluster.is_initialized()
    (tmp_path / "vectors-0.npy").touch()
    with pytest.raises(ValueError, match=r"folder must hold a corpus that RayIndex.build wrote"):
        RayIndex(tmp_path)
    with pytest.raises(ValueError, match="folder must be empty or new"):
        RayIndex.build(tmp_path, text.corpus)
