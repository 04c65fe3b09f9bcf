"""A real service in a process of its own, on loopback, over numpy's catalogue; stopped when the tests are done."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from coverset import Retriever
from coverset.demo.catalogue import catalogue

NUMBER = itertools.count()


class Server:
    """`coverset serve`, running."""

    def __init__(self, store: Path, *options: str, handles: int | None = None, **environment: str) -> None:
        self.store, self.log = store, store.parent / f"serve-{next(NUMBER)}.log"
        command = [sys.executable, "-m", "coverset", "serve", str(store), "--port", "0", *options]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("COVERSET_")}
        if handles is not None:
            command = ["prlimit", f"--nofile={handles}:{handles}", *command]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env={**clean, **environment}
            )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("Coverset is at http://127.0.0.1:"), self.log.read_text()
        self.address = said.split()[-1].rstrip("/")

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=60.0, trust_env=False, **options)

    def wait(self) -> Server:
        """Wait until it is ready."""
        with self.client() as client:
            for _ in range(6000):
                if client.get("/readyz").status_code == 200:
                    return self
                time.sleep(0.05)
        self.end(signal.SIGKILL)
        raise AssertionError(f"not ready after 5 minutes: {self.log.read_text()}")

    def stop(self) -> None:
        """Ask it to stop, as an operator does, and see that it does so in good order."""
        self.end(signal.SIGTERM)
        assert any(line["event"].startswith("Finished server process") for line in self.lines()), (
            self.log.read_text()
        )

    def end(self, number: int) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def lines(self) -> list[dict[str, Any]]:
        """Return its log."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def functions() -> list[dict[str, Any]]:
    """Numpy's functions as documents."""
    return [
        {"id": name, "text": text, "meta": {"module": name.rsplit(".", 1)[0]}}
        for name, text in catalogue().items()
    ]


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of numpy's functions, by meaning alone."""
    folder = tmp_path_factory.mktemp("tools") / "tools.cover"
    Retriever.open(folder, words=None).add(functions())
    return folder


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of numpy's functions as one makes it when told nothing: words and meaning."""
    folder = tmp_path_factory.mktemp("library") / "library.cover"
    Retriever.open(folder).add(functions())
    return folder


@pytest.fixture(scope="session")
def server(tools: Path) -> Iterator[Server]:
    """The catalogue, served; tests do not write to it."""
    running = Server(tools).wait()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def served_library(library: Path) -> Iterator[Server]:
    """The store with words, served; tests do not write to it."""
    running = Server(library).wait()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A small store to write to."""
    folder = tmp_path_factory.mktemp("scratch") / "scratch.cover"
    texts = ("Sort an array.", "Sort the rows.", "Round a number.", "Sine of an angle.", "Read a file.")
    Retriever.open(folder, words=None).add(
        [{"id": f"d{n}", "text": text, "meta": {"n": n}} for n, text in enumerate(texts)]
    )
    running = Server(folder, "--body", "100000").wait()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def writer(scratch: Server) -> Iterator[httpx.Client]:
    with scratch.client() as client:
        yield client
