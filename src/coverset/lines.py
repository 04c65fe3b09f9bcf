"""Text files line by line, plain or gzipped, or standard input; every error names the file and the line."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from coverset.plain import Foreign, Json

STDIN = Path("-")


class FileError(ValueError):
    """A file that cannot be used as it is; the message says where and why."""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number, line) of a text file; `-` is standard input."""
    line = 0
    try:
        with _opened(path) as file:
            for line, text in enumerate(file, 1):
                yield line, text.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}:{line}: not UTF-8") from error
    except (EOFError, OSError) as error:
        raise FileError(f"{path}:{line + 1}: cannot be read: {error}") from error


def records(path: Path) -> Iterator[tuple[int, Json]]:
    """Yield (line number, object) of a JSON lines file."""
    for line, text in lines(path):
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except json.JSONDecodeError as error:
            raise FileError(f"{path}:{line}: not JSON: {error.msg} at column {error.colno}") from error
        except RecursionError as error:
            raise FileError(f"{path}:{line}: not JSON that can be read: nested too deeply") from error
        if not isinstance(record, dict):
            raise FileError(f"{path}:{line}: expected an object, got {type(record).__name__}")
        yield line, record


def _opened(path: Path) -> Foreign:
    if path == STDIN:
        return nullcontext(sys.stdin.buffer)
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")
