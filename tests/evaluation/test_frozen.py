"""The paper's tables with frozen encoders are true, made once, and never half-written."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.paper import published

from coverset import MMR, NNN, Dense
from tests.evaluation.test_eval import by_hand


def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.paper.frozen", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=Path(__file__).parents[2])


@pytest.fixture(scope="module")
def made(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results for a set with dev queries, under a name of the paper's, and for one without."""
    place = tmp_path_factory.mktemp("reproduced")
    for name in ("numpybank", "bare"):
        shutil.copytree(folder, place / name, ignore=shutil.ignore_patterns("cache"))
    (place / "bare" / "qrels" / "dev.tsv").unlink()
    done = run(place / "numpybank", place / "bare", "--out", place / "out", "--cache", folder / "cache")
    assert done.returncode == 0, done.stderr
    return place


def test_the_figures_in_the_table_are_those_measured_by_hand(made: Path, folder: Path) -> None:
    with (made / "out" / "tables.csv").open() as file:
        rows = {(row["dataset"], row["method"]): row for row in csv.DictReader(file)}
    assert {method for name, method in rows if name == "bare"} == {"Dense", "MMR()", "NNN()"}
    for method in ("Dense", "MMR", "NNN-Fix", "L1-Fix", "L2-Fix", "NNN()"):
        row = rows["numpybank", method]
        given = {name: float(row[name]) for name in ("l1", "l2", "relevance") if row[name]}
        decoder = Dense() if method == "Dense" else MMR(**given) if method == "MMR" else NNN(**given)
        for metric, value in by_hand(folder, "test", decoder).items():
            assert float(row[metric]) == pytest.approx(value, abs=0.006)
        assert float(row["comp@5 low"]) <= float(row["comp@5"]) <= float(row["comp@5 high"])


def test_by_size_adds_up_and_fista_goes_to_the_exact_answer(made: Path) -> None:
    cell = json.loads((made / "out" / "numpybank.all-MiniLM-L6-v2.json").read_text())
    for row in cell["rows"]:
        weights = [cell["sizes"][size] for size in row["by_size"]]
        assert np.average(list(row["by_size"].values()), weights=weights) == pytest.approx(
            row["metrics"]["comp@5"]
        )
    exact = next(row for row in cell["rows"] if row["method"] == "NNN-Fix")["metrics"]["comp@5"]
    assert abs(dict(map(tuple, cell["iterations"]))[300] - exact) <= 3.0
    assert len(cell["grid"]) == 77
    for name in ("numpybank", "bare"):
        assert (made / "out" / f"{name}.all-MiniLM-L6-v2.png").read_bytes().startswith(b"\x89PNG")


def test_the_papers_figures_stand_beside_ours_where_the_set_is_the_papers(made: Path) -> None:
    table = (made / "out" / "tables.md").read_text()
    ours, bare = table.split("## bare")
    assert f"({published.figures('numpybank', 'all-MiniLM-L6-v2')['NNN-Fix'][3]})" in ours
    assert "Paper: msmarco-MiniLM-L6-cos-v5" in ours
    assert "Paper" not in bare
    assert "no dev queries" in bare


def test_what_is_there_is_not_made_again_and_what_has_changed_is(made: Path, folder: Path) -> None:
    cell = made / "out" / "bare.all-MiniLM-L6-v2.json"
    arguments = (made / "bare", "--out", made / "out", "--cache", folder / "cache")
    before = cell.stat().st_mtime_ns
    assert run(*arguments).returncode == 0
    assert cell.stat().st_mtime_ns == before
    qrels = made / "bare" / "qrels" / "test.tsv"
    qrels.write_text("\n".join(qrels.read_text().splitlines()[:-2]) + "\n")
    assert run(*arguments).returncode == 0
    assert json.loads(cell.read_text())["queries"] == 34
    cell.write_text("{}")
    done = run(*arguments)
    assert done.returncode == 2
    assert "is not a result of benchmarks.paper.frozen" in " ".join(done.stderr.replace("│", " ").split())


def test_a_damaged_set_is_refused_before_anything_is_written(made: Path, tmp_path: Path) -> None:
    done = run(made / "numpybank", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "no such folder" in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "out").exists()


def test_the_papers_rows_are_complete() -> None:
    for dataset in ("numpybank", "pandasbank", "awsbank", "toollens", "multihoprag"):
        for backbone in published.BACKBONES:
            rows = published.figures(dataset, backbone)
            assert tuple(rows) == published.METHODS
            for recall3, recall5, comp3, comp5 in rows.values():
                assert recall3 <= recall5
                assert comp3 <= comp5 <= recall5
    assert published.figures("ultratool", "all-MiniLM-L6-v2") == {}
    assert published.figures("toollens", "models/all-MiniLM-L6-v2")["NNN-Tr"][3] == 96.7
