"""`coverset add`, `search`, `get`, `delete`, `info`: what they do, and what they say of bad input."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coverset import NNN, Dense, Retriever
from coverset.commands import app
from coverset.decoders.kinds import ALIKE
from coverset.demo.catalogue import catalogue

TOOLS = dict(list(catalogue().items())[::12])


def coverset(*arguments: str | Path, text: str | bytes | None = None, code: int = 0, columns: int = 100) -> Result:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == code, result.output
    return result


def message(result: Result) -> str:
    """What was printed on standard error, without the box around it."""
    return " ".join(result.stderr.replace("│", " ").split())


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    records = [
        {"id": name, "text": text, "meta": {"home": name.rsplit(".", 1)[0], "n": n}}
        for n, (name, text) in enumerate(TOOLS.items())
    ]
    (folder / "tools.jsonl").write_text("\n".join(map(json.dumps, records)))
    coverset("add", folder / "tools.cover", folder / "tools.jsonl")
    return folder / "tools.cover"


def test_add_reads_files_of_every_kind_and_folders_of_them(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "a.txt").write_text("First line.\nSecond line.")
    (notes / "deep" / "b.md").write_text("# Title")
    (notes / "c.csv").write_text(
        '\ufefftext,id,lang\r\n"sort, and\r\nmore",c1,py\r\nunique,,js\r\n', encoding="utf-8"
    )
    (notes / "d.jsonl").write_text(
        '{"text": "has an id", "id": 7}\n\n{"text": "has none", "lang": "py", "meta": {"x": 1}}\n'
    )
    with gzip.open(notes / "e.jsonl.gz", "wt") as file:
        file.write('{"_id": "e", "title": "t", "text": "packed"}\n')
    (notes / "ignored.bin").write_bytes(b"\xff")
    result = coverset("add", tmp_path / "s.cover", notes, "--json")
    told = json.loads(result.stdout)
    assert (told["read"], told["changed"], told["documents"]) == (7, 7, 7)
    documents = {d.id: (d.text, d.meta) for d in Retriever.open(tmp_path / "s.cover")}
    assert documents == {
        f"{notes}/a.txt": ("First line.\nSecond line.", {}),
        f"{notes}/deep/b.md": ("# Title", {}),
        "c1": ("sort, and\r\nmore", {"lang": "py"}),
        f"{notes}/c.csv:4": ("unique", {"lang": "js"}),
        "7": ("has an id", {}),
        f"{notes}/d.jsonl:3": ("has none", {"lang": "py", "x": 1}),
        "e": ("packed", {"title": "t"}),
    }
    assert told["skipped"] == [{"file": f"{notes}/ignored.bin", "reason": "no kind of file that is read: .bin"}]
    again = coverset("add", tmp_path / "s.cover", notes)
    assert "7 documents read, 0 of them new or changed" in again.stdout
    assert f"skipped 1 files:\n  {notes}/ignored.bin: no kind of file" in again.stdout


def test_add_reads_standard_input(tmp_path: Path) -> None:
    coverset("add", tmp_path / "s.cover", "-", text='{"id": "a", "text": "sort"}\n')
    coverset("add", tmp_path / "s.cover", "-", "--format", "lines", text="round a number\n\nsine\n")
    coverset("add", tmp_path / "s.cover", "-", "--format", "csv", text="id,text\nb,unique\n")
    assert Retriever.open(tmp_path / "s.cover").ids() == ["-:1", "-:3", "a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x.jsonl", '{"text": "fine"}\n{"text": \n', "x.jsonl:2: not JSON"),
        ("x.jsonl", '{"text": "fine"}\n[1]\n', "x.jsonl:2: expected an object, got list"),
        ("x.jsonl", '{"text": "fine"}\n\n{"id": "b"}\n', "x.jsonl:3: text must be a string, got None"),
        ("x.jsonl", '{"text": "fine", "meta": 3}\n', "x.jsonl:1: meta must be a dict"),
        ("x.jsonl", '{"text": "fine", "meta": 3, "lang": "py"}\n', "x.jsonl:1: meta must be an object"),
        ("x.jsonl", '{"text": "a", "meta": {"x": NaN}}\n', "x.jsonl:1: meta must be what JSON can hold"),
        ("x.jsonl", '{"text": "a"}\n{"text": ' + "[" * 100_000, "x.jsonl:2: not JSON"),
        (
            "x.jsonl",
            '{"text": "a", "id": "i"}\n{"text": "b", "id": "i"}',
            "x.jsonl:2: the id 'i' occurs before, in",
        ),
        ("x.jsonl", '{"text": "a", "vector": [1, 2]}', "x.jsonl:1: vector must have shape (384,)"),
        (
            "x.jsonl",
            '{"id": "1", "text": "fine", "meta": {"a": ' + "[" * 64 + "]" * 64 + "}}",
            "x.jsonl:1: meta must be nested at most 64 deep",
        ),
        ("x.csv", "id,body\n1,fine\n", "x.csv:1: the header must name each column once, and one 'text'"),
        ("x.csv", "id,text\n1,fine\n2\n", "x.csv:3: 1 cells, and the header has 2"),
        ("x.csv", 'id,text\n1,"fine\n', "x.csv:2: not CSV"),
        ("x.txt", " \n", "x.txt: text must not be empty"),
        ("x.jsonl", "", "there are no documents"),
        ("x.txt", b"caf\xe9", "x.txt:1: not UTF-8"),
        ("x.jsonl.gz", b"\x1f\x8b\x08no", "x.jsonl.gz:1: cannot be read"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_written(
    tools: Path, tmp_path: Path, name: str, content: str | bytes, expected: str
) -> None:
    before = Retriever.open(tools).snapshot().version
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert expected in message(coverset("add", tools, tmp_path / name, code=2)).replace(f"{tmp_path}/", "")
    assert Retriever.open(tools).snapshot().version == before


def test_a_store_is_not_made_for_input_that_is_wrong(tmp_path: Path) -> None:
    coverset("add", tmp_path / "s.cover", "-", text='{"txt": "a"}', code=2)
    coverset("add", tmp_path / "s.cover", tmp_path / "nothing", code=2)
    assert not (tmp_path / "s.cover").exists()


def test_search_prints_what_the_retriever_finds(tools: Path) -> None:
    query = "sort an array and remove the duplicates"
    hits = Retriever.open(tools).search(query, k=3)
    (line,) = coverset("search", tools, query, "-k", "3", "--json").stdout.splitlines()
    answer = json.loads(line)
    assert answer["query"] == query
    assert [(h["id"], h["text"], h["meta"]) for h in answer["hits"]] == [(h.id, h.text, h.meta) for h in hits]
    assert [h["weight"] for h in answer["hits"]] == pytest.approx([h.weight for h in hits])
    table = coverset("search", tools, query, "-k", "3").stdout
    assert [table.index(hit.id) for hit in hits] == sorted(table.index(hit.id) for hit in hits)


@pytest.mark.parametrize(
    ("options", "decoder"),
    [
        (["--decoder", "dense"], Dense()),
        (["--decoder", "mmr", "--relevance", "0.3"], None),
        (["--l1", "0.02", "--l2", "0.1"], None),
    ],
)
def test_search_uses_the_decoder_asked_for(tools: Path, options: list[str], decoder: Any) -> None:
    from coverset import MMR

    expected = decoder or (MMR(relevance=0.3) if "mmr" in options else NNN(l1=0.02, l2=0.1))
    found = json.loads(coverset("search", tools, "round the sine", *options, "--json").stdout)
    hits = Retriever.open(tools).search("round the sine", decoder=expected)
    assert [h["id"] for h in found["hits"]] == [h.id for h in hits]


def test_k_is_a_most_where_nothing_is_to_fill_up(tools: Path) -> None:
    query = "sort an array and remove the duplicates"
    support = [hit.id for hit in Retriever.open(tools).search(query, k=None)]
    asked = ("search", tools, query, "-k", str(len(TOOLS)), "--json")
    kept = json.loads(coverset(*asked, "--no-fill").stdout)["hits"]
    assert [hit["id"] for hit in kept] == support
    assert 0 < len(support) < len(TOOLS)
    filled = json.loads(coverset(*asked).stdout)["hits"]
    assert {hit["id"] for hit in filled if hit["weight"] > 0} == set(support)
    assert len(filled) > len(support)
    assert "the decoder 'dense' has no fill" in message(
        coverset(*asked, "--decoder", "dense", "--no-fill", code=2)
    )


def test_kinds_are_told_apart_as_asked_for(tools: Path) -> None:
    Retriever.open(tools).configure(NNN(distinct=False))
    for option, distinct in (("auto", ALIKE), ("0.7", 0.7), ("off", False)):
        found = json.loads(coverset("search", tools, "sort", "--distinct", option, "--json").stdout)
        assert found["decoder"]["parameters"]["distinct"] == distinct
    Retriever.open(tools).configure(NNN())
    assert "a cosine from 0 to 1, auto or off" in message(
        coverset("search", tools, "x", "--distinct", "on", code=2)
    )


def test_where_takes_conditions_together_and_values_of_a_key_as_alternatives(tools: Path) -> None:
    def found(*conditions: str) -> set[str]:
        options = [part for condition in conditions for part in ("--where", condition)]
        result = CliRunner().invoke(app, ["search", str(tools), "matrix", "-k", "99", "--json", *options])
        return {hit["id"] for hit in json.loads(result.stdout)["hits"]}

    homes = {name: name.rsplit(".", 1)[0] for name in TOOLS}
    names = list(TOOLS)
    assert found("home=np.linalg") == {name for name, home in homes.items() if home == "np.linalg"} != set()
    assert found("home=np.linalg", "home=np.fft") == {n for n, h in homes.items() if h in ("np.linalg", "np.fft")}
    assert found("home=np", "n=0", "n=1") == {name for name in names[:2] if homes[name] == "np"}
    assert found('n="0"') == set()
    assert found("n>=3", "n<5") == set(names[3:5])
    assert found("n!=0", "n<=2") == set(names[1:3])
    assert found("home~lin") == found("home=np.linalg")
    assert found('{"n": {"$in": [1, 2]}}', "n!=1") == {names[2]}
    assert coverset("search", tools, "x", "--where", 'home=np" OR 1=1', code=1).stdout == "“x”: nothing found\n"


def test_explain_says_what_each_document_adds_and_displaced(tools: Path) -> None:
    query = "take the sine of an angle in degrees and round the result"
    answer = json.loads(
        coverset("search", tools, query, "--l1", "0.02", "--l2", "0.05", "--explain", "--json").stdout
    )
    retriever = Retriever.open(tools)
    nearest = [hit.id for hit in retriever.search(query, decoder=Dense(distinct=False), parts=None)]
    chosen = [hit["id"] for hit in answer["hits"]]
    displaced = [d["id"] for hit in answer["hits"] for d in hit["displaced"]]
    assert displaced
    assert set(displaced) == set(nearest) - set(chosen)
    snapshot = retriever.snapshot()
    assert snapshot.index is not None
    written = snapshot.index.corpus.flat()
    for hit in answer["hits"]:
        for d in hit["displaced"]:
            cosines = {c: float(written[snapshot.row[c]] @ written[snapshot.row[d["id"]]]) for c in chosen}
            assert max(cosines, key=lambda c: cosines[c]) == hit["id"]
            assert d["cosine"] == pytest.approx(cosines[hit["id"]], abs=1e-5)
    assert answer["covered"] == pytest.approx(sum(hit["adds"] for hit in answer["hits"]))
    assert 0 < answer["covered_by_nearest"] < 1
    screen = coverset("search", tools, query, "--l1", "0.02", "--l2", "0.05", "--explain").stdout
    assert "nearest: no. 1" in screen
    assert "Together they explain" in screen
    read = " ".join(screen.replace("│", " ").split())
    cosines = {d["id"]: d["cosine"] for hit in answer["hits"] for d in hit["displaced"]}
    for identifier, cosine in cosines.items():  # nothing is said to be much the same that is not
        assert (f"{identifier} (cosine {cosine:.2f})" in read) == (cosine >= 0.6)
    lower = [identifier for identifier, cosine in cosines.items() if cosine < 0.6]
    assert f"near, but ranked below these: {', '.join(lower)} Together" in read
    assert "instead of" not in screen


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_an_explanation_can_be_read_on_a_narrow_screen(tools: Path, columns: int) -> None:
    query = "take the sine of an angle in degrees, round the result to two decimals, and sort what comes of it"
    answer = json.loads(coverset("search", tools, query, "--explain", "--json").stdout)
    screen = coverset("search", tools, query, "--explain", columns=columns).stdout
    assert max(map(len, screen.splitlines())) <= columns
    assert "…" not in screen
    read = "".join(line.strip("│ ") for line in screen.splitlines())
    words = "".join(c for c in read if not c.isspace())

    def shown(text: str) -> bool:
        return "".join(text.split()) in words

    assert shown(query)
    for hit in answer["hits"]:
        assert f"{hit['adds']:.0%}" in screen
        for text in (hit["id"], hit["part"] or "", ", ".join(hit["words"])):
            assert all(shown(piece) for piece in text.split()), text
        assert all(shown(d["id"]) for d in hit["displaced"])


def test_queries_can_come_from_standard_input(tools: Path) -> None:
    lines = coverset("search", tools, "-", "-k", "2", "--json", text="sort\n\nround\n").stdout.splitlines()
    assert [json.loads(line)["query"] for line in lines] == ["sort", "round"]
    assert (
        json.loads(lines[1])["hits"]
        == json.loads(coverset("search", tools, "round", "-k", "2", "--json").stdout)["hits"]
    )


def test_get_prints_what_add_reads_and_delete_deletes(tools: Path, tmp_path: Path) -> None:
    everything = coverset("get", tools).stdout
    coverset("add", tmp_path / "copy.cover", "-", text=everything)
    assert coverset("get", tmp_path / "copy.cover").stdout == everything
    one, other = list(TOOLS)[:2]
    assert json.loads(coverset("get", tools, one).stdout)["text"] == TOOLS[one]
    coverset("get", tools, "nobody", code=1)
    assert "1 documents deleted" in coverset("delete", tmp_path / "copy.cover", one, "nobody").stdout
    told = coverset("delete", tmp_path / "copy.cover", "-", "--json", text=f"{other}\n").stdout
    assert json.loads(told) == {"deleted": 1, "documents": len(TOOLS) - 2}
    coverset("delete", tmp_path / "copy.cover", one, code=1)


def test_info_says_what_is_in_the_store(tools: Path) -> None:
    told = json.loads(coverset("info", tools, "--json").stdout)
    assert told["documents"] == len(TOOLS)
    assert told["encoder"] == "all-MiniLM-L6-v2"
    assert told["metadata"] == ["home", "n"]
    assert told["decoder"]["name"] == "NNN"
    assert told["bytes"] > len(TOOLS) * 384 * 4
    page = coverset("info", tools).stdout
    assert f"{len(TOOLS)} documents" in page
    assert "encoder   all-MiniLM-L6-v2, 384 dimensions" in page
    assert "words     english, 60% of a score" in page
    assert "decoder   NNN()" in page
    assert f"metadata  home ({len(TOOLS)}), n ({len(TOOLS)})" in page


def test_the_language_of_words_is_chosen_and_texts_in_another_are_told(tmp_path: Path) -> None:
    german = ["Der Hund läuft durch den Wald und sucht nach seinem Herrn.", "Die Katze schläft auf dem Sofa."] * 6
    (tmp_path / "de.txt").write_text("\n".join(german), encoding="utf-8")
    plain = ("add", tmp_path / "de.txt", "--format", "lines")
    told = coverset(plain[0], tmp_path / "en.cover", *plain[1:]).stderr
    assert "few of these words are English" in " ".join(told.split())
    (warning,) = json.loads(coverset(plain[0], tmp_path / "en.cover", *plain[1:], "--json").stdout)["warnings"]
    assert "few of these words are English" in warning
    for words, kept in (("german", "german"), ("none", "none"), ("off", None)):
        store = tmp_path / f"{words}.cover"
        assert "few of these words" not in coverset(plain[0], store, *plain[1:], "--words", words).stderr
        assert json.loads(coverset(plain[0], store, *plain[1:], "--json").stdout)["warnings"] == []
        assert json.loads(coverset("info", store, "--json").stdout)["words"] == kept
    assert "words must be 'german'" in message(
        coverset(plain[0], tmp_path / "german.cover", *plain[1:], "--words", "french", code=2)
    )


def test_an_unknown_id_is_named_with_those_that_are_like_it(tools: Path) -> None:
    one = next(iter(TOOLS))
    result = coverset("get", tools, one, one + "x")
    assert json.loads(result.stdout)["id"] == one
    assert f"there is no document '{one}x' in {tools}; did you mean {one}" in " ".join(result.stderr.split())
    assert "prints all documents" in coverset("get", tools, "%%%", code=1).stderr


def test_a_document_that_was_cut_comes_back_whole_by_its_id(tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {n} is here." for n in range(100))
    (tmp_path / "a.txt").write_text(text)
    coverset("add", tmp_path / "s.cover", tmp_path / "a.txt")
    assert json.loads(coverset("get", tmp_path / "s.cover", tmp_path / "a.txt").stdout)["text"] == text
    part = json.loads(coverset("get", tmp_path / "s.cover", f"{tmp_path}/a.txt#2").stdout)
    assert part["meta"]["passage"] == 2


def test_long_ids_stay_in_one_piece_in_an_explanation(tmp_path: Path) -> None:
    ids = [f"company.department.module_{n}.a_rather_long_function_name" for n in range(4)]
    lines = [json.dumps({"id": i, "text": f"sort the array {n}"}) for n, i in enumerate(ids)]
    coverset("add", tmp_path / "s.cover", "-", text="\n".join(lines))
    screen = coverset("search", tmp_path / "s.cover", "sort", "-k", "2", "--explain").stdout
    assert sum(i in screen for i in ids) >= 2


def test_search_gives_one_passage_of_each_document_if_asked(tmp_path: Path) -> None:
    for name in ("sorting", "rounding", "reading"):
        text = "\n\n".join(f"Paragraph {n} of the guide tells about {name}." for n in range(40))
        (tmp_path / f"{name}.txt").write_text(text)
    coverset("add", tmp_path / "s.cover", *tmp_path.glob("*.txt"), "--passages", "200")
    asked = ("search", tmp_path / "s.cover", "what the guide tells about sorting", "--json", "-k", "3")
    homes = [hit["meta"]["document"] for hit in json.loads(coverset(*asked, "--per", "document").stdout)["hits"]]
    assert homes[0].endswith("sorting.txt")
    assert len(set(homes)) == len(homes) == 3


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["search", "{store}", "x", "-k", "0"], "k must be a whole number >= 1"),
        (["search", "{store}", " "], "query must not be empty"),
        (["search", "{store}", "x", "--per", "page"], "per must be one of 'passage', 'document', got 'page'"),
        (["search", "{store}", "x", "--decoder", "best"], "decoder must be one of 'nnn', 'dense', 'mmr'"),
        (["search", "{store}", "x", "--decoder", "dense", "--l1", "1"], "the decoder 'dense' has no l1"),
        (["search", "{store}", "x", "--relevance", "1"], "the decoder 'nnn' has no relevance"),
        (["search", "{store}", "x", "--where", "lang"], "where must be key=value"),
        (["search", "{store}", "x", "--where", "{{"], "where must be key=value or a filter as JSON"),
        (["search", "{store}", "x", "--where", '{{"n": {{"$like": 1}}}}'], "has no operator '$like'"),
        (["tune", "{store}"], "is a store, which is tuned by examples of its own: coverset tune"),
        (["add", "{store}/new", "{store}/../tools.jsonl", "--encoder", "nope"], "encoder must be one that works"),
        (["search", "{store}/none", "x"], "there is no store at"),
        (["get", "{store}/none"], "there is no store at"),
        (["add", "{store}", "-", "--format", "xml"], "format must be one of 'jsonl', 'json', 'csv', 'lines'"),
        (
            ["add", "{store}", "{store}/../tools.jsonl", "--encoder", "bge-small-en-v1.5"],
            "was made with the encoder",
        ),
        (["add", "{store}", "-", "--passages", "many"], "passages must be 'off' or a whole number >= 1"),
        (["add", "{store}", "-", "--passages", "0"], "passages must be a whole number >= 1"),
        (["search", "{store}", "x", "--lamda", "1"], "No such option"),
    ],
)
def test_bad_input_exits_with_2_and_says_why(tools: Path, arguments: list[str], expected: str) -> None:
    result = coverset(*(argument.format(store=tools) for argument in arguments), code=2)
    assert expected in message(result)
    assert result.stdout == ""


def test_it_works_in_a_pipe_and_completes_in_a_shell(tools: Path) -> None:
    def run(text: str | None = None, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            [Path(sys.executable).with_name("coverset"), *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={**os.environ, **environment},
        )
        return done.stdout

    assert json.loads(run("sort\n", "search", str(tools), "-", "-k", "1", "--json"))["hits"]
    words = run(None, COMP_WORDS="coverset se", COMP_CWORD="1", _COVERSET_COMPLETE="complete_bash")
    assert "search" in words.split()
    typed = "coverset search s.cover x --decoder "
    words = run(None, COMP_WORDS=typed, COMP_CWORD="5", _COVERSET_COMPLETE="complete_bash")
    assert {"nnn", "dense", "mmr"} <= set(words.split())


def test_square_brackets_in_help_are_not_taken_for_markup() -> None:
    assert '"relevant": [ids]}' in " ".join(coverset("tune", "--help").stdout.replace("│", " ").split())


def test_help_teaches_by_example() -> None:
    for command in ("add", "search", "get", "delete", "info"):
        assert f"coverset {command} tools.cover" in coverset(command, "--help").stdout
