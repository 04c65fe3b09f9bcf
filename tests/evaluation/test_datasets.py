"""Data sets in BEIR layout are read whole or not at all, and each kind of damage has its own message."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from coverset.evaluation.datasets import load
from coverset.lines import FileError

CORPUS = [
    {"_id": "a", "title": "A", "text": "1st"},
    {"_id": "b", "text": "2nd"},
    {"_id": "c", "text": "3rd"},
]
QUERIES = [{"_id": "q1", "text": "one"}, {"_id": "q2", "text": "two"}]
QRELS = "query-id\tcorpus-id\tscore\nq2\tc\t1\nq1\ta\t1\nq1\tb\t2\nq1\tc\t0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").mkdir()
    write(tmp_path / "corpus.jsonl", CORPUS)
    write(tmp_path / "queries.jsonl", QUERIES)
    (tmp_path / "qrels" / "test.tsv").write_text(QRELS)
    return tmp_path


def write(path: Path, records: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.parametrize("zipped", [False, True])
def test_a_folder_is_read_plain_or_gzipped(folder: Path, zipped: bool) -> None:
    if zipped:
        for name in ("corpus.jsonl", "queries.jsonl"):
            (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
            (folder / name).unlink()
    dataset = load(folder)
    assert dataset.ids == ["a", "b", "c"]
    assert dataset.texts == ["A 1st", "2nd", "3rd"]
    split = dataset.split("test")
    assert split.ids == ["q2", "q1"]
    assert split.texts == ["two", "one"]
    assert [rows.tolist() for rows in split.relevant] == [[2], [0, 1]]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("corpus.jsonl", '{"_id": "a", "text": "x"}\n{"_id": \n', r"corpus\.jsonl:2: not JSON"),
        ("corpus.jsonl", '["a"]\n', r"corpus\.jsonl:1: expected an object, got list"),
        ("corpus.jsonl", '{"text": "x"}\n', r"corpus\.jsonl:1: '_id' must be a string, got None"),
        ("corpus.jsonl", '{"_id": "a"}\n', r"corpus\.jsonl:1: 'text' must be a string, got None"),
        ("corpus.jsonl", '{"_id": 3, "text": "x"}\n', r"corpus\.jsonl:1: '_id' must be a string, got 3"),
        ("corpus.jsonl", '{"_id": "a", "text": "x"}\n' * 2, r"corpus\.jsonl:2: the _id 'a' occurs before"),
        ("corpus.jsonl", "\n", r"corpus\.jsonl: the corpus has no documents"),
        ("corpus.jsonl", b"\xff\xfe", r"corpus\.jsonl:1: not UTF-8"),
        ("queries.jsonl", '{"_id": "q1", "text": "x"}\n', r"test\.tsv: the query 'q2' is not in .*queries\.jsonl"),
        ("queries.jsonl", '{"_id": "q1", "text": "x"}\n' * 2, r"queries\.jsonl:2: the _id 'q1' occurs before"),
        ("qrels/test.tsv", "q1\tz\t1\n", r"test\.tsv:1: the document 'z' is not in the corpus"),
        ("qrels/test.tsv", "q1\ta\n", r"test\.tsv:1: expected query-id, corpus-id and score"),
        ("qrels/test.tsv", "q1\ta\tyes\n", r"test\.tsv:1: the score must be a whole number, got 'yes'"),
        ("qrels/test.tsv", "q1\ta\t1\nq1\ta\t1\n", r"test\.tsv:2: 'q1' and 'a' are paired before"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n", r"test\.tsv: the split 'test' has no queries"),
    ],
)
def test_damage_is_named_with_file_and_line(folder: Path, file: str, content: str | bytes, message: str) -> None:
    (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileError, match=message):
        load(folder).split("test")


def test_what_is_missing_is_named(folder: Path) -> None:
    with pytest.raises(FileError, match=r"dev\.tsv: no such split; there are: test"):
        load(folder).split("dev")
    with pytest.raises(FileError, match="no such folder"):
        load(folder / "nowhere")
    (folder / "corpus.jsonl").unlink()
    with pytest.raises(FileError, match=r"neither corpus\.jsonl nor corpus\.jsonl\.gz is there"):
        load(folder)
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(b'{"_id": "a", "text": "x"}\n' * 50)[:-12])
    with pytest.raises(FileError, match=r"corpus\.jsonl\.gz:\d+: (cannot be read|the _id)"):
        load(folder)
