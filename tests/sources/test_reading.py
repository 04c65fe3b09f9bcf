"""`coverset add` takes documents as people have them, and says what it could not take."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from coverset import Retriever
from coverset.lines import FileError
from coverset.sources import read_sources
from coverset.sources.reading import Read
from coverset.sources.records import Columns
from tests.commands.test_store import coverset, message

PAGE = """<html><head><title>About sorting</title></head><body>
<nav><a href="/">Home</a> <a href="/x">Shop</a></nav>
<main><h1>Sorting arrays</h1><p>Sort the array first, then drop what is there twice.</p>
<h2>Ties</h2><p>Ties keep the order in which they came, always.</p></main>
<footer>We use cookies.</footer></body></html>"""


def read(folder: Path, *names: str, **options: Any) -> Read:
    return read_sources([folder / name for name in names] or [folder], **options)


def pdf(path: Path, *pages: str) -> None:
    """A PDF with a text on each page, made by a program that people make PDFs with."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    with rc_context({"pdf.fonttype": 42}), PdfPages(path, metadata={"Title": "A report"}) as file:
        for page in pages:
            figure = Figure()
            figure.text(0.1, 0.5, page)
            file.savefig(figure)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"id": "a", "text": "one", "lang": "py"}, {"text": "two"}], {"a": "one", "f.json:2": "two"}),
        (["one", "two"], {"f.json:1": "one", "f.json:2": "two"}),
        ({"id": 7, "text": "one"}, {"7": "one"}),
        ({"text": "one"}, {"f.json": "one"}),
        ({"a": "one", "b": "two"}, {"a": "one", "b": "two"}),
        ({"a": {"text": "one", "lang": "py"}}, {"a": "one"}),
        ({"version": 2, "documents": [{"_id": "a", "text": "one"}]}, {"a": "one"}),
    ],
    ids=str,
)
def test_json_files_hold_documents_in_any_shape_that_is_clear(
    tmp_path: Path, value: Any, expected: dict[str, str]
) -> None:
    (tmp_path / "f.json").write_text(json.dumps(value, indent=2))
    found = {s.document["id"].replace(f"{tmp_path}/", ""): s.document["text"] for s in read(tmp_path).sources}
    assert found == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "f.json:1: not JSON"),
        ('[{"text": "a"}, 3]', "f.json:2: expected an array of objects with 'text' or of texts"),
        ('{"name": "package", "scripts": {}, "n": 1}', "f.json: expected an array of objects"),
        ('[{"body": "a"}]', 'f.json:1: expected an array of objects with .* got {"body": "a"}'),
        ("[" * 100_000, "f.json: not JSON that can be read: nested too deeply"),
    ],
)
def test_json_that_holds_no_documents_is_refused_where_it_is_named(
    tmp_path: Path, content: str, expected: str
) -> None:
    (tmp_path / "f.json").write_text(content)
    with pytest.raises(FileError, match=expected):
        read(tmp_path, "f.json")


def test_plain_numbers_of_a_table_are_numbers_and_compare_as_such(tmp_path: Path) -> None:
    cells = ["100", "9", "-3", "12.50", "0", "007", "1e9", "+5", "1,5", "4.", "n/a", "٣", "1" * 16]
    rows = [f'{n},row number {n},"{cell}"' for n, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["id,text,price", *rows]))
    documents = [s.document for s in read(tmp_path).sources]
    assert [d["id"] for d in documents] == [str(n) for n in range(len(cells))]
    assert [d["meta"]["price"] for d in documents] == [100, 9, -3, 12.5, 0, *cells[5:]]
    store = Retriever.open(tmp_path / "s.cover")
    store.add(documents)
    assert {hit.id for hit in store.search("row", 9, where={"price": {"$gte": 10}})} == {"0", "3"}


TOOLS = [
    {"name": "read", "description": "Read a file.", "cost": 2},
    {"name": "send", "description": "Send a letter."},
]
FORMS = {
    "t.jsonl": "\n".join(map(json.dumps, TOOLS)),
    "t.json": json.dumps({"version": 1, "tools": TOOLS}),
    "t.csv": "name,description,cost\nread,Read a file.,2\nsend,Send a letter.,\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_records_may_have_their_text_and_id_under_other_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(FORMS[name])
    one = read(tmp_path, name, columns=Columns(("description",), "name")).sources
    assert [(s.document["id"], s.document["text"]) for s in one] == [
        ("read", "Read a file."),
        ("send", "Send a letter."),
    ]
    assert one[0].document["meta"] == {"cost": 2}
    both = read(tmp_path, name, columns=Columns(("name", "description"), "name")).sources
    assert [s.document["text"] for s in both] == ["read\nRead a file.", "send\nSend a letter."]
    with pytest.raises(FileError, match="--text KEY names the key of the text"):
        read(tmp_path, name)
    coverset(
        "add", tmp_path / "s.cover", tmp_path / name, "--id", "name", "--text", "name", "--text", "description"
    )
    assert [d.text for d in Retriever.open(tmp_path / "s.cover")] == ["read\nRead a file.", "send\nSend a letter."]


def test_a_web_page_is_what_it_says_without_what_stands_around_it(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    (source,) = read(tmp_path).sources
    assert "drop what is there twice" in source.document["text"]
    assert "cookies" not in source.document["text"]
    assert source.document["meta"] == {"title": "Sorting arrays"}
    first, second = read(tmp_path, passages=80).sources
    assert first.document["meta"] == {
        "title": "Sorting arrays",
        "heading": "Sorting arrays",
        "document": f"{tmp_path}/page.html",
        "passage": 1,
        "start": 0,
    }
    assert second.document["meta"]["heading"] == "Sorting arrays > Ties"


def test_a_pdf_is_its_text_and_its_passages_know_their_page(tmp_path: Path) -> None:
    pdf(tmp_path / "report.pdf", "Sort the array first.", "Then drop duplicates.")
    (source,) = read(tmp_path).sources
    assert source.document["text"].split() == ["Sort", "the", "array", "first.", "Then", "drop", "duplicates."]
    assert source.document["meta"] == {"title": "A report"}
    assert [s.document["meta"]["page"] for s in read(tmp_path, passages=25).sources] == [1, 2]


def test_markdown_is_cut_by_its_headings_and_records_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\n\n" + "a word. " * 80 + "\n\n# Two\n\n" + "a word. " * 80)
    (tmp_path / "b.jsonl").write_text(json.dumps({"id": "b", "text": "a word. " * 300}))
    found = read(tmp_path)
    assert [s.document["id"].split("/")[-1] for s in found.sources] == ["a.md#1", "a.md#2", "b"]
    assert found.long == 1
    assert len(read(tmp_path, passages="off").sources) == 2
    assert len(read(tmp_path, passages=500).sources) == 4 + 6  # 2,400 characters by 450 new ones each


def test_what_a_folder_has_beside_documents_is_skipped_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("fine")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "package.json").write_text('{"name": "x", "n": 1}')
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    (tmp_path / "blank.html").write_text("<html><body></body></html>")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD.txt").write_text("hidden")
    found = read(tmp_path)
    assert [s.document["text"] for s in found.sources] == ["fine"]
    reasons = {Path(s.file).name: s.reason for s in found.skipped}
    assert set(reasons) == {p.name for p in tmp_path.iterdir() if p.is_file()} - {"good.txt"}
    assert reasons["latin.txt"] == "1: not UTF-8"
    assert reasons["empty.md"] == "text must not be empty"
    assert "no text was found" in reasons["blank.html"]
    assert "not a PDF that can be read" in reasons["broken.pdf"]
    assert "one 'text'" in reasons["table.csv"]
    for name in ("latin.txt", "empty.md", "package.json", "table.csv", "broken.pdf", "blank.html"):
        with pytest.raises(FileError, match=name):
            read(tmp_path, name)


def test_a_document_that_is_added_again_leaves_no_old_passages(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A sentence. " * 300)
    (tmp_path / "b.txt").write_text("Stays.")
    store = tmp_path / "s.cover"
    coverset("add", store, tmp_path / "a.txt", tmp_path / "b.txt")
    before = len(Retriever.open(store))
    assert before > 4
    (tmp_path / "a.txt").write_text("A sentence. " * 150)
    told = coverset("add", store, tmp_path / "a.txt").stdout
    ids = Retriever.open(store).ids()
    assert ids == sorted([f"{tmp_path}/a.txt#1", f"{tmp_path}/a.txt#2", f"{tmp_path}/b.txt"])
    assert f"{before - 3} passages deleted that their documents no longer have" in told
    (tmp_path / "a.txt").write_text("Short now.")
    coverset("add", store, tmp_path / "a.txt")
    assert Retriever.open(store).ids() == [f"{tmp_path}/a.txt", f"{tmp_path}/b.txt"]


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_add_keeps_what_was_written_and_goes_on_when_run_again(tmp_path: Path) -> None:
    records = [json.dumps({"id": f"d{n}", "text": f"document number {n} about {n % 7}"}) for n in range(4000)]
    (tmp_path / "many.jsonl").write_text("\n".join(records))
    store = tmp_path / "s.cover"
    command = [Path(sys.executable).with_name("coverset"), "add", store, tmp_path / "many.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(6000):
            time.sleep(0.01)
            if sum(1 for _ in store.rglob("*.manifest")) > 2:  # the empty store, and two batches
                break
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    kept = len(Retriever.open(store))
    assert 0 < kept < 4000
    assert f"interrupted: {kept} of 4000 are in {store}; the same command again goes on" in told
    again = json.loads(coverset("add", store, tmp_path / "many.jsonl", "--json").stdout)
    assert (again["changed"], again["documents"]) == (4000 - kept, 4000)


def test_a_folder_without_documents_says_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    told = message(coverset("add", tmp_path / "s.cover", tmp_path, code=2))
    assert "there are no documents" in told
    assert "photo.jpg: no kind of file that is read: .jpg" in told
