"""A folder of arrays, on disk or in an object store, read by mapping files into memory."""

from __future__ import annotations

import tempfile
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coverset.extras import require


class Folder:
    """A folder, by its path or by a URL that fsspec knows: "s3://bucket/docs", "gs://...", "https://...".

    Files in an object store are fetched once, to a temporary folder of this machine, and mapped from there.
    """

    def __init__(self, place: object) -> None:
        fsspec = require("fsspec", "ray")
        try:
            self.system, path = fsspec.core.url_to_fs(str(place))
        except (ImportError, ValueError) as error:  # the store's own package is missing, or there is no such store
            raise ValueError(
                f"folder must be a path or a URL that fsspec can open, got {place!r}: {error}"
            ) from error
        self.path = path.rstrip("/")

    @property
    def url(self) -> str:
        """The folder as another process, on another machine, can open it."""
        return str(self.system.unstrip_protocol(self.path))

    def empty(self) -> bool:
        """Whether there is nothing in it, or no such folder."""
        return not self.system.exists(self.path) or not self.system.ls(self.path)

    def text(self, name: str) -> str | None:
        """Return a file's text, or None if there is no such file."""
        try:
            return str(self.system.cat_file(f"{self.path}/{name}").decode("utf-8"))
        except FileNotFoundError:
            return None

    def write_text(self, name: str, text: str) -> None:
        """Write a file."""
        self.system.makedirs(self.path, exist_ok=True)
        self.system.pipe_file(f"{self.path}/{name}", text.encode("utf-8"))

    def save(self, name: str, array: NDArray[Any]) -> None:
        """Write an array."""
        self.system.makedirs(self.path, exist_ok=True)
        with self.system.open(f"{self.path}/{name}", "wb") as file:
            np.save(file, array, allow_pickle=False)

    def load(self, name: str) -> NDArray[Any]:
        """Return an array, mapped into memory."""
        path = f"{self.path}/{name}"
        if "file" not in self.system.protocol:
            local = f"{self._fetched.name}/{name}"
            self.system.get_file(path, local)
            path = local
        array: NDArray[Any] = np.load(path, mmap_mode="r")
        return array

    @cached_property
    def _fetched(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="coverset-shard-")
