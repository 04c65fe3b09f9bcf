"""What a search finds on labelled sets, untuned: words and meaning, parts and kinds, one step after the other.

    python -m benchmarks.answers DATA --out benchmarks/results [--encoder E] [--split test] [--most N] [SET ...]

Every line is one rule over one space, with no parameter chosen on the set it is measured on. `versions` measures
the same with every document in several versions: what counts is then that one of each was found.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from coverset.arrays import Ids
from coverset.decoders import MMR, NNN, RRF, Decoder, Dense
from coverset.decoders.kinds import as_searched
from coverset.decoders.requests import Requests
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.encoders.hybrid import Hybrid
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.evaluation.datasets import load
from coverset.evaluation.measuring import PAPER
from coverset.evaluation.metrics import Comp, Recall, confidence, paired
from coverset.indexes import MemoryIndex
from coverset.progress import progress
from coverset.vectors import Vectors

SETS = (
    "numpybank",
    "ultratool",
    "multihoprag_facts",
    "metatool",
    "toollens",
    "hotpotqa_small",
    "restbench_tmdb",
    "livemcp",
)
# Name, decoder, space, with parts.
RULES: tuple[tuple[str, Decoder, str, bool], ...] = (
    ("Dense, meaning only", Dense(), "dense", False),
    ("NNN(), meaning only", NNN(), "dense", False),
    ("words only", Dense(), "words", False),
    ("RRF of words and meaning", RRF(), "hybrid", False),
    ("sum of both", Dense(), "hybrid", False),
    ("sum of both, MMR 0.7", MMR(), "hybrid", False),
    ("sum of both, NNN()", NNN(), "hybrid", False),
    ("with parts, sum of both", Dense(), "hybrid", True),
    ("with parts, NNN(): the default", NNN(), "hybrid", True),
)
# What the versions of a document say besides: something before, after or within; dates and numbers that differ.
VERSIONS = (
    "{text}",
    "Internal reference, reviewed by the platform team. {text}",
    "{text} For questions contact the maintainers.",
    "{first} It is commonly used together with related entries. {rest}",
    "Revision 7 of 12 March 2023. {text}",
    "Archived copy; see the change log for details. {text} This entry may be updated without notice.",
    "{text} Checked on 2024-11-05 by 3 reviewers, version 2.14.",
    "{first} An example is given in the guide. {rest} For questions contact the maintainers.",
)


def version(text: str, n: int) -> str:
    """Return the n-th version of a text; the first is as it is."""
    first, *rest = re.split(r"(?<=[.!?])\s+", text, maxsplit=1)
    return VERSIONS[n].format(text=text, first=first, rest=" ".join(rest)).strip()


class Space:
    """A set's documents in several versions, and its queries, by words and meaning."""

    def __init__(
        self, folder: Path, split: str, encoder: CachedEncoder, versions: int, most: int | None = None
    ) -> None:
        data = load(folder)
        labelled = data.split(split)
        rows = np.sort(np.random.default_rng(0).permutation(len(labelled.texts))[:most]).tolist()
        asked = [labelled.texts[q] for q in rows]
        texts = [version(text, n) for text in data.texts for n in range(versions)]
        self.versions, self.relevant = versions, [labelled.relevant[q] for q in rows]
        analyser = Analyser()
        vocabulary, words = Vocabulary.of([analyser.counts(text) for text in texts])
        reader = Hybrid(encoder.encode_queries, analyser, vocabulary)
        meaning = encoder.encode(texts)
        self.indexes = {
            "dense": MemoryIndex(meaning),
            "words": MemoryIndex(Vectors(None, words)),
            "hybrid": MemoryIndex(Vectors(meaning, words)),
        }
        wholes = reader.vectors(asked)
        parts = reader.part_vectors(reader.parts(asked))
        self.cut = float(np.mean([part is not None for part in parts]))
        self.requests = {
            ("dense", False): Requests(Vectors.of(wholes.meaning)),
            ("words", False): Requests(Vectors(None, wholes.words)),
            ("hybrid", False): Requests(wholes),
            ("hybrid", True): Requests.checked(wholes, parts, guessed=True),
        }

    def measure(self, decoder: Decoder, space: str, parts: bool) -> dict[str, list[float]]:
        """Return every metric's value for every query, and how many different documents the first five are."""
        index, requests = self.indexes[space], self.requests[space, parts]
        found = as_searched(decoder, index).decode_batch(
            requests.wholes, index, 5, requests.parts, guessed=requests.guessed
        )
        groups: list[Ids] = [selection.ids // self.versions for selection in found]
        values: dict[str, list[float]] = {
            str(metric): [metric(g.tolist(), r.tolist()) for g, r in zip(groups, self.relevant, strict=True)]
            for metric in PAPER
        }
        values["distinct"] = [float(len(np.unique(g))) for g in groups]
        return values


def summary(values: dict[str, list[float]], baselines: dict[str, list[float]]) -> dict[str, Any]:
    """Return means in percent, and Comp@5's interval and differences from the baselines."""
    comp = values[str(Comp @ 5)]
    told: dict[str, Any] = {
        name: round(100 * float(np.mean(v)), 2) for name, v in values.items() if name != "distinct"
    }
    told["distinct"] = round(float(np.mean(values["distinct"])), 2)
    told["interval"] = [round(100 * x, 1) for x in confidence(comp)]
    for name, base in baselines.items():
        change = paired(base, comp)
        told[f"over {name}"] = [round(100 * x, 1) for x in (change.mean, change.low, change.high)]
    return told


def run(folder: Path, split: str, encoder: CachedEncoder, versions: int, most: int | None) -> dict[str, Any]:
    """Measure every rule on one set."""
    space = Space(folder, split, encoder, versions, most)
    values = {name: space.measure(decoder, kind, parts) for name, decoder, kind, parts in RULES}
    baselines = {"Dense": values[RULES[0][0]][str(Comp @ 5)], "RRF": values[RULES[3][0]][str(Comp @ 5)]}
    return {
        "queries": len(space.relevant),
        "come apart": round(100 * space.cut, 1),
        "rules": {name: summary(v, baselines) for name, v in values.items()},
    }


def table(record: dict[str, Any], metric: str) -> str:
    """Return the sets' figures for one metric as a Markdown table, with the mean over sets."""
    sets = list(record)
    lines = ["| | " + " | ".join(sets) + " | mean |", "|---|" + "--:|" * (len(sets) + 1)]
    for name, *_ in RULES:
        row = [record[s]["rules"][name][metric] for s in sets]
        lines.append(f"| {name} | " + " | ".join(f"{x:.1f}" for x in [*row, float(np.mean(row))]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and write a table and a JSON file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("sets", nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--split", default="test")
    parser.add_argument("--versions", type=int, default=1, choices=range(1, len(VERSIONS) + 1))
    parser.add_argument("--most", type=int, help="so many queries of a split at most, drawn with a seed")
    arguments = parser.parse_args()
    encoder = CachedEncoder(load_encoder(arguments.encoder), default_folder())
    name = f"answers.{arguments.encoder}.{arguments.split}" + (
        f".{arguments.versions}-versions" if arguments.versions > 1 else ""
    )
    path, sets = arguments.out / f"{name}.json", arguments.sets or list(SETS)
    record: dict[str, Any] = {}
    arguments.out.mkdir(parents=True, exist_ok=True)
    with progress("labelled sets", len(sets)) as advance:
        for each in sets:
            record[each] = run(arguments.data / each, arguments.split, encoder, arguments.versions, arguments.most)
            path.write_text(json.dumps(record, indent=1) + "\n")
            advance(1)
    text = (
        f"# {name}\n\n`python -m benchmarks.answers DATA --encoder {arguments.encoder} --split {arguments.split}"
    )
    most = f" --most {arguments.most}" if arguments.most else ""
    text += f" --versions {arguments.versions}{most} --out benchmarks/results`\n"
    for metric in (str(Comp @ 5), str(Recall @ 5), "distinct"):
        text += f"\n## {metric}\n\n{table(record, metric)}\n"
    (arguments.out / f"{name}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
