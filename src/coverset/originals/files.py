"""The authors' files: where they are, and JSON out of them; every error names the file and the entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from coverset.extras import require
from coverset.lines import FileError
from coverset.plain import Foreign, Json

WORDS: dict[type, str] = {list: "a list", dict: "an object"}


def folder_of(source: str, patterns: tuple[str, ...]) -> Path:
    """Return the folder that a source is; a name on the Hugging Face hub is fetched first.

    `patterns` are the files that are wanted from the hub.
    """
    if Path(source).is_dir():
        return Path(source)
    if source.count("/") != 1 or source.startswith((".", "/")):
        raise FileError(f"source must be a folder, or a data set's name on the hub (owner/name), got {source!r}")
    hub = require("huggingface_hub", "train")
    try:
        return Path(hub.snapshot_download(source, repo_type="dataset", allow_patterns=list(patterns)))
    except (OSError, ValueError, hub.errors.HfHubHTTPError) as error:
        raise FileError(f"{source} is no folder here, and cannot be fetched from the hub: {error}") from error


def find(folder: Path, name: str) -> Path:
    """Return the one file of that name in a folder, however deep."""
    found = sorted(path for path in folder.rglob(name) if path.is_file())
    if not found:
        raise FileError(f"{folder}: there is no {name} in it")
    if any(path.read_bytes() != found[0].read_bytes() for path in found[1:]):
        raise FileError(f"{folder}: there are different files {name}: {', '.join(map(str, found))}")
    return found[0]


def read_json(path: Path, *kinds: type) -> Foreign:
    """Read a JSON file that must hold a list, or an object, or either."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(f"{path}: not JSON that can be read: {error}") from error
    if not isinstance(value, kinds):
        raise FileError(
            f"{path}: expected {' or '.join(WORDS[kind] for kind in kinds)}, got {type(value).__name__}"
        )
    return value


def entries(path: Path) -> Iterator[tuple[str, Json]]:
    """Yield (where it stands, object) of a JSON file that holds a list of objects."""
    for number, entry in enumerate(read_json(path, list)):
        where = f"{path}, entry {number}"
        if not isinstance(entry, dict):
            raise FileError(f"{where}: expected an object, got {type(entry).__name__}")
        yield where, entry


def text(where: str, entry: Json, name: str) -> str:
    """Return a field that must be a string with something in it."""
    value = entry.get(name)
    if not isinstance(value, str) or not value.strip():
        raise FileError(f"{where}: {name!r} must be a string, got {value!r}")
    return value


def strings(where: str, entry: Json, name: str) -> list[str]:
    """Return a field that must be a list of strings, each of them once."""
    value = entry.get(name)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FileError(f"{where}: {name!r} must be a list of strings, got {value!r}")
    return list(dict.fromkeys(value))


def rows(path: Path, width: int) -> Iterator[tuple[str, list[str]]]:
    """Yield (where it stands, cells) of a tab-separated file, without its header if it has one."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if number == 1 and cells[0] == "query-id":
            continue
        if len(cells) != width:
            raise FileError(f"{path}:{number}: expected {width} cells, tab-separated, got {len(cells)}")
        yield f"{path}:{number}", cells
