"""Files that are there whole or not at all, whenever a run is killed."""

from __future__ import annotations

import os
from pathlib import Path

# What a file is called until it is whole.
ASIDE = ".part"


def write_whole(path: Path, text: str) -> None:
    """Write a text file aside, and then give it its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ASIDE)
    aside.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    os.replace(aside, path)


def empty(folder: Path) -> bool:
    """Say whether nothing is in a folder but what a kill may have left before the first file was whole."""
    return not any(path.is_file() and path.suffix != ASIDE for path in folder.rglob("*"))
