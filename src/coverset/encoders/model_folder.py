"""Encoders kept in a folder: what training leaves behind, and any sentence-transformers model.

A folder of ours has `coverset.json`: its kind, the encoder underneath (a name, or `base` beside it), and next to
it plain tensors in safetensors files. Nothing in it is ever executed or unpickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from coverset.encoders import Encoder, load_encoder
from coverset.encoders.trained import AdaptedEncoder, TableEncoder

CARD = "coverset.json"
Kind = Callable[[str, str, Encoder, Path], Encoder]
KINDS: dict[str, Kind] = {"adapted": AdaptedEncoder, "table": TableEncoder}


def load_folder(folder: Path, device: str | None = None, above: tuple[Path, ...] = ()) -> Encoder:
    """Return the encoder in a folder; `above` are the folders that stand on this one."""
    if folder.resolve() in above:
        raise ValueError(f"the encoder in {above[0]} stands on itself: {folder / CARD} leads back to it")
    if (folder / "modules.json").is_file():
        from coverset.encoders.sentence_transformers import SentenceTransformersEncoder

        return SentenceTransformersEncoder(str(folder), device=device)
    kind, base = read_card(folder)
    inside = folder / "base" if base is None else Path(base)
    below = (*above, folder.resolve())
    named = base is not None and not inside.is_dir()
    under = load_encoder(str(base), device) if named else load_folder(inside, device, below)
    return kind(folder.resolve().name, fingerprint(folder), under, folder)


def read_card(folder: Path) -> tuple[Kind, str | None]:
    """Return what kind of encoder a folder of ours holds, and the name of the one underneath, if not beside it."""
    card = folder / CARD
    if not card.is_file():
        raise ValueError(f"encoder must be a folder with {CARD} or modules.json in it, got {folder}")
    try:
        told = json.loads(card.read_text(encoding="utf-8"))
        kind, base = KINDS[told["kind"]], told["base"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{card} is not the card of an encoder: {error!r}") from error
    if base is not None and (not isinstance(base, str) or not base.strip()):
        raise ValueError(f"{card}: base must be the name of an encoder, or null, got {base!r:.100}")
    return kind, base


def fingerprint(folder: Path) -> str:
    """Return a hash over the names and contents of an encoder's files: JSON and safetensors."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix in (".json", ".safetensors") and inside.parts[0] != "training":
            digest.update(str(inside).encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
