"""A corpus that is on every machine: numpy's own functions, each a tool with a one-line description."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

import numpy as np

from coverset.indexes import MemoryIndex
from coverset.plain import Json
from coverset.store.documents import Document

# Each needs several tools, of which some have many near-duplicates.
REQUESTS = (
    "take the sine of an angle in degrees and round the result to two decimals",
    "invert a matrix, check that all entries are finite and write it to a file",
    "shuffle the rows, split them into two halves and compute the mean of each",
    "smooth a signal with a moving average, take its Fourier transform and find the strongest frequency",
)


@dataclass(frozen=True)
class Tools:
    """Tools that can be searched."""

    ids: list[str]
    texts: list[str]
    index: MemoryIndex
    version: int = 0

    def document(self, row: int) -> Document:
        """Return the tool in a row."""
        return Document(self.ids[row], self.texts[row], {})


def catalogue() -> dict[str, str]:
    """Return name -> description of numpy's public functions."""
    homes: Json = {
        "np": np,
        "np.fft": np.fft,
        "np.linalg": np.linalg,
        "np.random": np.random.Generator,
        "np.strings": getattr(np, "strings", np.char),
    }
    tools = {}
    for home, module in homes.items():
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            function = getattr(module, name, None)
            if name.startswith("_") or not callable(function) or inspect.isclass(function):
                continue
            if text := summary(inspect.getdoc(function) or ""):
                tools[f"{home}.{name}"] = text
    return tools


def summary(docstring: str) -> str:
    """Return the first paragraph that is prose, on one line: compiled functions begin with a signature."""
    for paragraph in re.split(r"\n\s*\n", docstring):
        line = " ".join(paragraph.split())
        if line and not re.match(r"[\w.]+\(.*(\)|\)\s*->.*)$", line):
            return line
    return ""
