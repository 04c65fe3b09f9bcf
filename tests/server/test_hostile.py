"""Whatever is thrown at the service, it answers with a clear 4xx, and goes on."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server.conftest import Server

JSON = {"Content-Type": "application/json"}


def nested(depth: int) -> dict[str, Any]:
    """Return a dict in a dict, so many in all."""
    return {"a": nested(depth - 1)} if depth > 1 else {}


def raw(server: Server, request: bytes) -> bytes:
    """Send bytes as they are, and return the answer."""
    address = urlsplit(server.address)
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


@pytest.fixture(autouse=True)
def goes_on(scratch: Server) -> Iterator[None]:
    """After each of these, the service is as well as before, and no failure is in its log."""
    yield
    with scratch.client() as client:
        assert client.post("/v1/search", json={"query": "sort", "k": 1}).status_code == 200
    assert not [line for line in scratch.lines() if line["level"] == "error"]


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (b'{"query": "x", "l1": NaN}', 400, "must be JSON"),
        (b'{"query": "x", "l1": Infinity}', 400, "must be JSON"),
        (b'{"query": "x", "l1": -Infinity}', 400, "must be JSON"),
        (b'{"query": "x", "l1": 1e999}', 422, "body.l1"),
        (b'{"query": "x", "k": 1e999}', 422, "body.k"),
        (b'{"query": "x", "k": ' + b"9" * 5000 + b"}", 400, "must be JSON"),
        (b'{"query": "x", "k": true}', 422, "body.k"),
        (b'{"query": "x", "k": 5.5}', 422, "body.k"),
        (b'{"query": ["x"]}', 422, "body.query"),
        (b'{"query": {"$gt": ""}}', 422, "body.query"),
        (b'{"query": null}', 422, "body.query"),
        (b"[" * 60_000, 400, "nested too deeply"),
        (b'{"query": "x", "where": ' + b'{"a":' * 12_000 + b"1" + b"}" * 12_000 + b"}", 400, "nested too deeply"),
        (b'{"query": "x", "where": {"a": [[1]]}}', 422, "where['a']"),
        (b'{"query": "x", "where": ["a"]}', 422, "body.where"),
        (b'{"query": "x", "where": {"a": {"$where": "1"}}}', 422, "where['a']"),
        (b'{"query": "\\ud800"}', 400, "must be JSON"),
        (b'{"query": "\xff\xfe"}', 400, "must be JSON"),
        (b'{"query": "x", "where": {"\\udfff": 1}}', 400, "must be JSON"),
        (b'{"query": "x"', 400, "must be JSON"),
        (b"", 422, "body: Field required"),
        (b"null", 422, "body"),
        (b'"x"', 422, "body"),
        (b"query=x", 400, "must be JSON"),
    ],
)
def test_a_bad_body_gets_a_clear_4xx(writer: httpx.Client, content: bytes, status: int, message: str) -> None:
    response = writer.post("/v1/search", content=content, headers=JSON)
    assert response.status_code == status, response.text
    assert message in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({"id": "x" * 513, "text": "x"}, 422),
        ({"id": "x", "text": "x" * 100_001}, 413),
        ({"id": "x", "text": "\ud800"}, 400),
        ({"id": "\udc00", "text": "x"}, 400),
        ({"id": "x", "text": "x", "meta": {"a": "\ud800"}}, 400),
        ({"id": "x", "text": "x", "meta": []}, 422),
        ({"id": "x", "text": "x", "meta": nested(256)}, 422),
        ({"id": "x", "text": "x", "meta": nested(65)}, 422),
        ({"id": "x", "text": "x", "vector": [1.0]}, 422),
        ({"id": 7, "text": "x"}, 422),
    ],
)
def test_a_bad_document_gets_a_clear_4xx_and_is_not_written(
    writer: httpx.Client, document: dict[str, Any], status: int
) -> None:
    before = writer.get("/v1/store").json()
    response = writer.post("/v1/documents", content=json.dumps({"documents": [document]}), headers=JSON)
    assert response.status_code == status, response.text
    assert writer.get("/v1/store").json() == before


def test_a_document_as_deep_as_is_accepted_comes_back_in_every_answer(writer: httpx.Client) -> None:
    document = {"id": "deep", "text": "A deep sea trench.", "meta": nested(64)}
    assert writer.post("/v1/documents", json={"documents": [document]}).status_code == 200
    asked = {"query": "trench", "k": 1}
    found = writer.post("/v1/search", json={**asked, "explain": True}).json()["hits"]
    batch = writer.post("/v1/search/batch", json={"queries": ["trench"], "k": 1}).json()["answers"][0]["hits"]
    assert [hit["meta"] for hit in found + batch] == 2 * [document["meta"]]
    assert writer.get("/v1/documents/deep").json() == document
    assert writer.post("/v1/compare", json=asked).status_code == 200
    assert writer.delete("/v1/documents/deep").status_code == 200


def test_nothing_can_be_injected_through_where(writer: httpx.Client) -> None:
    for value in ("0' OR '1'='1", "0) OR 1=1 --", "*", "%", "0; DROP TABLE documents", "${n}", "{{n}}"):
        for where in ({"n": value}, {value: 0}):
            answer = writer.post("/v1/search", json={"query": "sort", "where": where})
            assert answer.status_code in (200, 422)
            assert answer.json().get("hits", []) == []


def test_100_megabytes_are_turned_away_with_413(writer: httpx.Client, scratch: Server) -> None:
    megabyte = b"x" * 2**20
    declared = writer.post("/v1/documents", content=megabyte * 100, headers=JSON)
    assert (declared.status_code, declared.json()["error"]["code"]) == (413, "too_large")
    streamed = writer.post("/v1/documents", content=(megabyte for _ in range(100)), headers=JSON)
    assert (streamed.status_code, streamed.json()["error"]["code"]) == (413, "too_large")


def test_a_body_that_never_comes_ends_with_408(tools: Any) -> None:
    impatient = Server(tools, "--timeout", "0.5")
    try:
        address = urlsplit(impatient.address)
        with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
            head = f"POST /v1/search HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
            connection.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
            start = time.monotonic()
            answer = connection.recv(65536)
        assert b" 408 " in answer.splitlines()[0]
        assert time.monotonic() - start < 10
    finally:
        impatient.stop()


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py",
        "/static/..%2fsettings.py",
        "/static/%2e%2e/%2e%2e/retriever.py",
        "/static//etc/passwd",
        "/../../../../etc/passwd",
        "/static/style.css%00.js",
        "/v1/documents/..%2f..%2f..%2fetc%2fpasswd",
    ],
)
def test_no_path_leads_out_of_the_page(scratch: Server, path: str) -> None:
    host = urlsplit(scratch.address).netloc
    answer = raw(scratch, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert answer.split()[1] in (b"404", b"400")
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize(
    "request_line",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"GET " + b"/x" * 35_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_not_http_is_answered_with_400(scratch: Server, request_line: bytes) -> None:
    answer = raw(scratch, request_line)
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_other_methods_and_types_are_refused(writer: httpx.Client) -> None:
    assert writer.get("/v1/search").status_code == 405
    assert writer.request("TRACE", "/v1/store").status_code == 405
    text = writer.post("/v1/search", content='{"query": "x"}', headers={"Content-Type": "text/plain"})
    assert text.status_code == 422
    assert writer.get("/v1/nothing").json()["error"]["code"] == "not_found"


def test_another_sites_page_gets_nothing_through_the_users_browser(writer: httpx.Client) -> None:
    rebound = writer.post("/v1/search", json={"query": "x"}, headers={"Host": "evil.example"})
    foreign = writer.post("/v1/search", json={"query": "x"}, headers={"Origin": "https://evil.example"})
    opaque = writer.post("/v1/search", json={"query": "x"}, headers={"Origin": "null"})
    neighbour = writer.post("/v1/search", json={"query": "x"}, headers={"Origin": "http://127.0.0.1:1"})
    for response in (rebound, foreign, opaque, neighbour):
        assert (response.status_code, response.json()["error"]["code"]) == (403, "another_site")
        assert "access-control-allow-origin" not in response.headers
    own = str(writer.base_url).rstrip("/")
    assert writer.post("/v1/search", json={"query": "x"}, headers={"Origin": own}).status_code == 200
