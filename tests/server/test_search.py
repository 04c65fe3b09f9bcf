"""Searching over HTTP gives what the library gives, and says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from scipy.optimize import nnls

from coverset import MMR, NNN, Dense, Retriever
from coverset.decoders import Decoder
from coverset.demo.catalogue import REQUESTS

SINE = REQUESTS[0]


def search(client: httpx.Client, **body: Any) -> dict[str, Any]:
    response = client.post("/v1/search", json={"query": SINE, **body})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.parametrize(
    ("asked", "decoder"),
    [
        ({"decoder": "dense"}, Dense()),
        ({"decoder": "mmr", "relevance": 0.4}, MMR(relevance=0.4)),
        ({"decoder": "nnn", "l1": 0.05, "l2": 0.1}, NNN(l1=0.05, l2=0.1)),
        ({"l1": 0.02}, NNN(l1=0.02)),
        ({}, NNN()),
    ],
)
def test_the_answer_is_the_librarys(
    client: httpx.Client, tools: Path, asked: dict[str, Any], decoder: Decoder
) -> None:
    answer = search(client, k=7, **asked)
    expected = Retriever.open(tools).search(SINE, 7, decoder=decoder)
    assert [hit["id"] for hit in answer["hits"]] == [hit.id for hit in expected]
    np.testing.assert_allclose([h["weight"] for h in answer["hits"]], [h.weight for h in expected], rtol=1e-5)
    assert [(h["text"], h["meta"]) for h in answer["hits"]] == [(h.text, h.meta) for h in expected]
    assert answer["certified"] is (True if isinstance(decoder, NNN) else None)
    told = Retriever.open(tools).answer(SINE, 7, decoder=decoder).as_json()
    assert (answer["decoder"]["name"], answer["version"]) == (type(decoder).__name__, told["version"])
    assert answer["decoder"]["parameters"] == pytest.approx(told["decoder"]["parameters"])


def test_where_narrows_the_search_and_matches_nothing_it_does_not_know(client: httpx.Client) -> None:
    answer = search(client, k=10, where={"module": ["np.fft", "np.random"]})
    assert {hit["meta"]["module"] for hit in answer["hits"]} <= {"np.fft", "np.random"}
    assert len(answer["hits"]) == 10
    assert search(client, where={"module": "' OR 1=1 --"})["hits"] == []
    assert search(client, where={"nothing": {"$exists": True}})["hits"] == []


def test_a_batch_is_its_queries_one_by_one(client: httpx.Client) -> None:
    body = {"queries": list(REQUESTS), "k": 4, "l1": 0.05, "l2": 0.1, "explain": True}
    answers = client.post("/v1/search/batch", json=body).json()["answers"]
    assert len(answers) == len(REQUESTS)
    for request, answer in zip(REQUESTS, answers, strict=True):
        alone = search(client, query=request, k=4, l1=0.05, l2=0.1, explain=True)
        assert [h["id"] for h in answer["hits"]] == [h["id"] for h in alone["hits"]]
        assert [h["reason"]["displaced"] for h in answer["hits"]] == [
            h["reason"]["displaced"] for h in alone["hits"]
        ]


def test_an_explanation_says_what_each_document_adds_and_what_was_left_out(
    client: httpx.Client, tools: Path
) -> None:
    answer = search(client, l1=0.05, l2=0.1, explain=True, parts=None)
    snapshot = Retriever.open(tools).snapshot()
    query = Retriever.open(tools).query_vectors([SINE])[0].astype(float)
    rows = np.stack([snapshot.vector(hit["id"]) for hit in answer["hits"]]).astype(float)
    shares = [1 - nnls(rows[:n].T, query)[1] ** 2 for n in range(1, len(rows) + 1)]
    np.testing.assert_allclose(np.cumsum([h["reason"]["adds"] for h in answer["hits"]]), shares, atol=1e-5)
    deep = [snapshot.ids[row] for row in np.argsort(-(snapshot.contents.vectors @ query), kind="stable")]
    nearest = deep[: len(rows)]
    chosen = [hit["id"] for hit in answer["hits"]]
    displaced = {d["id"]: hit["id"] for hit in answer["hits"] for d in hit["reason"]["displaced"]}
    assert set(displaced) == {i for i in nearest if i not in chosen} != set()
    for gone, like in displaced.items():
        cosines = {i: float(snapshot.vector(i) @ snapshot.vector(gone)) for i in chosen}
        assert cosines[like] == pytest.approx(max(cosines.values()), abs=1e-6)
    places = {hit["id"]: hit["reason"]["place"] for hit in answer["hits"]}
    assert all(deep.index(i) + 1 == place for i, place in places.items())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"decoder": "dense", "l1": 0.1}, "the decoder 'dense' has no l1"),
        ({"decoder": "nnn", "relevance": 0.5}, "the decoder 'nnn' has no relevance"),
        ({"l1": 0, "l2": 0}, "must not both be 0"),
        ({"l1": 0.0001, "l2": 0.0001}, "l1 + l2 must be at least 0.001"),
        ({"l1": -1}, "body.l1: Input should be greater than or equal to 0"),
        ({"k": 0}, "body.k"),
        ({"k": 101}, "less than or equal to 100"),
        ({"k": "5 "}, "body.k"),
        ({"lambda": 1}, "body.lambda: Extra inputs are not permitted"),
        ({"decoder": "bm25"}, "body.decoder: Input should be 'nnn', 'dense', 'mmr' or 'rrf'"),
        ({"query": ""}, "body.query"),
        ({"query": " \n"}, "query must not be empty"),
        ({"query": "x" * 2001}, "at most 2000 characters"),
        ({"where": "lang = 'py'"}, "body.where"),
        ({"where": {"lang": {"$like": 1}}}, "where['lang'] has no operator '$like'"),
    ],
)
def test_a_request_that_is_wrong_is_told_how(client: httpx.Client, body: dict[str, Any], message: str) -> None:
    response = client.post("/v1/search", json={"query": SINE, **body})
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "invalid"
    assert message in response.json()["error"]["message"]
