"""Clients that never finish, that drip, and that do not take their answers: nobody else waits for them."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from coverset import Retriever
from tests.server.conftest import Server

TIMEOUT = 1.0
# What is kept to itself of a deadline: the system's and the tests' own time.
LATE = 3.0


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a large document: a few of it do not fit into the system's buffers."""
    folder = tmp_path_factory.mktemp("stalled") / "s.cover"
    documents = [{"id": "large", "text": "red " * 25_000}, {"id": "small", "text": "red"}]
    Retriever.open(folder).add(documents)
    return folder


@pytest.fixture(scope="module")
def impatient(store: Path) -> Iterator[Server]:
    running = Server(store, "--timeout", str(TIMEOUT), "--body", "100000").wait()
    yield running
    running.stop()


def connect(server: Server) -> socket.socket:
    address = urlsplit(server.address)
    return socket.create_connection((address.hostname, address.port), timeout=30)


def post(server: Server, path: str, length: int) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: {urlsplit(server.address).netloc}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {length}\r\n\r\n".encode()


def drip(connection: socket.socket, piece: bytes, limit: float) -> tuple[float, bytes]:
    """Send a piece at a time until the other side has closed; return how long it took, and what was answered."""
    start, answer = time.monotonic(), b""
    connection.settimeout(0.05)
    while time.monotonic() - start < limit:
        try:
            with contextlib.suppress(TimeoutError):
                part = connection.recv(65536)
                answer += part
                if not part:
                    break
            connection.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            break
    return time.monotonic() - start, answer


def healthy(server: Server, connection: socket.socket) -> bool:
    """Ask over this connection whether the service is well."""
    host, answer = urlsplit(server.address).netloc, b""
    connection.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    while not answer.endswith(b'{"status":"ok"}'):
        part = connection.recv(65536)
        if not part:
            return False
        answer += part
    return True


def ask_for_much(server: Server, connection: socket.socket) -> None:
    """Ask for more than the system holds for a client that does not read, over one connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    host = urlsplit(server.address).netloc
    connection.sendall(f"GET /v1/documents/large HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() * 100)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX: "])
def test_a_head_that_does_not_come_ends_the_connection(impatient: Server, sent: bytes) -> None:
    with connect(impatient) as connection:
        connection.sendall(sent)
        start, answer = time.monotonic(), b""
        while part := connection.recv(65536):
            answer += part
        assert time.monotonic() - start < TIMEOUT + LATE
    assert answer.startswith(b"HTTP/1.1 408 ") if sent else answer == b""


def test_a_head_that_drips_ends_no_later(impatient: Server) -> None:
    with connect(impatient) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        took, answer = drip(connection, b"x", 20)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert took < TIMEOUT + LATE


def test_a_second_head_on_a_connection_has_the_same_deadline(impatient: Server) -> None:
    with connect(impatient) as connection:
        assert healthy(impatient, connection)
        connection.sendall(b"GET /hea")
        took, answer = drip(connection, b"l", 20)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert took < TIMEOUT + LATE


def test_a_connection_that_is_between_two_requests_is_kept_longer(impatient: Server) -> None:
    with connect(impatient) as connection:
        assert healthy(impatient, connection)
        time.sleep(2 * TIMEOUT)
        assert healthy(impatient, connection)


@pytest.mark.parametrize(
    ("path", "length", "first", "status"),
    [
        ("/v1/search", 1000, b"{", 408),
        ("/v1/search", 10**7, b"x" * 200_000, 413),  # too large already, and its rest drips
        ("/v1/nothing", 1000, b"{", 404),  # answered at once, and the body drips on
    ],
)
def test_a_body_that_drips_ends_in_time(
    impatient: Server, path: str, length: int, first: bytes, status: int
) -> None:
    with connect(impatient) as connection:
        connection.sendall(post(impatient, path, length) + first)
        took, answer = drip(connection, b"x", 60)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    # What has been answered before its body came is cut after a grace of five seconds.
    assert took < TIMEOUT + 5 + LATE


def test_an_answer_that_nobody_takes_ends_the_connection(impatient: Server) -> None:
    connections = Path(f"/proc/{impatient.process.pid}/fd")
    before = len(list(connections.iterdir()))
    with connect(impatient) as connection:
        ask_for_much(impatient, connection)
        deadline = time.monotonic() + 30
        while len(list(connections.iterdir())) > before:
            assert time.monotonic() < deadline
            time.sleep(0.2)


def test_300_stalled_clients_and_256_file_handles_stop_nobody(store: Path) -> None:
    """Three hundred heads that never end on few handles: those who ask are answered meanwhile."""
    running = Server(store, handles=256).wait()
    try:
        with contextlib.ExitStack() as stack, running.client() as client:
            for n in range(300):
                stalled = stack.enter_context(connect(running))
                stalled.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
                if n % 30 == 29:
                    assert client.get("/v1/documents/small").status_code == 200
            start = time.monotonic()
            for _ in range(20):
                with running.client() as another:
                    assert another.get("/v1/documents/small").status_code == 200
            assert time.monotonic() - start < 10
            assert len(list(Path(f"/proc/{running.process.pid}/fd").iterdir())) < 256
    finally:
        running.stop()
    assert running.log.stat().st_size < 100_000
    assert not [line for line in running.lines() if line["level"] == "error"]


def test_where_all_places_are_taken_by_work_the_next_is_turned_away(store: Path) -> None:
    running = Server(store, "--connections", "2").wait()
    try:
        with connect(running) as first, connect(running) as second:
            for connection in (first, second):
                ask_for_much(running, connection)
            time.sleep(2)
            with connect(running) as third:
                answer = third.recv(65536)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1" in answer.lower()
    finally:
        running.stop()
