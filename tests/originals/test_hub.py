"""A data set by its name on the hub: the hub's own client, against a hub on this machine."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from coverset.evaluation.datasets import load
from tests.originals.conftest import TREES, lay

NAME, COMMIT = "someone/news", "0" * 39 + "1"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    """A hub with one data set, as far as the client asks for it: its files, and each file by its name."""
    folder = lay({**TREES["multihoprag"](), "unwanted.bin": ["large"]}, tmp_path / "hub")
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            if self.path.startswith(f"/api/datasets/{NAME}/tree"):
                self.answer(json.dumps([entry(name, content) for name, content in files.items()]).encode())
            elif self.path.startswith(f"/api/datasets/{NAME}"):
                told = {"id": NAME, "sha": COMMIT, "siblings": [{"rfilename": name} for name in files]}
                self.answer(json.dumps(told).encode())
            elif self.path.startswith(f"/datasets/{NAME}/resolve/"):
                self.answer(files[self.path.split("/", 6)[6]])
            else:
                self.send_error(404)

        def answer(self, content: bytes) -> None:
            self.send_response(200)
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("ETag", f'"{hashlib.sha1(content).hexdigest()}"')
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def entry(name: str, content: bytes) -> dict[str, object]:
    """A file, as the hub lists it."""
    return {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}


def run(endpoint: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: the client reads where the hub is when it is imported."""
    command = [sys.executable, "-m", "coverset", "dataset", "multihoprag", name, "--out", str(folder / "out")]
    there = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HOME": str(folder / "home"), "HF_HUB_OFFLINE": "0"}
    return subprocess.run(command, env=there, capture_output=True, text=True, timeout=120)


def test_a_data_set_is_fetched_by_its_name_without_files_that_are_not_needed(hub: str, tmp_path: Path) -> None:
    done = run(hub, NAME, tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(load(tmp_path / "out").texts) == 3
    assert not list((tmp_path / "home").rglob("unwanted.bin"))
    assert f"Source: {NAME}" in (tmp_path / "out" / "SOURCE.md").read_text()


def test_a_name_that_the_hub_does_not_have_is_said(hub: str, tmp_path: Path) -> None:
    done = run(hub, "someone/nothing", tmp_path)
    assert done.returncode == 2
    assert "cannot be fetched from the hub" in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "out").exists()
