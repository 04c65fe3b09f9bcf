"""Encoders kept in a folder: what training leaves behind, and any sentence-transformers model.

A folder of ours has `coverset.json`: its kind, the encoder underneath (a name, or `base` beside it), and next to
it plain tensors in safetensors files. Nothing in it is ever executed or unpickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from coverset.encoders.adapted import AdaptedEncoder
from coverset.encoders.protocol import Encoder
from coverset.encoders.table import TableEncoder

CARD = "coverset.json"
KINDS: dict[str, Callable[[str, str, Encoder, Path], Encoder]] = {
    "adapted": AdaptedEncoder,
    "table": TableEncoder,
}


def load_folder(folder: Path, load: Callable[[str, str | None], Encoder], device: str | None = None) -> Encoder:
    """Return the encoder in a folder; `load` returns the encoder underneath, by its name and device."""
    if (folder / "modules.json").is_file():
        from coverset.encoders.sentence_transformers import SentenceTransformersEncoder

        return SentenceTransformersEncoder(str(folder), device=device)
    card = folder / CARD
    if not card.is_file():
        raise ValueError(f"encoder must be a folder with {CARD} or modules.json in it, got {folder}")
    try:
        told = json.loads(card.read_text(encoding="utf-8"))
        kind, base = KINDS[told["kind"]], told["base"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{card} is not the card of an encoder: {error!r}") from error
    under = load_folder(folder / "base", load, device) if base is None else load(base, device)
    return kind(folder.resolve().name, fingerprint(folder), under, folder)


def fingerprint(folder: Path) -> str:
    """Return a hash over the names and contents of an encoder's files: JSON and safetensors."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix in (".json", ".safetensors") and inside.parts[0] != "training":
            digest.update(str(inside).encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
