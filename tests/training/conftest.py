"""A small real data set: numpy's own functions as documents, and requests that need two of them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from coverset.demo.catalogue import catalogue

NAMES = (
    "np.sort", "np.unique", "np.sin", "np.round", "np.mean", "np.cumsum", "np.reshape", "np.concatenate",
    "np.dot", "np.histogram", "np.percentile", "np.isnan",
)  # fmt: skip


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in BEIR layout: every two of the functions, in their own words, are a query that needs both."""
    folder = tmp_path_factory.mktemp("numpy")
    tools = catalogue()
    corpus = [{"_id": name, "title": name, "text": tools[name]} for name in NAMES]
    pairs = list(itertools.combinations(NAMES, 2))
    queries = [{"_id": f"q{n}", "text": f"{tools[a]} Then: {tools[b]}"} for n, (a, b) in enumerate(pairs)]
    for name, records in (("corpus", corpus), ("queries", queries)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "qrels").mkdir()
    for split, rest in (("train", (0, 1, 2)), ("dev", (3,)), ("test", (4,))):
        chosen = [(n, tool) for n, pair in enumerate(pairs) if n % 5 in rest for tool in pair]
        lines = "query-id\tcorpus-id\tscore\n" + "".join(f"q{n}\t{tool}\t1\n" for n, tool in chosen)
        (folder / "qrels" / f"{split}.tsv").write_text(lines, encoding="utf-8")
    return folder
