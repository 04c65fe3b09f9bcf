"""`coverset demo` shows what it promises, and says what is wrong with bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coverset.commands import app
from coverset.demo.catalogue import REQUESTS, catalogue, summary


def coverset(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coverset", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={"COLUMNS": "80", "PATH": "", "HOME": "/nonexistent"},
    )


def test_the_catalogue_is_several_hundred_described_functions() -> None:
    tools = catalogue()
    assert len(tools) > 300
    assert tools["np.sort"] == "Return a sorted copy of an array."
    assert tools["np.sin"] == "Trigonometric sine, element-wise."
    assert not any(text.startswith(name.split(".")[-1] + "(") for name, text in tools.items())
    assert summary("f(x)\n\nDo it.\n\nMore.") == "Do it."


def test_every_request_has_a_table_what_changed_and_a_certificate() -> None:
    done = coverset("demo")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    text = " ".join(done.stdout.split())
    for request in REQUESTS:
        assert request in text
    assert text.count("certified optimal") == len(REQUESTS)
    out = [d for found in json.loads(coverset("demo", "--json").stdout) for d in found["dropped"]]
    much = [d for d in out if d["cosine"] >= 0.6]
    assert len(out) >= len(REQUESTS)
    assert text.count("ranks below those that are in") == len(out) - len(much)
    assert [text.count(f"says much of what {d['like']} says (cosine {d['cosine']:.2f})") > 0 for d in much] == [
        True
    ] * len(much)
    assert text.count("brought in from place") >= len(REQUESTS)


def test_json_tells_the_same_of_a_request_of_ones_own() -> None:
    done = coverset("demo", "sort an array and remove the duplicates", "-k", "3", "--json")
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)
    assert {len(picks) for picks in result["picks"].values()} == {3}
    assert result["certified"] is True
    dense, nnn = set(result["picks"]["Dense"]), set(result["picks"]["NNN"])
    assert {d["name"] for d in result["dropped"]} == dense - nnn
    assert {b["name"] for b in result["brought_in"]} == nnn - dense
    assert all(b["dense_rank"] > 3 for b in result["brought_in"])
    assert set(result["picks"]["NNN"]) <= set(catalogue())


def test_what_nothing_answers_is_told_and_not_called_optimal() -> None:
    done = CliRunner().invoke(app, ["demo", "order a pizza"])
    text = " ".join(done.stdout.split())
    assert "Nothing here seems to answer this" in text
    assert "certified" not in text
    (told,) = json.loads(CliRunner().invoke(app, ["demo", "order a pizza", "--json"]).stdout)
    assert (told["answered"], len(told["picks"]["NNN"])) == (False, 1)
    done = CliRunner().invoke(app, ["demo", "invert a matrix, then water the plants"])
    assert "served by none: water the plants" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "-k", "0"], "k must be a whole number >= 1"),
        (["demo", "--l1", "-1"], "l1 must be a finite number >= 0"),
        (["demo", "--l1", "0", "--l2", "0"], "must not both be 0"),
        (["demo", " "], "request must not be empty"),
        (["demo", "--lambda", "1"], "No such option"),
        (["dmo"], "No such command"),
    ],
)
def test_bad_input_exits_with_2_and_says_why(arguments: list[str], message: str) -> None:
    done = coverset(*arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""


def test_version_and_help() -> None:
    import coverset as package

    assert coverset("--version").stdout.strip() == package.__version__
    help_text = coverset("demo", "--help").stdout
    assert 'coverset demo "solve a linear system' in help_text


def test_the_picture_shows_what_each_document_adds(tmp_path: Path) -> None:
    picture = tmp_path / "explained.png"
    done = coverset("demo", "invert a matrix and check that entries are finite", "--plot", str(picture), "--json")
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    (result,) = json.loads(done.stdout)
    for decoder, shares in result["covered"].items():
        assert len(shares) == len(result["picks"][decoder])
        assert all(0 <= before <= after <= 1 for before, after in pairwise(shares))
    assert coverset("demo", "x", "--plot", str(tmp_path / "explained.jpg")).returncode == 2
