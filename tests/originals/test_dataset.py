"""`coverset dataset` reads what authors publish, says where it is not the paper's, and writes all or nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from coverset.commands import app
from coverset.evaluation.datasets import load
from coverset.originals import convert
from coverset.originals.counts import PAPER, Counts, differences
from tests.originals.conftest import TREES, lay


def run(name: str, source: Path | str, out: Path, *more: str) -> Result:
    return CliRunner().invoke(app, ["dataset", name, str(source), "--out", str(out), *more])


def said(done: Result) -> str:
    return " ".join(done.output.replace("│", " ").split())


def labels(folder: Path, split: str) -> dict[str, set[str]]:
    """What a split's queries need, by the texts of query and documents."""
    data = load(folder)
    found = data.split(split)
    return {
        text: {data.texts[row] for row in rows} for text, rows in zip(found.texts, found.relevant, strict=True)
    }


def test_toolbank_takes_first_descriptions_of_tools_that_count(tmp_path: Path) -> None:
    assert run("numpybank", lay(TREES["numpybank"](), tmp_path / "in"), tmp_path / "out").exit_code == 0
    average, distinct = "average Add up and divide.", "distinct Keep each element once."
    assert set(load(tmp_path / "out").texts) == {"ordered Sort the elements.", distinct, average}
    assert labels(tmp_path / "out", "dev") == {"The mean of distinct elements.": {average, distinct}}
    assert len(labels(tmp_path / "out", "test")["All three."]) == 3


def test_toollens_keeps_its_test_split_and_a_fifth_of_train_becomes_dev(tmp_path: Path) -> None:
    assert run("toollens", lay(TREES["toollens"](), tmp_path / "in"), tmp_path / "out").exit_code == 0
    assert labels(tmp_path / "out", "test") == {"request 11": {"tool a", "tool b"}}
    train, dev = (labels(tmp_path / "out", split) for split in ("train", "dev"))
    assert len(dev) == 2
    assert {*train, *dev} == {f"request {n}" for n in range(11)}
    assert all(
        needs == ({"tool a", "tool b"} if int(q.split()[1]) % 2 else {"tool c"}) for q, needs in train.items()
    )
    scenes = [json.loads(line) for line in (tmp_path / "out" / "scenes.jsonl").read_text().splitlines()]
    assert [scene["tools"] for scene in scenes] == [["a", "b"], ["c"]]
    assert sum(len(ids) for scene in scenes for ids in scene["queries"].values()) == 12
    assert "5 in train, 1 in test" in (tmp_path / "out" / "SOURCE.md").read_text()


def test_multihoprag_needs_the_articles_of_its_evidence_and_leaves_out_questions_without(tmp_path: Path) -> None:
    assert run("multihoprag", lay(TREES["multihoprag"](), tmp_path / "in"), tmp_path / "out").exit_code == 0
    sizes = {split: len(labels(tmp_path / "out", split)) for split in ("train", "dev", "test")}
    assert sizes == {"train": 16, "dev": 2, "test": 2}
    needs = {f"Title {n} The body of article {n}." for n in (0, 2)}
    assert all(found == needs for found in labels(tmp_path / "out", "train").values())
    assert "Nothing?" not in (tmp_path / "out" / "queries.jsonl").read_text()


def test_the_same_files_give_the_same_folder(original: tuple[str, Path], tmp_path: Path) -> None:
    name, source = original
    for out in ("once", "again"):
        assert run(name, source, tmp_path / out).exit_code == 0
    files = [path.relative_to(tmp_path / "once") for path in (tmp_path / "once").rglob("*") if path.is_file()]
    assert len(files) >= 6
    for file in files:
        assert (tmp_path / "once" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()


def test_counts_that_are_not_the_papers_are_said_and_kept(original: tuple[str, Path], tmp_path: Path) -> None:
    name, source = original
    done = run(name, source, tmp_path / "out")
    assert f"3 documents, the paper has {PAPER[name].documents:,}" in said(done)
    assert f"the paper has {PAPER[name].train:,}" in (tmp_path / "out" / "SOURCE.md").read_text()
    told = json.loads(run(name, source, tmp_path / "json", "--json").stdout)
    assert told["counts"]["documents"] == 3
    assert len(told["differences"]) >= 4


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_own_counts_differ_in_nothing(name: str) -> None:
    paper = PAPER[name]
    assert differences(name, paper) == []
    assert differences(name, Counts(**{**vars(paper), "dev": paper.dev + 1})) == [
        f"{paper.dev + 1:,} dev queries, the paper has {paper.dev:,}"
    ]


def without(name: str) -> Any:
    return lambda tree: tree.pop(next(path for path in tree if path.endswith(name)))


def changed(name: str, change: Any) -> Any:
    return lambda tree: change(tree[next(path for path in tree if path.endswith(name))])


@pytest.mark.parametrize(
    ("name", "spoil", "expected"),
    [
        ("numpybank", without("_test.json"), "there is no NumpyBank_test.json in it"),
        ("numpybank", without("all_tools.json"), "there is no all_tools.json in it"),
        (
            "numpybank",
            changed("_val.json", lambda found: found[0]["functions"].append("hidden")),
            "NumpyBank_val.json, entry 0: the tool 'hidden' is not in the catalogue",
        ),
        ("numpybank", changed("_train.json", lambda found: found.clear()), "the split 'train' has no queries"),
        (
            "numpybank",
            changed("_train.json", lambda found: found[0].pop("refined_instruction")),
            "entry 0: 'refined_instruction' must be a string, got None",
        ),
        ("toollens", without("qrels/test.tsv"), "there is no qrels/test.tsv in it"),
        ("toollens", changed("qrels/test.tsv", lambda rows: rows.append("11\tz\t1")), "needs 'z', which is not"),
        ("toollens", changed("qrels/test.tsv", lambda rows: rows.append("99\ta\t1")), "the query '99' is not in"),
        ("toollens", changed("scene_train.txt", lambda rows: rows.__delitem__(slice(0, 9))), "is in no scene"),
        ("toollens", changed("scene_tool.txt", lambda rows: rows.append("0")), "expected 2 cells"),
        ("multihoprag", without("corpus.json"), "there is no corpus.json in it"),
        (
            "multihoprag",
            changed("RAG.json", lambda found: found[3]["evidence_list"].append({"url": "https://example.org/9"})),
            "the article 'https://example.org/9' is not in",
        ),
        ("multihoprag", changed("corpus.json", lambda found: found.append(found[0])), "occurs twice"),
    ],
)
def test_bad_input_is_said_clearly_and_nothing_is_written(
    tmp_path: Path, name: str, spoil: Any, expected: str
) -> None:
    tree = json.loads(json.dumps(TREES[name]()))
    spoil(tree)
    done = run(name, lay(tree, tmp_path / "in"), tmp_path / "out")
    assert done.exit_code == 2, done.output
    assert expected.replace(" ", "") in said(done).replace(" ", "")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_disk_that_fails_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = lay(TREES["numpybank"](), tmp_path / "in")

    def full(*_: object) -> str:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(convert, "_about", full)
    with pytest.raises(OSError, match="No space"):
        CliRunner().invoke(
            app, ["dataset", "numpybank", str(source), "--out", str(tmp_path / "out")], catch_exceptions=False
        )
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_folder_with_something_in_it_is_not_written_to(original: tuple[str, Path], tmp_path: Path) -> None:
    name, source = original
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    done = run(name, source, tmp_path / "out")
    assert done.exit_code == 2
    assert "out must be a new or empty folder" in said(done)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_names_and_sources_that_are_none_are_refused(tmp_path: Path) -> None:
    done = run("mnist", tmp_path, tmp_path / "out")
    assert done.exit_code == 2
    assert "'numpybank', 'pandasbank', 'awsbank', 'toollens', 'multihoprag'" in said(done)
    done = run("toollens", tmp_path / "nowhere", tmp_path / "out")
    assert done.exit_code == 2
    assert "source must be a folder, or a data set's name on the hub" in said(done)
