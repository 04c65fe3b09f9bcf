"""A damaged file is reported, with the store's name, and never returned as an answer."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from coverset import Dense, Retriever
from coverset.store import DamagedStoreError
from tests.store.history import contents, found, write
from tests.store.words import Words

WRITES = 12


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


def newest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)


@pytest.mark.parametrize("pattern", ["*/data/*.lance", "*/_versions/*.manifest", "*/_deletions/*"])
@pytest.mark.parametrize("harm", ["flipped", "cut", "missing"])
def test_a_harmed_file_is_reported(folder: Path, pattern: str, harm: str) -> None:
    path = newest(folder, pattern)
    if harm == "flipped":
        flip(path, path.stat().st_size // 2)
    elif harm == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        path.unlink()
    with pytest.raises(DamagedStoreError, match=r"the store .*copy\.cover cannot be read"):
        found(Retriever.open(folder, encoder=Words(), create=False))


def test_a_document_that_its_file_does_not_hold_as_written_is_reported(folder: Path) -> None:
    """Without the ledger, which sees it first, the documents' own digests still tell."""
    (folder / "ledger").unlink()
    assert found(Retriever.open(folder, encoder=Words())) == contents(WRITES)
    path = newest(folder, "*/data/*.lance")
    text = write(WRITES - 1)[0][0]["text"].encode()
    data = path.read_bytes()
    assert text in data
    path.write_bytes(data.replace(text, text[:-1] + b"?"))
    with pytest.raises(DamagedStoreError, match=r"copy\.cover cannot be read: the document 'd\d+' is damaged"):
        found(Retriever.open(folder, encoder=Words()))


def test_a_damaged_store_is_not_written_to(folder: Path) -> None:
    store = Retriever.open(folder, encoder=Words())
    flip(newest(folder, "*/data/*.lance"), 40)
    before = sorted(path.name for path in folder.rglob("*"))
    with pytest.raises(DamagedStoreError):
        Retriever.open(folder, encoder=Words()).add([{"id": "x", "text": "red"}])
    assert sorted(path.name for path in folder.rglob("*")) == before
    assert len(store) == len(contents(WRITES)), "what was read before the damage is still right"


@pytest.mark.parametrize("lost", ["documents.lance", "documents.lance/_versions", "documents.lance/data"])
def test_a_store_that_has_lost_its_files_is_not_made_anew(folder: Path, lost: str) -> None:
    shutil.rmtree(folder / lost)
    before = sorted(path.name for path in folder.rglob("*"))
    with pytest.raises(DamagedStoreError, match=r"copy\.cover cannot be read"):
        found(Retriever.open(folder, encoder=Words()))
    assert sorted(path.name for path in folder.rglob("*") if path.name != "writer.lock") == [
        name for name in before if name != "writer.lock"
    ]


def test_a_store_in_the_place_of_another_is_not_spoiled_by_who_knew_that(folder: Path, tmp_path: Path) -> None:
    """The same number of versions, and other documents: what a writer knew is not to be trusted."""
    store = Retriever.open(folder, encoder=Words())
    store.add([{"id": "mine", "text": "red"}])
    number = store.snapshot().version
    shutil.rmtree(folder)
    other = Retriever.open(folder, encoder=Words())
    while other.snapshot().version < number:
        other.add([{"id": str(other.snapshot().version), "text": "blue"}])
    store.add([{"id": "late", "text": "green"}])
    assert set(Retriever.open(folder, encoder=Words()).ids()) == {*map(str, range(1, number)), "late"}


def test_damage_anywhere_gives_the_right_answer_or_an_error(healthy: Path, tmp_path: Path) -> None:
    rng = random.Random(0)
    files = sorted(path.relative_to(healthy) for path in healthy.rglob("*") if path.is_file())
    expected = Retriever.open(healthy, encoder=Words()).search("red fox", k=9, decoder=Dense())
    reported: list[str] = []
    for trial in range(60):
        folder = Path(shutil.copytree(healthy, tmp_path / str(trial)))
        path = folder / rng.choice(files)
        data = bytearray(path.read_bytes())
        start = rng.randrange(len(data) + 1)
        data[start : start + rng.choice([1, 8, 1000])] = rng.randbytes(rng.choice([0, 1, 8]))
        path.write_bytes(data)
        try:
            store = Retriever.open(folder, encoder=Words(), create=False)
            assert found(store) == contents(WRITES)
            assert store.search("red fox", k=9, decoder=Dense()) == expected
        except DamagedStoreError as error:
            reported.append(str(error))
        shutil.rmtree(folder)
    assert len(reported) > 30
    assert all(str(tmp_path) in message for message in reported)
