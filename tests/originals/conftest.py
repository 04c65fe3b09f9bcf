"""Small files of our own in the formats that the authors of the paper's data sets use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Tree = dict[str, Any]


def toolbank() -> Tree:
    """NumpyBank: five tools of which one is described twice and one does not count."""
    tools = {
        "np.sort": ("ordered", "Sort the elements."),
        "np.unique": ("distinct", "Keep each element once."),
        "np.unique_values": ("distinct", "Another text for the same name."),
        "np.mean": ("average", "Add up and divide."),
        "np.private": ("hidden", "Counts for nothing."),
    }
    bank = {old: {"new_func": new, "description": told, "class": "ndarray"} for old, (new, told) in tools.items()}
    queries = {
        "train": [("Sort, then drop what occurs twice.", ["ordered", "distinct"])],
        "val": [("The mean of distinct elements.", ["average", "distinct", "average"])],
        "test": [("All three.", ["distinct", "average", "ordered"]), ("Order them.", ["ordered"])],
    }
    return {
        "toolrag/bank_numpy/numpy_function_descriptions.json": bank,
        "all_tools.json": {name: name for name in ("ordered", "distinct", "average", "of another bank")},
        **{
            f"NumpyBank_{split}.json": [
                {"refined_instruction": text, "functions": tools, "explanation": "dropped"}
                for text, tools in found
            ]
            for split, found in queries.items()
        },
    }


def toollens() -> Tree:
    """ToolLens: eleven train queries and one test query over two scenes, with rows that occur again."""
    train = [(f"{n}", "0" if n % 2 else "1") for n in range(11)]
    tools = {"0": ["a", "b", "a"], "1": ["c"]}
    labels = [f"{query}\t{tool}\t1" for query, scene in train for tool in tools[scene]]
    return {
        "corpus.jsonl": [{"_id": i, "title": "", "text": f"tool {i}", "metadata": {}} for i in "abc"],
        "queries.jsonl": [{"_id": f"{n}", "text": f"request {n}", "metadata": {}} for n in range(12)],
        "qrels/train.tsv": labels,
        "qrels/test.tsv": ["query-id\tcorpus-id\tscore", "11\tb\t1", "11\ta\t1", "11\tb\t1"],
        "scene_tool.txt": [f"{scene}\t{tool}" for scene, found in tools.items() for tool in found],
        "query_scene_train.txt": [f"{query}\t{scene}" for query, scene in train],
        "query_scene_test.txt": ["11\t0"],
    }


def multihoprag() -> Tree:
    """MultiHop-RAG: three articles, and twenty-one questions of which one has no evidence."""
    articles = [
        {
            "title": f"Title {n}", "author": None, "source": "A paper", "published_at": "2023-11-01T00:00:00",
            "category": "technology", "url": f"https://example.org/{n}", "body": f"The body of article {n}.",
        }
        for n in range(3)
    ]  # fmt: skip
    evidence = [{"url": f"https://example.org/{n}", "fact": f"Fact {n}.", "title": "Title"} for n in (0, 2, 0)]
    questions = [
        {"query": f"Question {n}?", "answer": "Yes", "question_type": "inference_query", "evidence_list": evidence}
        for n in range(20)
    ]
    nothing = {"query": "Nothing?", "answer": "-", "question_type": "null_query", "evidence_list": []}
    return {"dataset/corpus.json": articles, "dataset/MultiHopRAG.json": [nothing, *questions]}


TREES: dict[str, Callable[[], Tree]] = {
    "numpybank": toolbank, "toollens": toollens, "multihoprag": multihoprag,
}  # fmt: skip


def lay(tree: Tree, folder: Path) -> Path:
    """Write files: JSON, JSON lines, or lines of text."""
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".json"):
            path.write_text(json.dumps(content), encoding="utf-8")
        else:
            lines = (json.dumps(line) if isinstance(line, dict) else line for line in content)
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture(params=TREES)
def original(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A data set's name, and a folder with its authors' files."""
    return request.param, lay(TREES[request.param](), tmp_path / "source")
