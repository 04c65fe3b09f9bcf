"""Decoders by name: what is added here is everywhere, and a store's own decoder is changed in one way only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import coverset
from coverset import MMR, NNN, Dense
from coverset.decoders.registry import as_setting, changed, chosen, from_setting, grid, make

FARTHEST = '''
from dataclasses import dataclass, field

import numpy as np

from coverset.decoders.decoder import Decoder
from coverset.decoders.parameter import Parameter
from coverset.selection import Selection


@dataclass(frozen=True)
class Farthest(Decoder):
    """The documents farthest from the query."""

    skip: int = field(
        default=0, metadata=Parameter("leave out so many.", low=0, high=9, kind=int, tried=(0, 1)).offered
    )

    def _decode(self, requests, index, k, *, prepared):
        order = np.argsort(requests.wholes.meaning @ index.vectors(np.arange(len(index))).T)
        return [Selection(row[self.skip : self.skip + k], np.zeros(k, np.float32)) for row in order]
'''
SCRIPT = """
import json
import numpy as np
from coverset import MemoryIndex
from coverset.decoders.registry import from_setting, as_setting, make
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.tuning import attempt
from coverset.server.schemas import Search, Default

trials = attempt("farthest", MemoryIndex(np.eye(3)), Labelled.of(np.eye(3)[:1], [np.array([1, 2])]))
print(json.dumps({
    "tried": [trial.decoder.skip for trial in trials],
    "stored": from_setting(as_setting(make("farthest", {"skip": 3}))).skip,
    "search": Search.model_json_schema()["properties"],
    "accepted": Search(query="x", decoder="farthest", skip=2).given()["skip"],
}))
"""


def test_a_decoder_of_one_file_and_one_line_is_known_everywhere(tmp_path: Path) -> None:
    for module in ("pydantic", "typer"):  # the core is also tested where there is neither service nor command line
        pytest.importorskip(module)
    home = tmp_path / "coverset"
    shutil.copytree(Path(coverset.__file__).parent, home, ignore=shutil.ignore_patterns("__pycache__"))
    (home / "decoders" / "farthest.py").write_text(FARTHEST)
    registry = home / "decoders" / "registry.py"
    registered = registry.read_text().replace('    "nnn": NNN,\n', '    "nnn": NNN,\n    "farthest": Farthest,\n')
    imported = "from coverset.decoders.decoder import Decoder\n"
    registry.write_text(
        registered.replace(imported, f"{imported}from coverset.decoders.farthest import Farthest\n")
    )

    def run(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, timeout=120, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    found = json.loads(run("-c", SCRIPT))
    assert found["tried"] == [0, 1]
    assert found["stored"] == 3
    assert found["accepted"] == 2
    assert "farthest" in found["search"]["decoder"]["anyOf"][0]["enum"]
    bounds = found["search"]["skip"]["anyOf"][0]
    assert (bounds["type"], bounds["minimum"], bounds["maximum"]) == ("integer", 0, 9)
    assert found["search"]["skip"]["description"] == "Farthest: leave out so many."
    assert "Farthest: leave out so many." in run("-m", "coverset", "search", "--help")
    for command in ("search", "tune", "eval"):
        assert "farthest" in run("-m", "coverset", command, "--help")


def test_a_stores_decoder_keeps_what_is_not_changed() -> None:
    own = MMR(relevance=0.3, candidates=40)
    assert changed(own, None, {}) == own
    assert changed(own, None, {"relevance": 0.9, "l1": None}) == MMR(relevance=0.9, candidates=40)
    assert changed(own, "mmr", {}) == own
    assert changed(own, "nnn", {"l1": 0.1}) == NNN(l1=0.1)
    assert changed(NNN(fill=False), None, {"fill": None}) == NNN(fill=False)
    assert changed(NNN(fill=False), None, {"fill": True}) == NNN()
    assert changed(NNN(l1=0.1, l2=0.2, center=True), "nnn", {"l2": 0.5}) == NNN(l1=0.1, l2=0.5, center=True)


@pytest.mark.parametrize(
    ("own", "name", "given", "message"),
    [
        (MMR(), None, {"l1": 0.1}, "the decoder 'mmr' has no l1; it has relevance"),
        (NNN(), None, {"relevance": 0.5}, "the decoder 'nnn' has no relevance; it has l1, l2"),
        (NNN(), "dense", {"l1": 0.1}, "the decoder 'dense' has no l1"),
        (NNN(), "l1", {}, "decoder must be one of 'nnn', 'dense', 'mmr', 'rrf', got 'l1'"),
        (NNN(), None, {"l1": -1.0}, "l1 must be a finite number >= 0, got -1.0"),
    ],
)
def test_a_parameter_that_would_have_no_effect_is_an_error(
    own: NNN | MMR, name: str | None, given: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        changed(own, name, given)


def test_what_is_set_of_a_decoder_leaves_out_flags_that_are_as_they_come() -> None:
    assert chosen(NNN(l1=0.1)) == {"l1": 0.1, "l2": None, "fill": None}
    assert chosen(NNN(fill=False)) == {"l1": None, "l2": None, "fill": False}
    assert chosen(MMR()) == {"relevance": 0.7}


def test_variants_are_nnn_with_a_strength_at_0() -> None:
    assert make("l1", {"l1": 0.3}) == NNN(l1=0.3, l2=0.0)
    assert make("l2", {"l2": 0.3}) == NNN(l1=0.0, l2=0.3)
    with pytest.raises(ValueError, match="the decoder 'l1' has no l2; it has l1"):
        make("l1", {"l2": 0.3})


def test_grids_begin_where_answers_are_most_like_denses() -> None:
    assert grid("dense") == (Dense(),)
    assert grid("mmr") == tuple(MMR(relevance=tenth / 10) for tenth in range(10, -1, -1))
    assert grid("nnn")[:2] == (NNN(l1=0.01, l2=100.0), NNN(l1=0.03, l2=100.0))
    assert grid("nnn")[-1] == NNN(l1=1.0, l2=0.01)
    assert len(grid("nnn")) == 77
    assert grid("l1")[0] == NNN(l1=0.01, l2=0.0)
    assert grid("l2")[0] == NNN(l1=0.0, l2=100.0)


@pytest.mark.parametrize("decoder", [Dense(), MMR(relevance=0.2), NNN(l1=0.1, candidates=9, center=True)])
def test_a_setting_is_plain_data_and_gives_the_decoder_back(decoder: Dense | MMR | NNN) -> None:
    setting = json.loads(json.dumps(as_setting(decoder)))
    assert setting["name"] == type(decoder).__name__
    assert from_setting(setting) == decoder
    assert from_setting(None) == NNN()
