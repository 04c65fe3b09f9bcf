"""Tensors out of a safetensors file: nothing in it is executed, and a file that is none is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from coverset.extras import require


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return the tensors of a safetensors file by their names."""
    library = require("safetensors", "app")
    if not path.is_file():
        raise ValueError(f"{path} is missing")
    try:
        tensors: dict[str, NDArray[Any]] = require("safetensors.numpy", "app").load_file(path)
    except (library.SafetensorError, ValueError, TypeError) as error:
        raise ValueError(f"{path} is no safetensors file: {error}") from error
    return tensors
