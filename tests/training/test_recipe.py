"""The paper's recipe: all of it is there, and two commands lead from the authors' files to its tables."""

from __future__ import annotations

import csv
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.paper import published
from benchmarks.paper.recipe import Recipe

from coverset.training.plan import Plan
from tests.originals.conftest import TREES, lay

ROOT = Path(__file__).parents[2]


def test_the_recipe_has_every_run_of_the_papers_appendix() -> None:
    runs = Recipe().runs("numpybank")
    lines = [run.line for run in runs]
    assert {line: lines.count(line) for line in lines} == {
        "Dense": 1, "COLT": 3 * 7, "NNN-Tr": 1 + 7 * 7, "L1-Tr": 1 + 7, "L2-Tr": 1 + 7, "NNN-Tr, implicit": 1,
    }  # fmt: skip
    assert len({run.name for run in runs}) == len(runs)
    for run in runs:
        plan = Plan(dataset="data", **run.given)
        if run.line == "COLT":
            assert (plan.epochs, plan.batch, plan.rate, plan.decay) == (20, 256, 1e-3, 1e-7)
        else:
            assert (plan.epochs, plan.batch, plan.rate, plan.patience, plan.decay) == (20, 64, 2e-5, 3, 0.01)
            assert plan.tau == 0.1
            assert plan.part == "encoder"
        if "-Tr" in run.line:
            assert plan.gradient == ("implicit" if "implicit" in run.line else "unrolled")
    swept = {(run.given.get("l1"), run.given.get("l2")) for run in runs if run.line == "NNN-Tr"}
    assert len(swept - {(None, None)}) == 49
    assert {run.given["epochs"] for run in Recipe().runs("pandasbank") if "-Tr" in run.line} == {5}
    assert {run.given["epochs"] for run in Recipe().runs("pandasbank") if run.line == "Dense"} == {20}


def test_a_part_of_the_recipe_is_a_part_of_it() -> None:
    some = Recipe(sweep=False, lines=("NNN-Tr",), changes={"max_tokens": 64}).runs("toollens")
    assert [run.name for run in some] == ["dense", "nnn-tuned"]
    everything = {run.name: run for run in Recipe().runs("toollens")}
    assert all(run.given == {**everything[run.name].given, "max_tokens": 64} for run in some)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """Made-up files as ToolBank's authors publish theirs, with a few queries more."""
    tree = TREES["numpybank"]()
    for name in ("train", "val", "test"):
        tree[f"NumpyBank_{name}.json"] *= 4
    return lay(tree, tmp_path / "original")


def test_two_commands_lead_to_the_papers_tables_and_a_kill_costs_nothing_that_is_done(
    original: Path, tmp_path: Path
) -> None:
    data, out = tmp_path / "numpybank", tmp_path / "out"
    first = [sys.executable, "-m", "coverset", "dataset", "numpybank", str(original), "--out", str(data)]
    second = [
        sys.executable, "-m", "benchmarks.paper.reproduce", str(data), "--encoder", "all-MiniLM-L6-v2",
        "--work", str(tmp_path / "work"), "--out", str(out), "--cache", str(tmp_path / "cache"), "--device", "cpu",
        "--lines", "NNN-Tr", "--no-sweep", "--epochs", "1", "--steps", "1", "--max-tokens", "16",
    ]  # fmt: skip
    subprocess.run(first, check=True, capture_output=True, timeout=60, cwd=ROOT)
    process = subprocess.Popen(second, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT)
    dense = tmp_path / "work" / "numpybank.all-MiniLM-L6-v2" / "dense" / "training" / "record.json"
    while not dense.is_file():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    said, _ = process.communicate()
    assert "2 runs are left, at most" in said
    assert "dense: 1 runs of at most 1 epochs" in said
    before = dense.stat().st_mtime_ns
    again = subprocess.run(second, check=True, capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert "1 runs are left" in again.stdout
    assert dense.stat().st_mtime_ns == before
    with (out / "tables.csv").open() as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["Dense", "MMR", "NNN-Fix", "L1-Fix", "L2-Fix", "NNN-Tr"]
    paper = published.figures("numpybank", "all-MiniLM-L6-v2")
    for method, row in rows.items():
        assert float(row["paper comp@5"]) == paper[method][3]
        assert float(row["comp@5 - paper"]) == pytest.approx(float(row["comp@5"]) - paper[method][3], abs=0.006)
    table = (out / "tables.md").read_text()
    assert "beside the paper's msmarco-MiniLM-L6-cos-v5" in table
    assert "Not the recipe: max_tokens 16, epochs 1, steps 1." in table
