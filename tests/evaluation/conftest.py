"""A labelled data set made of numpy's functions: requests that need two of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from coverset.demo.catalogue import catalogue


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, tools = np.random.default_rng(0), list(catalogue().items())[:150]
    path = tmp_path_factory.mktemp("tools")
    (path / "qrels").mkdir()
    documents = [{"_id": name, "text": text} for name, text in tools]
    queries, lines = [], {"dev": ["query-id\tcorpus-id\tscore"], "test": ["query-id\tcorpus-id\tscore"]}
    for number in range(60):
        a, b = rng.choice(len(tools), 2, replace=False)
        queries.append({"_id": f"q{number}", "text": f"{tools[a][1]} And then: {tools[b][1]}"})
        split = "dev" if number < 25 else "test"
        lines[split] += [f"q{number}\t{tools[a][0]}\t1", f"q{number}\t{tools[b][0]}\t1"]
    for name, records in (("corpus", documents), ("queries", queries)):
        (path / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    for split, rows in lines.items():
        (path / "qrels" / f"{split}.tsv").write_text("\n".join(rows) + "\n")
    return path
