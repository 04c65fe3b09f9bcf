"""`coverset export` and `import`: a store comes back whole, or the file is refused, and readers notice."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import NNN, Dense, Retriever
from coverset.store import DamagedStoreError
from tests.commands.test_store import coverset, message

DOCUMENTS: list[dict[str, Any]] = [
    {"id": f"d{n:03d}", "text": f"document {n} of {n % 7} kinds", "meta": {"n": n, "deep": {"x": [n, None]}}}
    for n in range(300)
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("backup") / "s.cover"
    opened = Retriever.open(folder)
    opened.add(DOCUMENTS)
    opened.configure(NNN(l1=0.03, l2=0.2))
    return folder


def contents(folder: Path) -> tuple[Any, ...]:
    opened = Retriever.open(folder, create=False)
    snapshot = opened.snapshot()
    return list(opened), snapshot.contents.vectors.tobytes(), opened.decoder, opened.encoder_name, opened.dim


def test_a_store_comes_back_whole(store: Path, tmp_path: Path) -> None:
    assert "300 documents" in coverset("export", store, tmp_path / "b").stdout
    assert "300 documents" in coverset("import", tmp_path / "b", tmp_path / "new" / "t.cover").stdout
    assert contents(tmp_path / "new" / "t.cover") == contents(store)
    back = Retriever.open(tmp_path / "new" / "t.cover")
    assert back.search("kinds of documents") == Retriever.open(store).search("kinds of documents")
    assert back.add([{"id": "more", "text": "goes on"}]) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b", "new"]  # nothing is left lying about


def test_an_empty_store_comes_back_too(tmp_path: Path) -> None:
    Retriever.open(tmp_path / "s.cover")
    coverset("export", tmp_path / "s.cover", tmp_path / "b")
    coverset("import", tmp_path / "b", tmp_path / "t.cover")
    assert contents(tmp_path / "t.cover") == contents(tmp_path / "s.cover")


def test_a_file_that_was_changed_anywhere_is_refused(store: Path, tmp_path: Path) -> None:
    coverset("export", store, tmp_path / "b")
    whole = (tmp_path / "b").read_bytes()
    places = np.random.default_rng(0).choice(len(whole), 60, replace=False).tolist()
    damaged = [whole[:n] + bytes([whole[n] ^ 0x40]) + whole[n + 1 :] for n in places]
    cut = [whole[:n] for n in (0, 10, len(whole) // 2, len(whole) - 1)]
    for content in [*damaged, *cut, whole + b"x"]:
        (tmp_path / "b").write_bytes(content)
        told = message(coverset("import", tmp_path / "b", tmp_path / "t.cover", code=2))
        assert "is not a whole export of a store" in told
        assert not (tmp_path / "t.cover").exists()


def test_nothing_is_overwritten_unless_told_so(store: Path, tmp_path: Path) -> None:
    coverset("export", store, tmp_path / "b")
    assert "file must not exist yet" in message(coverset("export", store, tmp_path / "b", code=2))
    coverset("export", store, tmp_path / "b", "--replace")
    assert "must not be a store yet" in message(coverset("import", tmp_path / "b", store, code=2))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    assert "something else" in message(coverset("import", tmp_path / "b", tmp_path / "other", code=2))
    assert "there is no store at" in message(coverset("export", tmp_path / "none", tmp_path / "c", code=2))


def test_open_readers_notice_what_was_put_back_over_a_store(store: Path, tmp_path: Path) -> None:
    coverset("export", store, tmp_path / "b")
    coverset("import", tmp_path / "b", tmp_path / "t.cover")
    reader = Retriever.open(tmp_path / "t.cover")
    reader.delete([f"d{n:03d}" for n in range(150)])
    reader.add([{"id": "d200", "text": "changed"}, {"id": "new", "text": "new"}])
    reader.configure(Dense())
    coverset("import", tmp_path / "b", tmp_path / "t.cover", "--replace")
    assert len(reader) == 300
    assert reader.decoder == NNN(l1=0.03, l2=0.2)
    assert contents(tmp_path / "t.cover") == contents(store)


def test_a_file_of_another_encoder_is_not_put_over_a_store(store: Path, tmp_path: Path) -> None:
    from coverset.encoders.precomputed import Precomputed

    Retriever.open(tmp_path / "o.cover", Precomputed(dim=3, name="another"))
    coverset("export", store, tmp_path / "b")
    told = message(coverset("import", tmp_path / "b", tmp_path / "o.cover", "--replace", code=2))
    assert "must be a store made with the encoder 'all-MiniLM-L6-v2'" in told


def test_open_readers_notice_a_store_in_the_place_of_theirs(tmp_path: Path) -> None:
    """Two stores with the same number of versions change places, and one is put back from a copy."""
    texts = {"one": "sort an array", "two": "round a number"}
    for name, text in texts.items():
        Retriever.open(tmp_path / name).add([{"id": name, "text": text}])
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    reader = Retriever.open(tmp_path / "one")
    assert [hit.id for hit in reader.search("sort")] == ["one"]
    (tmp_path / "one").rename(tmp_path / "away")
    (tmp_path / "two").rename(tmp_path / "one")
    assert [hit.id for hit in reader.search("sort")] == ["two"]
    reader.add([{"id": "three", "text": "written after the change"}])
    shutil.rmtree(tmp_path / "one")
    (tmp_path / "copy").rename(tmp_path / "one")
    assert reader.ids() == ["one"]
    assert reader.add([{"id": "four", "text": "written to the copy"}]) == 1
    assert Retriever.open(tmp_path / "one").ids() == ["four", "one"]


def test_a_missing_file_and_something_else_are_named(tmp_path: Path) -> None:
    assert "nothing.backup" in message(coverset("import", tmp_path / "nothing.backup", tmp_path / "s", code=2))
    (tmp_path / "text").write_text("hello")
    assert "is not a whole export" in message(coverset("import", tmp_path / "text", tmp_path / "s", code=2))
    with pytest.raises(DamagedStoreError):
        __import__("coverset.store.backup").store.backup.import_store(tmp_path / "text", tmp_path / "s")
