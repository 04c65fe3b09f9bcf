"""`coverset eval` measures what it says, on data made of numpy's functions: requests that need two of them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coverset import MMR, NNN, Dense, MemoryIndex
from coverset.decoders.registry import grid
from coverset.encoders.onnx import OnnxEncoder
from coverset.evaluation.datasets import load
from coverset.evaluation.measuring import PAPER, Labelled, evaluate
from coverset.evaluation.metrics import Comp, Recall
from coverset.evaluation.tuning import attempt, best


def run(*arguments: Any, command: str = "eval") -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "coverset", command, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)


@cache
def encoded(folder: Path, split: str) -> tuple[Any, Any, Any]:
    data, encoder = load(folder), OnnxEncoder()
    labelled = data.split(split)
    return encoder.encode(labelled.texts), encoder.encode(data.texts), labelled


def by_hand(folder: Path, split: str, decoder: Any) -> dict[str, float]:
    queries, documents, labelled = encoded(folder, split)
    answers = decoder.decode_batch(queries, documents, k=5)
    values: dict[str, list[float]] = {}
    for answer, relevant in zip(answers, labelled.relevant, strict=True):
        for k in (3, 5):
            found = len(set(answer.ids[:k].tolist()) & set(relevant.tolist()))
            values.setdefault(f"recall@{k}", []).append(100 * found / len(relevant))
            values.setdefault(f"comp@{k}", []).append(100.0 * (found == len(relevant)))
    return {name: float(np.mean(v)) for name, v in values.items()}


@pytest.mark.parametrize(
    ("arguments", "decoder"),
    [
        (["--decoder", "dense"], Dense()),
        (["--decoder", "mmr", "--relevance", "0.8"], MMR(relevance=0.8)),
        (["--decoder", "nnn", "--l1", "0.05", "--l2", "0.3"], NNN(l1=0.05, l2=0.3)),
        (["--decoder", "l1", "--l1", "0.1"], NNN(l1=0.1, l2=0.0)),
        (["--decoder", "l2"], NNN(l1=0.0)),
    ],
)
def test_json_is_one_object_with_the_true_figures(folder: Path, arguments: list[str], decoder: Any) -> None:
    plain = ("--space", "dense", "--no-parts")
    done = run(folder, *arguments, *plain, "--cache", folder / "cache", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    expected = by_hand(folder, "test", decoder)
    assert {name: result[name] for name in expected} == pytest.approx(expected)
    assert result["queries"] == 35
    assert result["decoder"] == arguments[1]
    assert result["params"] == decoder.__dict__


def test_dense_gains_nothing_over_dense_in_the_same_space(folder: Path) -> None:
    asked = (folder, "--decoder", "dense", "--cache", folder / "cache")
    told = json.loads(run(*asked, "--json").stdout)
    assert told["dense in the same space"] == {str(metric): told[str(metric)] for metric in PAPER}
    _, second = run(*asked).stdout.split("beside Dense in the same space")
    assert second.count("+0.0 (") == len(PAPER)
    assert "Dense is that on meaning alone" in second


def test_tuning_takes_the_best_of_the_grid_on_the_split_it_is_given(folder: Path) -> None:
    plain = ("--space", "dense", "--no-parts")
    done = run(folder, "--decoder", "nnn", "--tune", "dev", *plain, "--cache", folder / "cache", "--json")
    assert done.returncode == 0, done.stderr
    chosen = NNN(**json.loads(done.stdout)["params"])
    scores = {decoder: by_hand(folder, "dev", decoder)["comp@5"] for decoder in grid("nnn")[::9]}
    assert by_hand(folder, "dev", chosen)["comp@5"] >= max(scores.values())


def test_of_equals_the_setting_nearest_to_dense_is_taken() -> None:
    corpus = np.eye(20, dtype=np.float32)
    labelled, index = Labelled.of(corpus[:4], [np.array([i]) for i in range(4)]), MemoryIndex(corpus)
    assert best(attempt("mmr", index, labelled)).decoder == MMR(relevance=1.0)
    trials = attempt("nnn", index, labelled)
    assert best(trials).decoder == NNN(l1=0.01, l2=100.0)
    assert len(trials) == 77
    assert all(trial.means[Comp @ 5] == 1.0 for trial in trials)
    values = evaluate(Dense(), index, labelled)
    assert list(values) == list(PAPER)
    assert values[Recall @ 3].tolist() == [1.0] * 4


def test_the_table_compares_with_dense(folder: Path) -> None:
    done = run(folder, "--decoder", "mmr", "--cache", folder / "cache")
    assert done.returncode == 0, done.stderr
    for word in ("recall@3", "comp@5", "95% interval", "difference", "MMR(relevance=0.7", "35 queries"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--decoder", "bm25"], "decoder must be one of 'dense', 'mmr', 'nnn', 'l1', 'l2', 'rrf', got 'bm25'"),
        (["--decoder", "dense", "--l1", "1"], "the decoder 'dense' has no l1"),
        (["--decoder", "nnn", "--l1", "-1"], "l1 must be a finite number >= 0"),
        (["--tune", "dev", "--l1", "0.1"], "--tune chooses the parameters"),
        (["--split", "train"], "no such split; there are: dev, test"),
        (["--encoder", "gpt"], "encoder must be one that works offline"),
    ],
)
def test_bad_input_exits_with_2_and_leaves_nothing(
    folder: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = run(folder, *arguments, "--cache", tmp_path / "cache")
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""
    assert not (tmp_path / "cache").exists()


def test_tune_prints_a_line_to_paste_advice_and_a_heat_map(folder: Path, tmp_path: Path) -> None:
    plot = tmp_path / "grid.png"
    done = run(folder, "--cache", folder / "cache", "--plot", plot, command="tune")
    assert done.returncode == 0, done.stderr
    line = next(line.strip() for line in done.stdout.splitlines() if line.strip().startswith("NNN("))
    best = eval(line.split(" with share")[0], {"NNN": NNN})
    assert replace(best, distinct="auto") in (*grid("nnn"), NNN())
    text = " ".join(done.stdout.split())
    assert "82 settings, 25 queries" in text
    assert "the default" in text.lower()
    assert "ten nearest neighbours" in text
    assert plot.read_bytes().startswith(b"\x89PNG")
    told = json.loads(run(folder, "--cache", folder / "cache", "--json", command="tune").stdout)
    assert NNN(**told["params"]) == best
    plain = run(folder, "--cache", folder / "cache", "--space", "dense", "--no-parts", "--json", command="tune")
    told = json.loads(plain.stdout)
    best = NNN(**told["params"])
    assert told["comp@5"] == pytest.approx(by_hand(folder, "dev", best)["comp@5"])
    assert told["dense comp@5"] == pytest.approx(by_hand(folder, "dev", Dense())["comp@5"])
    assert len(told["trials"]) == 77


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "grid.jpg"], "plot must be a .png file"),
        (["--plot", "nowhere/grid.png"], "plot must be a .png file in a folder that exists"),
        (["--decoder", "dense"], "decoder must be one of 'mmr', 'nnn', 'l1', 'l2', got 'dense'"),
        (["--split", "train"], "no such split"),
        (["--unlabelled", "--decoder", "mmr"], "--unlabelled is for the decoder nnn"),
        (["--unlabelled", "--plot", "grid.png"], "--unlabelled is for the decoder nnn, and has no grid to plot"),
    ],
)
def test_tune_says_what_is_wrong(folder: Path, arguments: list[str], message: str) -> None:
    done = run(folder, *arguments, command="tune")
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
