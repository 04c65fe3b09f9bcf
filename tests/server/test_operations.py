"""Keys, overload, logs, metrics, starting and stopping: what an operator relies on."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from coverset import Retriever
from coverset.encoders.precomputed import Precomputed
from coverset.server.keys import Keys, read_keys
from tests.server.conftest import Server

READ, WRITE = "read-key-0123456789", "write-key-0123456789"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> Iterator[Server]:
    """The catalogue behind keys: one from the environment, one from a file."""
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text(f"# who may write\nwrite {WRITE}\n")
    server = Server(tools, "--keys", str(file), COVERSET_READ_KEYS=f"{READ}, other-key-0123456789").wait()
    yield server
    server.stop()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_a_read_key_reads_a_write_key_also_writes_and_nobody_else_does_anything(locked: Server) -> None:
    with locked.client() as client:
        for headers in ({}, bearer("wrong-key-0123456789"), {"Authorization": f"Basic {READ}"}):
            for method, path in (("POST", "/v1/search"), ("GET", "/v1/store"), ("GET", "/metrics")):
                response = client.request(method, path, headers=headers)
                assert (response.status_code, response.json()["error"]["code"]) == (401, "no_key")
                assert response.headers["WWW-Authenticate"] == "Bearer"
        for key in (READ, WRITE):
            assert client.post("/v1/search", json={"query": "sort"}, headers=bearer(key)).status_code == 200
        assert client.get("/metrics", headers=bearer(READ)).status_code == 200
        for method, path in (
            ("POST", "/v1/documents"),
            ("POST", "/v1/documents/delete"),
            ("DELETE", "/v1/documents/np.sort"),
            ("PUT", "/v1/default"),
            ("POST", "/v1/default/tune"),
        ):
            assert client.request(method, path, headers=bearer(READ)).json()["error"]["code"] == "read_only"
            assert client.request(method, path).status_code == 401
        assert client.delete("/v1/documents/nothing", headers=bearer(WRITE)).status_code == 404
        for path in ("/", "/healthz", "/readyz", "/openapi.json", "/static/app.js"):
            assert client.get(path).status_code == 200


def test_a_key_is_asked_for_before_the_body_is_looked_at(locked: Server) -> None:
    with locked.client() as client:
        assert client.post("/v1/search", content=b"{" * 1000).status_code == 401


def test_keys_come_from_the_environment_and_a_file_and_are_checked_without_being_told(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"\n# comment\nread {READ}\nwrite {WRITE}\n")
    keys = read_keys({"COVERSET_WRITE_KEYS": f"{READ}"}, file)
    assert keys.scope(READ) == "write"  # the wider of the two
    assert keys.scope(WRITE) == "write"
    assert keys.scope("nobody-0123456789") is None
    assert not Keys()
    for bad in ("short", "with a space in it", "ключключключключ"):
        with pytest.raises(ValueError, match="at least 16 printable") as caught:
            Keys([("read", bad)])
        assert bad not in str(caught.value)
    file.write_text(f"admin {READ}\n")
    with pytest.raises(ValueError, match="line 1: a line must be") as caught:
        read_keys({}, file)
    assert READ not in str(caught.value)
    with pytest.raises(ValueError, match="cannot be read"):
        read_keys({}, tmp_path / "missing")


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coverset", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_refuses_to_listen_to_other_machines_without_a_key(tools: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        done = serve(str(tools), "--host", host)
        assert done.returncode == 2
        assert "can be reached from other machines: give API keys" in " ".join(
            done.stderr.replace("│", " ").split()
        )


def test_a_store_that_is_not_there_and_bad_options_are_errors(tools: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ([str(tmp_path / "none")], "there is no store"),
        ([str(tools), "--waiting", "0"], "waiting must be a whole number >= 1"),
        ([str(tools), "--log-level", "loud"], "log-level must be one of"),
        ([str(tools), "--timeout", "nan"], "timeout must be a finite number"),
        ([str(tools), "--keys", str(tmp_path / "none")], "cannot be read"),
    ):
        done = serve(*arguments)
        assert done.returncode == 2, done.stderr
        assert message in " ".join(done.stderr.replace("│", " ").split())


def test_a_store_of_vectors_made_elsewhere_is_refused_with_what_to_do(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", encoder=Precomputed(2, "theirs"))
    store.add([{"id": "a", "text": "a", "vector": [1.0, 0.0]}])
    command = [sys.executable, "-m", "coverset", "serve", str(tmp_path / "s.cover"), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "were made elsewhere (theirs), and the service takes requests as text" in " ".join(
        done.stderr.replace("│", " ").split()
    )


def test_under_overload_it_says_429_and_when_to_come_back(tools: Path) -> None:
    server = Server(tools, "--running", "1", "--waiting", "2").wait()
    statuses: list[tuple[int, str | None]] = []

    def ask(n: int) -> None:
        with server.client() as client:
            response = client.post("/v1/search/batch", json={"queries": [f"query {n} {m}" for m in range(32)]})
            statuses.append((response.status_code, response.headers.get("Retry-After")))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with server.client() as client:
        assert client.post("/v1/search", json={"query": "sort"}).status_code == 200
        assert "coverset_reads_under_way 0.0" in client.get("/metrics").text
    server.stop()
    assert {status for status, _ in statuses} == {200, 429}
    assert all(int(wait or 0) >= 1 for status, wait in statuses if status == 429)


def test_a_request_that_takes_too_long_is_answered_with_503(tools: Path) -> None:
    slow = Server(tools, "--timeout", "0.1", "--running", "1").wait()
    with slow.client() as client:
        response = client.post("/v1/search/batch", json={"queries": [f"{n} " + "word " * 300 for n in range(64)]})
        assert (response.status_code, response.json()["error"]["code"]) == (503, "timeout")
        for _ in range(600):
            if client.post("/v1/search", json={"query": "sort"}).status_code == 200:
                break
            time.sleep(0.05)
        else:
            raise AssertionError("did not recover")
    slow.stop()


def test_requests_under_way_are_answered_when_it_is_told_to_stop(tools: Path) -> None:
    server = Server(tools).wait()
    answers: list[int] = []

    def ask() -> None:
        with server.client() as client:
            body = {"queries": [f"{n} " + "word " * 100 for n in range(16)], "explain": True}
            answers.append(client.post("/v1/search/batch", json=body).status_code)

    thread = threading.Thread(target=ask)
    thread.start()
    with server.client() as client:
        while "coverset_reads_under_way 1.0" not in client.get("/metrics").text:
            time.sleep(0.01)
    server.stop()
    thread.join()
    assert answers == [200]


def test_the_log_tells_of_requests_but_not_a_word_of_what_was_said_in_them(
    scratch: Server, writer: httpx.Client
) -> None:
    secret = "xylophone"
    writer.post("/v1/search", json={"query": f"{secret} query", "where": {secret: secret}})
    writer.post("/v1/documents", json={"documents": [{"id": secret, "text": secret, "meta": {secret: secret}}]})
    writer.get(f"/v1/documents/{secret}", params={secret: secret})
    writer.delete(f"/v1/documents/{secret}")
    writer.get(f"/{secret}")
    writer.post("/v1/search", json={"query": "x", secret: secret})
    seen = scratch.log.read_text()
    assert secret not in seen
    requests = [line for line in scratch.lines() if line["event"] == "request"]
    assert {"time", "level", "request", "method", "route", "status", "ms", "bytes_in", "bytes_out"} <= set(
        requests[-1]
    )
    assert {line["route"] for line in requests} >= {"/v1/search", "/v1/documents/{id:id}", "none"}


def test_metrics_count_requests_by_route_and_time_each_decoder(client: httpx.Client) -> None:
    client.post("/v1/search", json={"query": "sort", "decoder": "dense"})
    client.get("/wp-login.php")
    text = client.get("/metrics").text
    assert 'coverset_requests_total{method="POST",route="/v1/search",status="200"}' in text
    assert 'coverset_decode_seconds_count{decoder="dense"}' in text
    assert "process_resident_memory_bytes" in text
    assert "wp-login" not in text


def test_every_answer_has_the_headers_that_keep_a_browser_safe(client: httpx.Client) -> None:
    for path in ("/", "/static/app.js", "/v1/store", "/nothing"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert len(headers["X-Request-Id"]) == 16
        assert "server" not in headers


def test_a_failure_inside_is_told_to_the_operator_but_not_to_the_caller(tmp_path: Path) -> None:
    folder = tmp_path / "doomed.cover"
    Retriever.open(folder).add([{"id": "a", "text": "Sort an array."}])
    server = Server(folder).wait()
    shutil.rmtree(folder)
    with server.client() as client:
        response = client.post("/v1/search", json={"query": "sort"})
    assert response.status_code == 500
    message = "the service failed to answer; its log says more"
    assert response.json() == {"error": {"code": "internal", "message": message}}
    server.stop()
    (line,) = [line for line in server.lines() if line["level"] == "error"]
    assert line["request"] == response.headers["X-Request-Id"]
    assert line["error"]["type"] == "DamagedStoreError"
    assert any("coverset/retriever.py" in place for place in line["error"]["at"])
