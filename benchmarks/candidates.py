"""What words and parts bring where candidates of another engine are chosen among, as in frameworks.

    python -m benchmarks.candidates shared/data/numpybank shared/data/ultratool ... [--split dev] [--fetch 50]

The candidates are the nearest by meaning, as any vector store returns them. Comp@5, in percent, of the nearest
five; of NNN by meaning alone, by words and meaning, and with parts, the default; and of that with the nearest five
of each part as further candidates, as `JointRetriever` has it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from coverset import NNN
from coverset.arrays import Floats, Ids
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.evaluation.datasets import load
from coverset.evaluation.metrics import Comp
from coverset.integrations.candidates import Candidates, Chooser, Request
from coverset.ranking import ranked

K = 5
DEFAULT = Chooser(K, NNN())
CHOOSERS = {
    "`words=None`": Chooser(K, NNN(), None),
    "`parts=None`": Chooser(K, NNN(), parts=None),
    "the default": DEFAULT,
}
NEAREST, JOINT = "the nearest five", "`JointRetriever`"
COLUMNS = [NEAREST, *CHOOSERS, JOINT]


def measure(folder: Path, split: str, fetch: int, encoder: CachedEncoder) -> dict[str, object]:
    """Return Comp@5 of every way, over the queries of a split."""
    data = load(folder)
    asked, texts = data.split(split), data.texts
    documents, queries = encoder.encode(texts), encoder.encode_queries(asked.texts)
    parts = [DEFAULT.parts_of(text) for text in asked.texts]
    every = list(dict.fromkeys(part for some in parts for part in some))
    known = dict(zip(every, encoder.encode_queries(every), strict=True))

    def nearest(vector: Floats, count: int) -> Ids:
        return ranked((documents @ vector)[None], count)[0]

    def chosen(chooser: Chooser, query: int, among: Ids) -> list[int]:
        candidates = Candidates([data.ids[row] for row in among], [texts[row] for row in among], documents[among])
        request = Request(queries[query], asked.texts[query], known.__getitem__)
        return [int(among[position]) for position, _ in chooser.choose(request, candidates)]

    found: dict[str, list[list[int]]] = {column: [] for column in COLUMNS}
    for query in range(len(queries)):
        near = nearest(queries[query], fetch)
        found[NEAREST].append(near[:K].tolist())
        for name, chooser in CHOOSERS.items():
            found[name].append(chosen(chooser, query, near))
        more = np.concatenate([near, *(nearest(known[part], K) for part in parts[query])])
        found[JOINT].append(chosen(DEFAULT, query, np.array(list(dict.fromkeys(more.tolist())))))
    needed = [list(map(int, relevant)) for relevant in asked.relevant]
    values = {
        column: round(100 * float(np.mean([(Comp @ K)(*pair) for pair in zip(answers, needed, strict=True)])), 1)
        for column, answers in found.items()
    }
    return {"data set": data.folder.name, "split": split, "queries": len(queries), "candidates": fetch, **values}


def main() -> None:
    """Measure, and write candidates.json and candidates.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="data sets in BEIR layout")
    parser.add_argument("--split", default="test")
    parser.add_argument("--fetch", type=int, default=50, help="how many candidates")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    arguments = parser.parse_args()
    encoder = CachedEncoder(load_encoder(), default_folder())
    rows = [measure(folder, arguments.split, arguments.fetch, encoder) for folder in arguments.folders]
    out: Path = arguments.out / f"candidates.{arguments.split}.{arguments.fetch}"
    out.with_name(f"{out.name}.json").write_text(json.dumps(rows, indent=1) + "\n")
    lines = [
        "# Candidates of another engine, chosen among",
        "",
        f"`python -m benchmarks.candidates ... --split {arguments.split} --fetch {arguments.fetch}`; Comp@5.",
        "",
        "| | queries | " + " | ".join(COLUMNS) + " |",
        "|---|--:|" + "--:|" * len(COLUMNS),
        *(
            f"| {row['data set']} | {row['queries']} | " + " | ".join(f"{row[c]:.1f}" for c in COLUMNS) + " |"
            for row in rows
        ),
    ]
    out.with_name(f"{out.name}.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
