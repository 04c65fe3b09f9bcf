"""ToolLens (Qu et al., CIKM 2024): the data set that comes with COLT."""

from __future__ import annotations

from pathlib import Path

from coverset.lines import FileError, records
from coverset.originals.collection import SPLITS, Collection, Document, Query, drawn
from coverset.originals.files import rows, text

FILES = (
    "corpus.jsonl", "queries.jsonl", "qrels/train.tsv", "qrels/test.tsv", "scene_tool.txt",
    "query_scene_train.txt", "query_scene_test.txt",
)  # fmt: skip
# The paper's share of the published train split; its own draw is not published.
DEV = 0.2


def files(_name: str) -> tuple[str, ...]:
    """Return the names of the files that it is read from."""
    return tuple(f"*{name}" for name in FILES)


def read(folder: Path, _name: str, seed: int = 0) -> Collection:
    """Read it from the authors' folder, or from their repository, which has it in datasets/ToolLens."""
    inside = folder / "datasets" / "ToolLens"
    folder = inside if inside.is_dir() else folder
    for name in FILES:
        if not (folder / name).is_file():
            raise FileError(f"{folder}: there is no {name} in it")
    documents = [
        Document(text(where, entry, "_id"), entry.get("title") or "", text(where, entry, "text"))
        for where, entry in _lines(folder / "corpus.jsonl")
    ]
    texts = {text(where, e, "_id"): text(where, e, "text") for where, e in _lines(folder / "queries.jsonl")}
    train, again = _queries(folder / "qrels" / "train.tsv", texts)
    test, and_again = _queries(folder / "qrels" / "test.tsv", texts)
    splits = {**drawn(train, {"dev": DEV}, "train", seed), "test": test}
    notes = [
        f"The published test split; {DEV:.0%} of the published train split, drawn with seed {seed}, are dev. The "
        "published tuning files are the test split and were not used.",
        f"Rows of the labels that occur again were dropped: {again} in train, {and_again} in test.",
    ]
    return Collection("ToolLens (Qu et al., CIKM 2024, COLT)", documents, splits, notes, _scenes(folder, splits))


def _lines(path: Path) -> list[tuple[str, dict[str, str]]]:
    return [(f"{path}:{line}", record) for line, record in records(path)]


def _queries(path: Path, texts: dict[str, str]) -> tuple[list[Query], int]:
    """Return the labelled queries of a split, and how many of its rows were there before."""
    relevant: dict[str, dict[str, None]] = {}
    repeated = 0
    for where, (query, document, score) in rows(path, 3):
        if query not in texts:
            raise FileError(f"{where}: the query {query!r} is not in queries.jsonl")
        if score.strip() != "1":
            raise FileError(f"{where}: the score must be 1, got {score!r}")
        repeated += document in relevant.setdefault(query, {})
        relevant[query][document] = None
    return [Query(query, texts[query], tuple(found)) for query, found in relevant.items()], repeated


def _scenes(folder: Path, splits: dict[str, list[Query]]) -> list[dict[str, object]]:
    """Return every scene with its tools and, by split, its queries; a train query must be in one."""
    tools: dict[str, dict[str, None]] = {}
    for _, (scene, tool) in rows(folder / "scene_tool.txt", 2):
        tools.setdefault(scene, {})[tool] = None
    scene_of: dict[str, str] = {}
    for split in ("train", "test"):
        for where, (identifier, scene) in rows(folder / f"query_scene_{split}.txt", 2):
            if scene not in tools:
                raise FileError(f"{where}: the scene {scene!r} is not in scene_tool.txt")
            scene_of[identifier] = scene
    members: dict[str, dict[str, list[str]]] = {scene: {split: [] for split in SPLITS} for scene in tools}
    for split in SPLITS:
        for query in splits[split]:
            if query.id in scene_of:
                members[scene_of[query.id]][split].append(query.id)
            elif split == "train":
                raise FileError(f"{folder}/query_scene_train.txt: the train query {query.id!r} is in no scene")
    return [{"scene": scene, "tools": list(tools[scene]), "queries": members[scene]} for scene in tools]
