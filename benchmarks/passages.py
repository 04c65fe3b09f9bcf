"""Long documents whole, and in passages: which of them a search finds.

Eight documents at a time, in random order, are joined into a long one; what is relevant is then the long documents
that hold what was. They are searched as they are, of which the encoder reads the beginning, and in passages of
several sizes, one passage per document.

    python -m benchmarks.passages DATASET... --out benchmarks/results [--queries 300]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from coverset import NNN, Dense, Retriever
from coverset.decoders import Decoder
from coverset.evaluation.datasets import Dataset, Split, load
from coverset.evaluation.metrics import Comp, Recall
from coverset.lines import FileError
from coverset.sources import passages
from coverset.store.whole import document_of

TOGETHER = 8
SIZES = (None, 500, 1000, 2000)
METRICS = (Recall @ 3, Recall @ 5, Comp @ 3, Comp @ 5)
DECODERS: tuple[Decoder, ...] = (Dense(), NNN())


def joined(data: Dataset) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Return long documents, and which of them each document went into."""
    order = np.random.default_rng(0).permutation(len(data.ids))
    documents, home = [], {}
    for number, start in enumerate(range(0, len(order), TOGETHER)):
        rows = order[start : start + TOGETHER]
        documents.append({"id": f"long {number}", "text": "\n\n".join(data.texts[row] for row in rows)})
        home.update({data.ids[row]: f"long {number}" for row in rows})
    return documents, home


def measured(data: Dataset, size: int | None, queries: int) -> Iterator[dict[str, Any]]:
    """Yield Recall and Comp at 3 and 5, in percent, over long documents, for every split and decoder.

    Of each split so many queries are asked at most, the first ones.
    """
    documents, home = joined(data)
    with tempfile.TemporaryDirectory() as folder:
        store = Retriever.open(Path(folder) / "long.cover")
        store.add(documents if size is None else passages(documents, size))
        for split, labelled in splits(data):
            for decoder in DECODERS:
                found = []
                for query, relevant in list(zip(labelled.texts, labelled.relevant, strict=True))[:queries]:
                    wanted = {home[data.ids[row]] for row in relevant}
                    hits = store.search(query, k=5, decoder=decoder, per="document")
                    found.append([metric([document_of(hit) for hit in hits], wanted) for metric in METRICS])
                means = 100 * np.mean(found, axis=0)
                figures = {str(m).lower(): round(float(mean), 1) for m, mean in zip(METRICS, means, strict=True)}
                about = {"set": data.folder.name, "split": split, "size": size, "decoder": type(decoder).__name__}
                yield {**about, "documents": len(documents), "rows": len(store), "queries": len(found), **figures}


def splits(data: Dataset) -> Iterator[tuple[str, Split]]:
    """Yield the splits that have queries: hotpotqa_small, say, has a test split only."""
    for name in ("dev", "test"):
        with suppress(FileError):
            yield name, data.split(name)


def report(rows: list[dict[str, Any]]) -> str:
    """Return the figures as a table."""
    lines = ["| set | split | passages of | rows | decoder | Recall@3 | Recall@5 | Comp@3 | Comp@5 |"]
    lines.append("|---|---|--:|--:|---|--:|--:|--:|--:|")
    for row in rows:
        figures = " | ".join(f"{row[name]:.1f}" for name in ("recall@3", "recall@5", "comp@3", "comp@5"))
        size = "whole" if row["size"] is None else f"{row['size']:,}"
        lines.append(f"| {row['set']} | {row['split']} | {size} | {row['rows']} | {row['decoder']} | {figures} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=300)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for folder in arguments.datasets:
        data = load(folder)
        for size in SIZES:
            for row in measured(data, size, arguments.queries):
                rows.append(row)
                print(row, flush=True)
    rows.sort(key=lambda row: (row["set"], row["split"]))
    (arguments.out / "passages.json").write_text(json.dumps(rows, indent=1) + "\n")
    (arguments.out / "passages.md").write_text(report(rows))


if __name__ == "__main__":
    main()
