"""Models behind an OpenAI-compatible API, against a server on this machine that speaks HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import Dense, Retriever
from coverset.encoders import load_encoder, openai
from coverset.encoders.openai import OpenAIEncoder
from tests.store.words import Words


class Api(ThreadingHTTPServer):
    """The embeddings endpoint; `troubles` are answers that come before the right ones."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.troubles: list[tuple[int, dict[str, str], bytes]] = []
        self.requests: list[tuple[dict[str, Any], str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Api

    def do_POST(self) -> None:
        assert self.path == "/v1/embeddings"
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((asked, self.headers["Authorization"]))
        if self.server.troubles:
            self.answer(*self.server.troubles.pop(0))
            return
        vectors = 3 * Words().encode(asked["input"])[:, : asked.get("dimensions", 16)]
        items = [{"object": "embedding", "index": n, "embedding": v.tolist()} for n, v in enumerate(vectors)]
        # The order is nowhere promised.
        self.answer(200, {}, json.dumps({"object": "list", "data": items[::-1], "model": asked["model"]}).encode())

    def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    with Api() as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
        yield server
        server.shutdown()
        thread.join()


def test_vectors_come_in_the_order_of_the_texts_in_batches_and_unit(api: Api) -> None:
    encoder = OpenAIEncoder("some-model", dim=16, batch=2)
    texts = ["red fox", "blue whale", "green frog"]
    np.testing.assert_allclose(encoder.encode(texts), Words().encode(texts), atol=1e-6)
    np.testing.assert_allclose(encoder.encode_queries(texts[:1]), Words().encode(texts[:1]), atol=1e-6)
    asked = [request for request, _ in api.requests]
    assert [len(request["input"]) for request in asked] == [2, 1, 1]
    assert asked[0] == {"model": "some-model", "input": texts[:2], "encoding_format": "float", "dimensions": 16}
    assert {key for _, key in api.requests} == {"Bearer secret-key"}


def test_the_width_of_an_unknown_model_is_asked_for(api: Api) -> None:
    assert OpenAIEncoder("some-model").dim == 16
    assert "dimensions" not in api.requests[0][0]
    assert OpenAIEncoder("text-embedding-3-small").dim == 1536
    assert len(api.requests) == 1


def test_a_store_made_with_it_opens_by_its_name(api: Api, tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", encoder="openai:some-model")
    store.add([{"id": "a", "text": "red fox"}, {"id": "b", "text": "blue whale"}])
    again = Retriever.open(tmp_path / "s.cover")
    assert again.encoder_name == "openai:some-model"
    assert again.search("whale", k=1, decoder=Dense())[0].id == "b"
    assert b"secret-key" not in b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_what_fails_in_passing_is_tried_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(openai.time, "sleep", pauses.append)
    encoder = OpenAIEncoder("some-model", dim=16)
    api.troubles = [
        (429, {"Retry-After": "7"}, b""),
        (503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b""),
        (500, {"Retry-After": "86400"}, b""),
    ]
    np.testing.assert_allclose(encoder.encode(["red"]), Words().encode(["red"]), atol=1e-6)
    assert pauses == [7.0, 1.0, 60.0]


@pytest.mark.parametrize(
    ("trouble", "message", "requests"),
    [
        ((401, {}, b'{"error": {"message": "Incorrect API key"}}'), "answers with 401: .*Incorrect API key", 1),
        ((503, {}, b"busy"), "answers with 503: busy", 3),
        ((200, {}, b"<html>"), "something else than 1 embeddings: <html>", 1),
        ((200, {}, b'{"data": []}'), "something else than 1 embeddings", 1),
        (
            (200, {}, b'{"data": [{"index": 0, "embedding": [1, 2]}]}'),
            r"must have shape \(1, 16\), got \(1, 2\)",
            1,
        ),
    ],
)
def test_what_is_wrong_is_said(
    api: Api, monkeypatch: pytest.MonkeyPatch, trouble: Any, message: str, requests: int
) -> None:
    monkeypatch.setattr(openai.time, "sleep", lambda _seconds: None)
    api.troubles = [trouble] * 3
    with pytest.raises((RuntimeError, ValueError), match=message) as raised:
        OpenAIEncoder("some-model", dim=16, retries=2).encode(["red"])
    assert len(api.requests) == requests
    assert "secret-key" not in str(raised.value)


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai.time, "sleep", lambda _seconds: None)
    with Api() as gone:
        url = gone.url
    with pytest.raises(ConnectionError, match=f"{url}/embeddings cannot be reached"):
        OpenAIEncoder("some-model", url=url, dim=16, retries=1).encode(["red"])


def test_a_key_is_asked_for_where_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="OPENAI_API_KEY must be set"):
        load_encoder("openai:text-embedding-3-small").encode(["red"])
