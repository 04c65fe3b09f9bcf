"""Files that are there whole or not at all, whenever a run is killed."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file aside, and then give it its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ".part")
    aside.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    os.replace(aside, path)
