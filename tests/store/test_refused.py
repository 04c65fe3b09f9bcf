"""What the system refuses is said as such; what is in the wrong place is damage; links are not followed."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import Retriever
from coverset.encoders import EncoderError
from coverset.encoders.cache import CachedEncoder
from coverset.store import DamagedStoreError, StorageError
from tests.store.history import contents, found, write
from tests.store.words import Words

WRITES = 6


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("healthy") / "s.cover"
    store = Retriever.open(folder, encoder=Words())
    for n in range(WRITES):
        new, gone = write(n)
        store.add(new)
        store.delete(gone)
    return folder


@pytest.fixture
def folder(healthy: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(healthy, tmp_path / "copy.cover"))


@pytest.fixture
def bounded() -> Iterator[None]:
    """End a test that waits at a pipe."""

    def end(*_: Any) -> None:
        raise TimeoutError("nobody is at the other end")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


PLACES = [
    "ledger",
    "writer.lock",
    "documents.lance",
    "documents.lance/_versions",
    "documents.lance/data",
    "documents.lance/_versions/*.manifest",
    "documents.lance/data/*.lance",
]


def newest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _file(path: Path) -> None:
    path.write_bytes(b"something else")


def _socket(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)  # a socket's path has to be short
    try:
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(path.name)
    finally:
        os.chdir(before)


MISPLACED: dict[str, Callable[[Path], None]] = {
    "file": _file,
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "socket": _socket,
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "endless link": lambda path: path.symlink_to(path.name),
}


WRONG = [
    (place, kind)
    for place in PLACES
    for kind in MISPLACED
    if kind != "file" or place not in ("ledger", "writer.lock")  # which are files
]


@pytest.mark.parametrize(("place", "kind"), WRONG)
@pytest.mark.usefixtures("bounded")
def test_what_is_in_the_wrong_place_is_the_stores_error(folder: Path, place: str, kind: str) -> None:
    path = newest(folder, place)
    _remove(path)
    MISPLACED[kind](path)
    reported = []
    for use in (found, lambda store: store.add([{"id": "x", "text": "red"}])):
        try:
            there = use(Retriever.open(folder, encoder=Words(), create=False))
        except DamagedStoreError as error:
            reported.append(str(error))
        else:
            assert (use, there) == (found, contents(WRITES)), "an answer is right"
    assert reported
    assert all(message.count(f"{folder} cannot be read") == 1 for message in reported)


@pytest.mark.parametrize("place", PLACES)
def test_links_inside_a_store_are_refused_even_if_they_lead_to_what_was_there(
    folder: Path, tmp_path: Path, place: str
) -> None:
    path, elsewhere = newest(folder, place), tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    for use in (found, lambda store: store.add([{"id": "x", "text": "red"}])):
        with pytest.raises(DamagedStoreError, match="a store has no links"):
            use(Retriever.open(folder, encoder=Words(), create=False))
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_a_link_that_is_planted_while_the_store_is_open_is_refused(folder: Path, tmp_path: Path) -> None:
    store = Retriever.open(folder, encoder=Words())
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (folder / "writer.lock").unlink()
    (folder / "writer.lock").symlink_to(victim)
    with pytest.raises(DamagedStoreError, match=r"writer\.lock is neither a file nor a folder"):
        store.add([{"id": "x", "text": "red"}])
    assert victim.read_text() == "precious"


def test_a_store_may_be_reached_by_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    store = Retriever.open(tmp_path / "link", encoder=Words())
    store.add([{"id": "x", "text": "red"}])
    assert found(Retriever.open(folder, encoder=Words())).keys() == contents(WRITES).keys() | {"x"}


def fill(folder: Path, most: int) -> str:
    """Write incompressible documents until the system refuses, in a process whose files may be so large."""
    code = f"""
import base64, random, resource, signal
from coverset import Retriever
from coverset.store import StorageError
from tests.store.words import Words
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Retriever.open({str(folder)!r}, encoder=Words())
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
rng = random.Random(0)
for n in range(100):
    text = base64.b64encode(rng.randbytes({most} // 8 * n)).decode()
    try:
        store.add([{{"id": f"new{{n}}", "text": text + "x", "vector": [1.0] * 16}}])
    except StorageError as error:
        print(n, error.errno, error, flush=True)
        break
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_no_room_is_said_as_such_and_what_was_acknowledged_is_there(folder: Path) -> None:
    number, code, message = fill(folder, 100_000).split(maxsplit=2)
    assert int(code) == errno.EFBIG
    assert f"File too large, at the store {folder}" in message
    there = Retriever.open(folder, encoder=Words())
    assert {*contents(WRITES), *(f"new{n}" for n in range(int(number)))} <= set(there.ids())
    there.add([{"id": "after", "text": "red"}])
    assert "after" in Retriever.open(folder, encoder=Words())


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes, where the test may make one."""
    home = tmp_path / "small"
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(home)]
    if sys.platform != "linux" or os.getuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a small file system")
    yield home
    subprocess.run(["umount", "-l", str(home)], check=True)


def test_a_full_disk_is_said_as_such_and_the_store_goes_on_when_there_is_room(small: Path) -> None:
    folder, rng = small / "s.cover", np.random.default_rng(0)
    store = Retriever.open(folder, encoder=Words())
    acknowledged: list[str] = []

    def fill() -> None:
        for n in range(200):
            store.add([{"id": str(n), "text": rng.bytes(40_000).hex(), "vector": [1.0] * 16}])
            acknowledged.append(str(n))

    with pytest.raises(StorageError) as refused:
        fill()
    assert refused.value.errno == errno.ENOSPC
    assert "No space left on device" in str(refused.value)
    again = Retriever.open(folder, encoder=Words(), create=False)
    assert set(acknowledged) <= set(again.ids()) <= {*acknowledged, str(len(acknowledged))}
    assert len(again.search(np.full(16, 0.25), k=3)) == 3
    subprocess.run(["mount", "-o", "remount,size=8m", str(small)], check=True)
    store.add([{"id": "after", "text": "red"}])
    assert set(Retriever.open(folder, encoder=Words()).ids()) >= {*acknowledged, "after"}


def test_a_store_on_a_read_only_disk_answers_and_says_why_it_does_not_write(small: Path) -> None:
    folder = small / "s.cover"
    Retriever.open(folder, encoder=Words()).add([{"id": "a", "text": "red"}])
    subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
    store = Retriever.open(folder, encoder=Words(), create=False)
    assert [hit.id for hit in store.search("red")] == ["a"]
    with pytest.raises(StorageError) as refused:
        store.add([{"id": "b", "text": "blue"}])
    assert refused.value.errno == errno.EROFS
    subprocess.run(["mount", "-o", "remount,rw", str(small)], check=True)
    assert store.add([{"id": "b", "text": "blue"}]) == 1


class Bad(Words):
    """An encoder that goes wrong on the text `bad`."""

    def __init__(self, harm: Callable[[Any], Any]) -> None:
        self.harm = harm

    def encode(self, texts: Any) -> Any:
        vectors = super().encode(texts)
        return self.harm(vectors) if "bad" in texts else vectors


HARMS: dict[str, Callable[[Any], Any]] = {
    "NaN": lambda v: np.where(np.arange(16) == 3, np.nan, v),
    "infinity": lambda v: np.where(np.arange(16) == 3, np.inf, v),
    "zeros": lambda v: 0 * v,
    "too few": lambda v: v[:1],
    "one for all": lambda v: v[0],
    "too wide": lambda v: np.hstack([v, v]),
    "too narrow": lambda v: v[:, :8],
    "too long": lambda v: 3 * v,
    "nothing": lambda v: None,
    "text": lambda v: [["x"] * 16] * len(v),
}


@pytest.mark.parametrize("harm", HARMS)
def test_an_encoder_that_returns_nonsense_is_at_fault_and_nothing_is_stored(tmp_path: Path, harm: str) -> None:
    store = Retriever.open(tmp_path / "s.cover", encoder=Bad(HARMS[harm]))
    store.add([{"id": "a", "text": "red"}])
    before = store.snapshot().version
    with pytest.raises(EncoderError, match="what 'words' returns"):
        store.add([{"id": "b", "text": "blue"}, {"id": "c", "text": "bad"}])
    with pytest.raises(EncoderError, match="what 'words' returns"):
        store.search_batch(["red", "bad"])
    assert store.snapshot().version == before
    cached = CachedEncoder(Bad(HARMS[harm]), tmp_path / "cache")
    with pytest.raises(EncoderError, match="what 'words' returns"):
        cached.encode(["blue", "bad"])
    assert not list((tmp_path / "cache").rglob("*.npz"))
