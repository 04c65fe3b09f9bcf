"""Documents go in, come out and go away over HTTP; the default decoder can be set and tuned."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from typer.testing import CliRunner

from coverset import NNN, Retriever
from coverset.commands import app
from tests.server.conftest import Server


def put(client: httpx.Client, *documents: dict[str, Any]) -> dict[str, Any]:
    response = client.post("/v1/documents", json={"documents": list(documents)})
    assert response.status_code == 200, response.text
    changed: dict[str, Any] = response.json()
    return changed


def test_a_document_is_there_once_its_write_is_acknowledged_and_gone_once_its_deletion_is(
    writer: httpx.Client,
) -> None:
    before = writer.get("/v1/store").json()
    document = {"id": "fft", "text": "Fourier transform of a signal.", "meta": {"tags": ["a", 1, None]}}
    assert put(writer, document) == {"changed": 1, "documents": before["documents"] + 1}
    assert writer.get("/v1/documents/fft").json() == document
    assert writer.post("/v1/search", json={"query": "Fourier", "k": 1}).json()["hits"][0]["id"] == "fft"
    assert put(writer, document)["changed"] == 0
    put(writer, {**document, "text": "Spectrum of a signal."})
    assert writer.get("/v1/documents/fft").json()["text"] == "Spectrum of a signal."
    assert writer.get("/v1/store").json()["version"] > before["version"]
    assert writer.delete("/v1/documents/fft").json() == {"changed": 1, "documents": before["documents"]}
    for method in ("GET", "DELETE"):
        response = writer.request(method, "/v1/documents/fft")
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


def test_many_documents_are_deleted_at_once(writer: httpx.Client) -> None:
    documents = [{"id": f"many{n}", "text": f"text number {n}"} for n in range(3)]
    put(writer, *documents)
    body = {"ids": ["many0", "many1", "many2", "never there"]}
    assert writer.post("/v1/documents/delete", json=body).json()["changed"] == 3


@pytest.mark.parametrize(
    "name",
    [
        "a/b/c",
        "/etc/passwd",
        "x/../../etc/passwd",
        "%2e%2e%2fsecret",
        "..\\windows",
        "'; DROP TABLE documents; --",
        "a' OR id != '",
        "ünïcödé 🦜 \u202e\u0301",
        "null\x00byte",
        "line\nbreak",
        "?query#fragment&x=1",
        " ",
        "x" * 512,
    ],
)
def test_an_id_is_data_whatever_is_in_it(writer: httpx.Client, name: str) -> None:
    count = writer.get("/v1/store").json()["documents"]
    document = {"id": name, "text": "A document with an odd id.", "meta": {}}
    assert put(writer, document)["documents"] == count + 1
    address = f"/v1/documents/{quote(name, safe='')}"
    assert writer.get(address).json() == document
    assert writer.delete(address).json() == {"changed": 1, "documents": count}


def test_a_batch_with_one_bad_document_writes_none(writer: httpx.Client) -> None:
    count = writer.get("/v1/store").json()["documents"]
    for bad in ({"id": "bad", "text": " "}, {"id": "", "text": "x"}, {"id": "good", "text": "twice"}, {"id": "b"}):
        response = writer.post("/v1/documents", json={"documents": [{"id": "good", "text": "Good."}, bad]})
        assert response.status_code == 422, response.text
    assert writer.get("/v1/store").json()["documents"] == count


def test_the_default_decoder_is_set_for_everyone_and_kept(writer: httpx.Client, scratch: Server) -> None:
    assert writer.get("/v1/default").json()["decoder"] == "nnn"
    assert writer.put("/v1/default", json={"decoder": "nnn", "l1": 0.07, "l2": 0.2}).status_code == 200
    assert Retriever.open(scratch.store).decoder == NNN(l1=0.07, l2=0.2)
    assert writer.put("/v1/default", json={"decoder": "mmr", "relevance": 0.3}).json()["relevance"] == 0.3
    assert writer.get("/v1/store").json()["configured"] is True
    assert writer.post("/v1/search", json={"query": "sort"}).json()["certified"] is None
    told = "the decoder 'mmr' has no l1; it has relevance"
    answer = writer.post("/v1/search", json={"query": "sort", "l1": 0.1})
    assert (answer.status_code, answer.json()["error"]["message"]) == (422, told)
    asked = writer.post("/v1/search", json={"query": "sort the rows", "relevance": 0.9}).json()
    alone = CliRunner().invoke(
        app, ["search", str(scratch.store), "sort the rows", "--relevance", "0.9", "--json"]
    )
    assert [h["id"] for h in json.loads(alone.stdout)["hits"]] == [h["id"] for h in asked["hits"]]
    assert told in CliRunner().invoke(app, ["search", str(scratch.store), "sort", "--l1", "0.1"]).stderr
    refused = writer.put("/v1/default", json={"decoder": "dense", "l1": 0.1})
    assert (refused.status_code, refused.json()["error"]["message"]) == (422, "the decoder 'dense' has no l1")
    writer.put("/v1/default", json={"decoder": "nnn"})


def test_a_default_that_cannot_be_certified_is_answered_without_a_gap(
    writer: httpx.Client, scratch: Server
) -> None:
    store = Retriever.open(scratch.store)
    store.configure(NNN(l1=0.05, l2=0.1, candidates=2))
    answer = writer.post("/v1/search", json={"query": "sort", "k": 2}).json()
    assert (answer["certified"], answer["gap"], len(answer["hits"])) == (False, None, 2)
    assert writer.post("/v1/compare", json={"query": "sort", "path": True}).json()["answers"]["nnn"]["gap"] is None
    store.configure(NNN())


def test_tuning_finds_a_setting_by_examples_and_applies_it_when_told(
    writer: httpx.Client, scratch: Server
) -> None:
    body = {"examples": [{"query": "sort the rows, then round", "relevant": ["d1", "d2"]}]}
    tuned = writer.post("/v1/default/tune", json=body).json()
    assert tuned["applied"] is False
    assert tuned["comp_at_5"] == tuned["default_comp_at_5"] == tuned["default_recall_at_5"] == 1.0
    assert (tuned["gain"], tuned["gain_level"]) == (0.0, 0.8)
    assert -1.0 <= tuned["gain_low"] <= 0.0 <= tuned["gain_high"] <= 1.0
    assert Retriever.open(scratch.store).decoder == NNN()
    applied = writer.post("/v1/default/tune", json={**body, "apply": True}).json()
    assert writer.get("/v1/default").json() == applied["best"]
    missing = writer.post("/v1/default/tune", json={"examples": [{"query": "x", "relevant": ["nowhere"]}]})
    assert missing.status_code == 422
    assert "'nowhere' is not" in missing.json()["error"]["message"]
    writer.put("/v1/default", json={"decoder": "nnn"})
