"""From a name and a source to a folder in BEIR layout: there whole, or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from coverset.inputs import as_choice
from coverset.originals import multihoprag, toolbank, toollens
from coverset.originals.collection import SPLITS, Collection
from coverset.originals.counts import Counts, differences
from coverset.originals.files import folder_of

READERS = {**dict.fromkeys(toolbank.BANKS, toolbank), "toollens": toollens, "multihoprag": multihoprag}
NONE = "The counts are the paper's."


@dataclass(frozen=True)
class Converted:
    """What was written, and where it is not what the paper had."""

    counts: Counts
    differences: list[str]


def convert(name: str, source: str, out: Path) -> Converted:
    """Read what the authors publish, and write it into a new folder; nothing, if anything is wrong.

    Everything is written aside, with a SOURCE.md, and the folder is named when it is complete.
    """
    reader = READERS[as_choice("name", name, tuple(READERS))]
    collection = reader.read(folder_of(source, reader.files(name)), name)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"out must be a new or empty folder, got {out}")
    counts = Counts.of(collection)
    differ = differences(name, counts)
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
    return Converted(counts, differ)


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
