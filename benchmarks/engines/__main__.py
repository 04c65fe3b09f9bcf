"""The same answer on every engine: agreement with the exact answer, rounds and time.

    python -m benchmarks.engines --data FOLDER --keep BUILT --out benchmarks/results

FOLDER holds data sets in BEIR layout, among them numpybank and ultratool. Over each of these two, all engines
answer 200 queries, and every exact engine must give the ids and weights of the array in memory. Then all documents
of the folder, repeated and perturbed to 200,000, show how approximate indexes find violators, and what agreement
costs. Times are the best of several within one run; what counts are their ratios.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from benchmarks.engines.common import large
from benchmarks.engines.large import compare_large
from benchmarks.engines.report import markdown
from benchmarks.engines.shards import shards
from benchmarks.engines.small import compare_small


def main() -> None:
    """Measure what is asked for and add it to engines.json; write engines.md from all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of data sets in BEIR layout")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--keep", type=Path, required=True, help="folder that keeps the large indexes, a few GB")
    parser.add_argument("--only", choices=("small", "large", "shards"), help="measure only this part again")
    arguments = parser.parse_args()
    path = arguments.out / "engines.json"
    report = json.loads(path.read_text()) if path.exists() else {}
    report["cores"] = os.cpu_count()
    folders = sorted(f for f in arguments.data.iterdir() if any(f.glob("corpus.jsonl*")))
    if arguments.only in (None, "small"):
        wanted = [f for f in folders if f.name in ("numpybank", "ultratool")]
        report["small"] = [row for folder in wanted for row in compare_small(folder.name, folder)]
    if arguments.only != "small":
        corpus, queries = large(folders)
        arguments.keep.mkdir(parents=True, exist_ok=True)
        if arguments.only in (None, "large"):
            report["large"] = compare_large(corpus, queries, arguments.keep)
        if arguments.only in (None, "shards"):
            report["shards"] = shards(corpus, queries[:32])
    arguments.out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=2) + "\n")
    (arguments.out / "engines.md").write_text(markdown(report))


if __name__ == "__main__":
    main()
