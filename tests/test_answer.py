"""An answer tells what is known about it, and tells it truly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import nnls

from coverset import MMR, NNN, Dense, Retriever
from coverset.decoders.kinds import ALIKE
from coverset.decoders.nearest import Nearest
from coverset.decoders.registry import from_setting
from coverset.decoders.strength import strengths
from coverset.encoders.function import FunctionEncoder
from coverset.encoders.precomputed import Precomputed
from tests.conftest import clustered


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    corpus, _ = clustered(300, 16, 1, seed=7)
    folder: Path = tmp_path_factory.mktemp("answers") / "s.cover"
    made = Retriever.open(folder, encoder=Precomputed(16))
    made.add({"id": f"d{n:03}", "text": f"text {n}", "vector": row} for n, row in enumerate(corpus))
    return made


QUERY = clustered(300, 16, 1, seed=7)[1][0]


@pytest.mark.parametrize("decoder", [NNN(l1=0.05, l2=0.1), NNN(), Dense(), MMR()])
def test_scores_and_what_is_covered_are_those_of_least_squares(
    store: Retriever, decoder: NNN | Dense | MMR
) -> None:
    answer = store.answer(QUERY, 6, decoder=decoder)
    query = QUERY.astype(float) / np.linalg.norm(QUERY.astype(float))
    rows = np.stack([store.snapshot().vector(hit.id) for hit in answer.hits]).astype(float)
    assert answer.covered == pytest.approx(1 - nnls(rows.T, query)[1] ** 2, abs=1e-5)
    for hit, row in zip(answer.hits, rows, strict=True):
        assert hit.score == pytest.approx(1 - nnls(row[:, None], query)[1] ** 2, abs=1e-5)
    assert store.search(QUERY, 6, decoder=decoder) == answer.hits
    assert answer.version == store.snapshot().version
    assert answer.certified is (True if isinstance(decoder, NNN) else None)


def test_reasons_are_there_when_asked_for_and_do_not_change_the_answer(store: Retriever) -> None:
    plain, explained = (store.answer(QUERY, 6, explain=wanted) for wanted in (False, True))
    assert [(hit.id, hit.weight) for hit in plain.hits] == [(hit.id, hit.weight) for hit in explained.hits]
    assert {hit.adds for hit in plain.hits} == {None}
    assert not plain.explained
    assert sum(hit.adds or 0.0 for hit in explained.hits) == pytest.approx(explained.covered)
    assert plain.covered == pytest.approx(explained.covered, abs=1e-6)
    nearest = [hit.id for hit in store.search(QUERY, 6, decoder=Dense())]
    gone = {d.id for hit in explained.hits for d in hit.displaced}
    assert gone == set(nearest) - {hit.id for hit in explained.hits}


def test_the_decoder_is_told_as_it_was_run(store: Retriever) -> None:
    index = store.snapshot().index
    assert index is not None
    (reading,) = store.read([QUERY])
    l1, l2 = strengths(Nearest(index, reading.whole, 20))
    answer = store.answer(QUERY)
    assert answer.decoder == NNN(l1=float(l1[0]), l2=float(l2[0]), distinct=ALIKE)
    assert [hit.id for hit in store.search(QUERY, decoder=answer.decoder)] == [hit.id for hit in answer.hits]
    assert store.answer(QUERY, decoder=MMR(relevance=0.4)).decoder == MMR(relevance=0.4, distinct=ALIKE)


def test_an_answer_is_plain_data_that_json_can_hold(store: Retriever) -> None:
    for decoder in (Dense(), NNN(l1=0.1, l2=0.1, candidates=20)):
        told = json.loads(json.dumps(store.answer(QUERY, decoder=decoder).as_json(), allow_nan=False))
        assert "adds" not in told["hits"][0]
        assert told["gap"] is None
        assert from_setting(told["decoder"]) == replace(decoder, distinct=ALIKE)
    explained = store.answer(QUERY, explain=True).as_json()
    assert {"adds", "place", "displaced"} <= set(explained["hits"][0])
    json.dumps(explained, allow_nan=False)


def test_where_nothing_matches_there_is_an_answer_without_hits(store: Retriever) -> None:
    answer = store.answer(QUERY, where={"nowhere": 1}, explain=True)
    assert (answer.hits, answer.covered, answer.passes, answer.certified) == ([], 0.0, 0, None)


def test_a_document_that_serves_the_whole_request_serves_its_parts(tmp_path: Path) -> None:
    meanings = {"leave": [1.0, 0.0, 0.0], "laptop": [0.0, 1.0, 0.0], "pizza": [0.0, 0.0, 1.0]}
    meanings["leave and laptop"] = [0.6, 0.8, 0.0]
    encoder = FunctionEncoder(lambda texts: [meanings[text] for text in texts], name="office", dim=3)
    store = Retriever.open(tmp_path / "s.cover", encoder=encoder, words=None)
    store.add([{"id": "handbook", "text": "leave and laptop"}, {"id": "laptops", "text": "laptop"}])
    parts = ["leave", "laptop", "pizza"]
    (handbook,) = store.answer("leave and laptop", k=1, decoder=Dense(), parts=parts).hits
    assert handbook.part is None
    told = {n: store.answer("leave and laptop", k=n, decoder=Dense(), parts=parts).parts for n in (1, 2)}
    # Of the whole, and so of both its parts, the handbook explains most; of laptops alone another one does.
    assert [part.served_by for part in told[1]] == [("handbook",), ("handbook",), ()]
    assert [part.served_by for part in told[2]] == [("handbook",), ("laptops",), ()]


def test_with_stated_parts_reasons_are_those_of_the_request_and_its_parts(tmp_path: Path) -> None:
    meanings = {"prepare report": [0.1, 0.0, 0.0, 0.99498744], "read csv": [0.8, 0.6, 0.0, 0.0]}
    meanings |= {"walk dog": [0.0, 0.0, 0.1, 0.99498744], "csv reader": [1.0, 0.0, 0.0, 0.0]}
    meanings |= {"csv table": [0.6, 0.8, 0.0, 0.0], "mail sender": [0.0, 0.0, 1.0, 0.0]}
    encoder = FunctionEncoder(lambda texts: [meanings[text] for text in texts], name="office", dim=4)
    store = Retriever.open(tmp_path / "s.cover", encoder=encoder)
    store.add([{"id": text, "text": text} for text in ("csv reader", "csv table", "mail sender")])
    asked = ["prepare report", "read csv", "walk dog"]
    answer = store.answer(asked[0], k=2, parts=asked[1:], decoder=Dense(), share=0.0, explain=True)
    assert [hit.id for hit in answer.hits] == ["csv table", "csv reader"]
    assert {hit.words for hit in answer.hits} == {("csv",)}
    assert answer.uncovered_words == []
    assert answer.unknown_words == ["prepare", "report", "read", "walk", "dog"]
    rows = np.array([meanings[hit.id] for hit in answer.hits])
    shares = [[1 - nnls(rows[:n].T, np.array(meanings[text]))[1] ** 2 for text in asked] for n in (1, 2)]
    first, both = np.mean(shares, axis=1)
    assert answer.covered == pytest.approx(both, abs=1e-5)
    assert [hit.adds for hit in answer.hits] == pytest.approx([first, both - first], abs=1e-5)
    assert answer.covered == pytest.approx(answer.covered_by_nearest, abs=1e-5)  # the same two are nearest


def test_parts_that_are_told_from_the_text_leave_what_is_covered_to_the_whole(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover")
    store.add([{"id": "csv", "text": "Read the rows of a CSV file."}, {"id": "mail", "text": "Send e-mail."}])
    request = "read the rows of a CSV file, then send an e-mail"
    apart, whole = (store.answer(request, k=2, parts=parts) for parts in ("auto", None))
    assert len(apart.parts) == 2
    assert apart.covered == pytest.approx(whole.covered)
