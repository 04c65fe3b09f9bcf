"""Writes to a store whose outcome is known: the n-th write is a function of n, and so are the contents after it.

    python -m tests.store.history FOLDER

reads the first and the last n, makes these writes, and says `done n` when one has been acknowledged.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coverset import Retriever
from coverset.store import table
from tests.store.words import Words

WORDS = ["red", "green", "blue", "fox", "whale", "frog", "runs", "swims", "jumps", "sleeps"]
ROOT = Path(__file__).parents[2]
IDS = [f"d{n}" for n in range(30)]


def write(n: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the documents that the n-th write upserts, or the ids that it deletes."""
    rng = random.Random(n)
    ids = rng.sample(IDS, rng.randint(1, 5))
    if n and rng.random() < 0.3:
        return [], ids
    return [
        {"id": i, "text": " ".join(rng.choices(WORDS, k=4)), "meta": {"write": n, "of": len(ids)}} for i in ids
    ], []


def contents(writes: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return what is in the store after so many writes: id -> text and metadata."""
    documents: dict[str, tuple[str, dict[str, Any]]] = {}
    for n in range(writes):
        new, gone = write(n)
        documents.update({d["id"]: (d["text"], d["meta"]) for d in new})
        for identifier in gone:
            documents.pop(identifier, None)
    return documents


def found(store: Retriever) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return what is in a store, in the same form."""
    return {document.id: (document.text, document.meta) for document in store}


def tidy_often() -> None:
    """Rewrite the table as one every few writes, and clean old versions away at once."""
    table.TIDY, table.KEPT = 4, table.KEPT / 1e4


class Writer:
    """A process that makes the writes of a history."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.store.history", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def start(self, first: int, last: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{first} {last}\n")
        self.process.stdin.flush()

    def acknowledged(self) -> Iterator[int]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            assert line.startswith("done ")
            yield int(line.split()[1])

    def kill(self) -> list[int]:
        """Kill it; return what it had acknowledged meanwhile."""
        self.process.kill()
        rest = list(self.acknowledged())
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        return rest


def main(folder: Path) -> None:
    """Wait to be told from where to where, then write."""
    tidy_often()
    first, last = map(int, sys.stdin.readline().split())
    store = Retriever.open(folder, encoder=Words())
    for n in range(first, last):
        new, gone = write(n)
        store.add(new)
        store.delete(gone)
        print("done", n, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
