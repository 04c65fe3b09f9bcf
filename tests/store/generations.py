"""A store whose documents all change together, so that a mixture of two versions shows.

python -m tests.store.generations write|read|fill FOLDER [NAME]
"""

from __future__ import annotations

import sys
import time
from datetime import timedelta

from coverset import Dense, Retriever
from coverset.store import table
from tests.store.words import Words

LAST = 40
SHORT = timedelta(milliseconds=5)


def write(store: Retriever, n: int) -> None:
    """Make the n-th generation: documents of that generation, a few more or fewer than before."""
    store.delete(["d8", "d9"])
    store.add({"id": f"d{i}", "text": f"number{n} word{i}", "meta": {"n": n}} for i in range(8 + n % 3))


def generation(store: Retriever) -> int:
    """Return which generation a search finds, after checking that all its documents are of the same one."""
    (first, *others) = store.search("number1 word1", k=20, decoder=Dense())
    n: int = first.meta["n"]
    assert all(hit.meta == {"n": n} and hit.text == f"number{n} word{hit.id[1:]}" for hit in (first, *others))
    assert 8 <= 1 + len(others) <= 10
    snapshot = store.snapshot()
    assert len({snapshot.document(row).meta["n"] for row in range(len(snapshot))}) == 1
    return n


def read(store: Retriever) -> int:
    """Search until the last generation is there; return how many were seen, each newer than the one before."""
    seen, deadline = [generation(store)], time.monotonic() + 60
    while seen[-1] < LAST:
        assert time.monotonic() < deadline
        if (n := generation(store)) != seen[-1]:
            assert n > seen[-1]
            seen.append(n)
    return len(seen)


def main(what: str, folder: str, name: str = "") -> None:
    # Versions are cleaned away under the readers' hands.
    table.TIDY, table.KEPT = 4, SHORT
    store = Retriever.open(folder, encoder=Words())
    if what == "read":
        print("ready", flush=True)
        print(read(store))
    for n in range(LAST):
        if what == "write":
            write(store, n + 1)
        elif what == "fill":
            store.add([{"id": f"{name}{n}", "text": "red"}])


if __name__ == "__main__":
    main(*sys.argv[1:])
