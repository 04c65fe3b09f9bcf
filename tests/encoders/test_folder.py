"""A folder that is not the encoder it says it is gets a clear error, whoever made it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from coverset.encoders import load_encoder


def card(folder: Path, **told: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "coverset.json").write_text(json.dumps(told))
    return folder


@pytest.mark.parametrize("base", [7, 1.5, True, [], ["a"], {"name": "a"}, "", " "])
def test_a_base_that_is_no_text_is_named(tmp_path: Path, base: Any) -> None:
    folder = card(tmp_path / "m", kind="adapted", base=base)
    with pytest.raises(ValueError, match=r"coverset\.json: base must be the name of an encoder, or null, got"):
        load_encoder(str(folder))


def test_a_card_that_names_itself_as_its_base_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = card(tmp_path / "m", kind="table", base=str(tmp_path / "m"))
    with pytest.raises(ValueError, match="stands on itself"):
        load_encoder(str(folder))
    monkeypatch.chdir(tmp_path)
    card(folder, kind="table", base="m")
    with pytest.raises(ValueError, match="stands on itself"):
        load_encoder("m")


def test_cards_that_name_each_other_and_links_that_lead_back_are_named(tmp_path: Path) -> None:
    card(tmp_path / "a", kind="table", base=str(tmp_path / "b"))
    card(tmp_path / "b", kind="adapted", base=None)
    (tmp_path / "b" / "base").symlink_to(tmp_path / "a")
    for name in "ab":
        with pytest.raises(ValueError, match="stands on itself"):
            load_encoder(str(tmp_path / name))


@pytest.mark.parametrize(
    "text", ["", "[]", "7", "null", '{"kind": "x", "base": null}', '{"kind": [], "base": null}', "[" * 100_000]
)
def test_a_card_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    card(tmp_path)
    (tmp_path / "coverset.json").write_text(text)
    with pytest.raises(ValueError, match=r"coverset\.json is not the card of an encoder"):
        load_encoder(str(tmp_path))


def test_a_base_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must be a folder with coverset\.json .* in it, got .*base"):
        load_encoder(str(card(tmp_path, kind="adapted", base=None)))
    with pytest.raises(ValueError, match=r"encoder must be one that works offline .* got 'no-such-model'"):
        load_encoder(str(card(tmp_path, kind="adapted", base="no-such-model")))


def save(folder: Path, **changed: Any) -> None:
    weight = np.eye(384, dtype=np.float32)
    tensors = {
        "first.weight": weight,
        "second.weight": weight,
        "first.bias": np.zeros(384, np.float32),
        "second.bias": np.zeros(384, np.float32),
        "mix": np.zeros((), np.float32),
        **changed,
    }
    for side in ("query", "document"):
        save_file(
            {name: value for name, value in tensors.items() if value is not None}, folder / f"{side}.safetensors"
        )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mix": None}, "it lacks 'mix'"),
        ({"mix": np.zeros(3, np.float32)}, "is no adapter"),
        ({"first.weight": np.zeros(384, np.float32)}, "must have 2 dimensions"),
        ({"first.weight": np.zeros((8, 16), np.float32)}, "is for vectors of width 16"),
    ],
)
def test_tensors_that_do_not_fit_are_named(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    save(card(tmp_path / "m", kind="adapted", base="all-MiniLM-L6-v2"), **changed)
    with pytest.raises(ValueError, match=f"safetensors.*{message}"):
        load_encoder(str(tmp_path / "m"))


@pytest.mark.parametrize("content", [None, b"", b"\x08", b"\xff" * 100, b"\x02\x00\x00\x00\x00\x00\x00\x00{}rest"])
def test_a_file_that_holds_no_tensors_is_named(tmp_path: Path, content: bytes | None) -> None:
    for kind, name in (("adapted", "query"), ("table", "documents")):
        folder = card(tmp_path / kind, kind=kind, base="all-MiniLM-L6-v2")
        if content is not None:
            (folder / f"{name}.safetensors").write_bytes(content)
        with pytest.raises(ValueError, match=rf"{name}\.safetensors is (missing|no )"):
            load_encoder(str(folder))
