"""One writer and many readers, in threads and processes: every answer is of one whole version."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import filelock
import pytest

from coverset import Dense, Retriever
from coverset.store import BusyStoreError
from tests.store import generations
from tests.store.words import Words

ROOT = Path(__file__).parents[2]


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.generations", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_two_processes_that_read_while_one_writes_see_whole_versions(tmp_path: Path) -> None:
    folder = tmp_path / "s.cover"
    generations.write(Retriever.open(folder, encoder=Words()), 0)
    readers = [start("read", folder) for _ in range(2)]
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
    writer = start("write", folder)
    assert writer.wait(timeout=120) == 0
    for reader in readers:
        output, _ = reader.communicate(timeout=60)
        assert reader.returncode == 0
        assert int(output) >= 5, f"the reader saw only {output} versions: it has not read while there were writes"
    writer.communicate()


def test_threads_that_share_a_retriever_see_whole_versions(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", encoder=Words())
    generations.write(store, 0)
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(generations.read(store))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for n in range(1, generations.LAST + 1):
        generations.write(store, n)
    for thread in threads:
        thread.join(60)
    assert len(seen) == 4
    assert min(seen) >= 3


def test_a_search_sees_what_another_process_has_acknowledged(tmp_path: Path) -> None:
    mine = Retriever.open(tmp_path / "s.cover", encoder=Words())
    theirs = Retriever.open(tmp_path / "s.cover", encoder=Words())
    for n in range(5):
        theirs.add([{"id": str(n), "text": f"word{n}"}])
        assert mine.search(f"word{n}", k=1, decoder=Dense())[0].id == str(n)
        theirs.delete([str(n)])
        assert mine.search(f"word{n}") == []


def test_two_writers_queue(tmp_path: Path) -> None:
    folder = tmp_path / "s.cover"
    writers = [start("fill", folder, name) for name in ("left", "right")]
    for writer in writers:
        assert writer.wait(timeout=120) == 0
        writer.communicate()
    expected = {f"{name}{n}" for name in ("left", "right") for n in range(generations.LAST)}
    assert set(Retriever.open(folder, encoder=Words()).ids()) == expected


def test_threads_that_write_through_one_retriever_queue(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", encoder=Words())

    def fill(name: str) -> None:
        for n in range(8):
            store.add([{"id": f"{name}{n}", "text": f"word{n}"}])
            assert f"{name}{n}" in store

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(fill, "abcd"))
    assert reopened_ids(store) == sorted(f"{name}{n}" for name in "abcd" for n in range(8))


def reopened_ids(store: Retriever) -> list[str]:
    return Retriever.open(store.folder, encoder=Words()).ids()


def test_a_writer_that_waits_too_long_says_so(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", encoder=Words(), timeout=0.1)
    store.add([{"id": "a", "text": "red"}])
    with filelock.FileLock(tmp_path / "s.cover" / "writer.lock"):
        with pytest.raises(
            BusyStoreError, match=r"s\.cover: another writer has been at work for more than 0\.1 s"
        ):
            store.delete(["a"])
        assert [hit.id for hit in store.search("red")] == ["a"]
    assert store.delete(["a"]) == 1


@pytest.mark.usefixtures("interruptible")
# An interrupt within os.walk leaves the folder that it was reading to the collector.
@pytest.mark.filterwarnings("ignore:unclosed scandir iterator:ResourceWarning")
def test_an_interrupted_write_keeps_the_lock_until_its_commit_is_over(tmp_path: Path) -> None:
    """Ctrl-C in the middle of writes, as in a notebook: the next writer must not meet a commit under way."""
    folder = tmp_path / "s.cover"
    store = Retriever.open(folder, encoder=Words())
    interrupted = 0
    for n in range(12):
        timer = threading.Timer(0.004 * n, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
        try:
            timer.start()
            store.add({"id": f"{n}-{i}", "text": f"word{i}"} for i in range(3))
            timer.join()
        except KeyboardInterrupt:
            interrupted += 1
        timer.join()
        Retriever.open(folder, encoder=Words()).add([{"id": f"after {n}", "text": "red"}])
    assert interrupted
    ids = Retriever.open(folder, encoder=Words()).ids()
    assert sum(i.startswith("after") for i in ids) == 12
    assert all(sum(i.startswith(f"{n}-") for i in ids) in (0, 3) for n in range(12))


def test_many_small_writes_leave_a_small_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coverset.store.table.TIDY", 8)
    monkeypatch.setattr("coverset.store.table.KEPT", generations.SHORT)
    store = Retriever.open(tmp_path / "s.cover", encoder=Words())
    files = []
    for n in range(60):
        generations.write(store, n)
        files.append(sum(path.is_file() for path in store.folder.rglob("*")))
    assert max(files) <= 100
    assert len((store.folder / "ledger").read_text().split("\n")) < 400
    assert generations.generation(store) == 59


def test_many_large_writes_leave_a_small_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coverset.store.table.KEPT", generations.SHORT)
    store = Retriever.open(tmp_path / "s.cover", encoder=Words())
    sizes = []
    for n in range(12):
        store.add({"id": str(i), "text": f"word{i % 7} number{n}"} for i in range(1100))
        sizes.append(sum(path.stat().st_size for path in store.folder.rglob("*") if path.is_file()))
    assert max(sizes) < 6 * sizes[0]
    assert len(store) == 1100
