"""A collection as a folder in BEIR layout: there whole, or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from coverset.originals.collection import SPLITS, Collection
from coverset.originals.counts import Counts, differences

NONE = "The counts are the paper's."


def write(collection: Collection, name: str, source: str, out: Path) -> list[str]:
    """Write a collection into a new folder, with a SOURCE.md; returns how its counts differ from the paper's.

    Everything is written aside, and the folder is named when it is complete.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"out must be a new or empty folder, got {out}")
    differ = differences(name, Counts.of(collection))
    out.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        _fill(aside, collection)
        (aside / "SOURCE.md").write_text(_about(collection, name, source, differ), encoding="utf-8")
        aside.chmod(0o755)
        os.replace(aside, out)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return differ


def _fill(folder: Path, collection: Collection) -> None:
    documents = ({"_id": d.id, "title": d.title, "text": d.text} for d in collection.documents)
    _lines(folder / "corpus.jsonl", documents)
    _lines(folder / "queries.jsonl", ({"_id": q.id, "text": q.text} for n in SPLITS for q in collection.splits[n]))
    if collection.scenes:
        _lines(folder / "scenes.jsonl", collection.scenes)
    (folder / "qrels").mkdir()
    for name in SPLITS:
        pairs = [
            f"{query.id}\t{document}\t1\n" for query in collection.splits[name] for document in query.relevant
        ]
        text = "query-id\tcorpus-id\tscore\n" + "".join(pairs)
        (folder / "qrels" / f"{name}.tsv").write_text(text, encoding="utf-8")


def _lines(path: Path, entries: Iterable[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def _about(collection: Collection, name: str, source: str, differ: list[str]) -> str:
    told = [
        f"# {name}", "", f"{collection.title}, made by `coverset dataset {name}`.", f"Source: {source}", "",
        *(f"- {note}" for note in collection.notes), "", "Counts:", f"- corpus {len(collection.documents)}",
    ]  # fmt: skip
    for split in SPLITS:
        sizes = [len(query.relevant) for query in collection.splits[split]]
        mean = sum(sizes) / len(sizes)
        about = f"relevant per query min {min(sizes)} / max {max(sizes)} / mean {mean:.4f}"
        told.append(f"- {split}: {len(sizes)} queries, {about}")
    told += ["", *([f"- {line}" for line in differ] or [NONE])]
    return "\n".join(told) + "\n"
