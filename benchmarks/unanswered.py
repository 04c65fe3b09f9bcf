"""How often a request is called unanswered: over its own corpus, where that is wrong, and over others.

    python -m benchmarks.unanswered DATA --out benchmarks/results [--encoder E]

Up to 200 requests of each dev and train split, over the corpus of every set: by words and meaning, as a search
judges, and by meaning alone, for cosines below which the nearest document would have to be called no answer.
Requests of one set over another's corpus are not all without an answer there, gibberish is.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from coverset.decoders import NNN
from coverset.decoders.kinds import as_searched
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.encoders.hybrid import Hybrid
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.evaluation.datasets import load
from coverset.explaining.floor import Judged, decoded
from coverset.indexes import MemoryIndex
from coverset.vectors import Vectors

SETS = ("numpybank", "ultratool", "multihoprag_facts", "metatool", "toollens")
MOST, K = 200, 5
COSINES = (0.15, 0.18, 0.20, 0.25)
GIBBERISH, EVERYDAY = "gibberish", "everyday"
# Written down before anything was searched.
EVERYDAYS = (
    "order a pizza",
    "walk the dog",
    "water the plants",
    "who won the election in France?",
    "bake a chocolate cake",
    "negotiate a peace treaty",
    "sing me a song",
    "what should I wear tonight",
    "how do I get a baby to sleep",
    "mow the lawn",
    "paint the kitchen wall blue",
    "best beach in Portugal",
    "tie a tie",
    "fix a flat bicycle tyre",
    "learn to play the violin",
    "when do the shops close on Sunday",
    "feed the cat",
    "knit a scarf",
)


def gibberish(count: int = 60) -> list[str]:
    """Return requests of two to five words of random letters."""
    rng, letters = np.random.default_rng(1), np.array(list("abcdefghijklmnopqrstuvwxyz"))
    return [
        " ".join("".join(rng.choice(letters, rng.integers(3, 8))) for _ in range(rng.integers(2, 6)))
        for _ in range(count)
    ]


def requests(folder: Path) -> list[str]:
    """Return up to `MOST` requests of the dev split and as many of train."""
    data, chosen = load(folder), []
    for split in ("dev", "train"):
        texts = data.split(split).texts
        rows = np.sort(np.random.default_rng(0).permutation(len(texts))[:MOST])
        chosen += [texts[row] for row in rows.tolist()]
    return chosen


def measure(data: Path, encoder: CachedEncoder) -> dict[str, Any]:
    """Return, by corpus and kind of request, the share called unanswered, and that below each cosine."""
    asked = {name: requests(data / name) for name in SETS}
    asked |= {GIBBERISH: gibberish(), EVERYDAY: list(EVERYDAYS)}
    both: dict[str, dict[str, float]] = {}
    meaning: dict[str, dict[str, list[float]]] = {}
    for name in SETS:
        texts, analyser = load(data / name).texts, Analyser()
        vocabulary, words = Vocabulary.of([analyser.counts(text) for text in texts])
        index = MemoryIndex(Vectors(encoder.encode(texts), words))
        reader = Hybrid(encoder.encode_queries, analyser, vocabulary)
        both[name], meaning[name] = {}, {}
        for kind, some in asked.items():
            wholes = reader.vectors(some)
            readings = reader.read(some, wholes, reader.parts(some), guessed=True)
            found = decoded(readings, index, as_searched(NNN(), index), K)
            told = [not Judged.of(r, index, s).answered for r, s in zip(readings, found, strict=True)]
            nearest = (wholes.meaning @ index.corpus.meaning.T).max(axis=1)
            both[name][kind] = float(np.mean(told))
            meaning[name][kind] = [float((nearest < cosine).mean()) for cosine in COSINES]
    return {"requests": {kind: len(some) for kind, some in asked.items()}, "both": both, "meaning": meaning}


def table(results: dict[str, Any]) -> str:
    """Return the results as tables."""
    kinds = list(results["requests"])
    lines = [
        "| called unanswered, % | " + " | ".join(f"over {name}" for name in SETS) + " |",
        "|---|" + "--:|" * len(SETS),
    ]
    for kind in kinds:
        cells = [f"{100 * results['both'][name][kind]:.1f}" for name in SETS]
        cells = [f"**{cell}**" if name == kind else cell for name, cell in zip(SETS, cells, strict=True)]
        lines.append(f"| {kind} ({results['requests'][kind]}) | " + " | ".join(cells) + " |")
    lines += [
        "",
        "By meaning alone, if the nearest document had to have a cosine of at least:",
        "",
        "| % | " + " | ".join(f"{cosine:.2f}" for cosine in COSINES) + " |",
        "|---|" + "--:|" * len(COSINES),
    ]
    for name in SETS:
        lines.append(f"| {name}, over its own | " + _row([results["meaning"][name][name]]) + " |")
    others = [results["meaning"][a][b] for a in SETS for b in SETS if a != b]
    lines.append("| requests of another set, mean | " + _row(others) + " |")
    for kind in (GIBBERISH, EVERYDAY):
        lines.append(f"| {kind}, mean | " + _row([results["meaning"][name][kind] for name in SETS]) + " |")
    lines += [
        "",
        f"{results['encoder']}. Made by `python -m benchmarks.unanswered DATA`.",
    ]
    return "\n".join(lines) + "\n"


def _row(shares: list[list[float]]) -> str:
    return " | ".join(f"{100 * share:.1f}" for share in np.mean(shares, axis=0))


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--cache", type=Path, default=default_folder())
    given = parser.parse_args()
    results = measure(given.data, CachedEncoder(load_encoder(given.encoder), given.cache))
    results["encoder"] = given.encoder
    path = given.out / f"unanswered.{given.encoder}.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(table(results), encoding="utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
