"""From a name and a source to a folder in BEIR layout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from coverset.inputs import as_choice
from coverset.originals import multihoprag, toolbank, toollens
from coverset.originals.counts import Counts
from coverset.originals.files import located
from coverset.originals.writing import write

READERS = {**dict.fromkeys(toolbank.BANKS, toolbank), "toollens": toollens, "multihoprag": multihoprag}


@dataclass(frozen=True)
class Converted:
    """What was written, and where it is not what the paper had."""

    counts: Counts
    differences: list[str]


def convert(name: str, source: str, out: Path) -> Converted:
    """Read what the authors publish, and write it as a folder in BEIR layout; nothing, if anything is wrong."""
    reader = READERS[as_choice("name", name, tuple(READERS))]
    collection = reader.read(located(source, reader.files(name)), name)
    return Converted(Counts.of(collection), write(collection, name, source, out))
