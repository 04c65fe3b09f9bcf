"""What words and parts cost: the same decode by both halves and by meaning alone, in one run.

    python -m benchmarks.hybrid --out benchmarks/results [--documents 10000 100000]

Texts are descriptions of functions, with the meaning perturbed so that no two documents are the same: each
repeated with some words added, a corpus of versions; or two of them together, each pair at most a few times; or
two and ten words that no other document has, for the millions of terms that as many different texts would have.
Vectors in; times are the best of several, and those of single requests the mean over some. Memory is that of the
index, both halves and the postings with their weights, over the dense half and 16 bytes a stored term.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study import functions
from coverset import NNN, Dense, MemoryIndex, Vectors
from coverset.encoders.hybrid import Hybrid
from coverset.encoders.onnx import OnnxEncoder
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.evaluation.speed import best
from coverset.indexes.memory.postings import Postings

BATCH, SINGLE, REPEATS, ASKED = 64, 16, 7, 4
KINDS, OWN = ("versions", "pairs", "words of their own"), 10
GIVEN = NNN(l1=0.1, l2=0.1)


def corpus(
    n: int, rng: np.random.Generator, texts: list[str], seeds: Any, kind: str
) -> tuple[Vectors, Vocabulary]:
    """Return n documents with words and meaning: two texts each, or one and three words more."""
    analyser, pairs = Analyser(), kind != "versions"
    counted = [analyser.counts(text) for text in texts]
    pool = sorted({term for counts in counted for term in counts})
    rows = rng.integers(len(texts), size=(n, 2 if pairs else 1))
    documents = []
    for row, some in enumerate(rows.tolist()):
        counts = Counter(counted[some[0]])
        counts += counted[some[1]] if pairs else Counter(pool[term] for term in rng.choice(len(pool), 3).tolist())
        if kind == "words of their own":
            counts.update(f"{row} {own}" for own in range(OWN))
        documents.append(counts)
    meaning = seeds[rows].mean(axis=1)
    meaning += 0.3 / np.sqrt(seeds.shape[1]) * rng.standard_normal(meaning.shape, dtype=np.float32)
    meaning /= np.linalg.norm(meaning, axis=1, keepdims=True)
    vocabulary, words = Vocabulary.of(documents)
    return Vectors(meaning, words), vocabulary


def measure(n: int, kind: str) -> dict[str, Any]:
    """Time single queries and batches, with given and with chosen strengths, and requests of four parts."""
    rng, encoder = np.random.default_rng(0), OnnxEncoder()
    texts = [f"{name}. {told}" for name, told in functions()]
    vectors, vocabulary = corpus(n, rng, texts, encoder.encode(texts), kind)
    reader = Hybrid(encoder.encode_queries, Analyser(), vocabulary)
    asked = [" and ".join(texts[i][:80] for i in rng.choice(len(texts), ASKED)) for _ in range(BATCH)]
    whole = reader.vectors(asked)
    parts = reader.part_vectors([request.split(" and ")[:ASKED] for request in asked])
    both, dense = MemoryIndex(vectors), MemoryIndex(vectors.meaning)
    meanings = Vectors.of(whole.meaning)
    ones = [(whole.take(slice(q, q + 1)), meanings.take(slice(q, q + 1)), parts[q]) for q in range(SINGLE)]
    found = GIVEN.decode_batch(whole, both)
    asking = {
        "dense ms": lambda: [Dense().decode(meaning, dense) for _, meaning, _ in ones],
        "single, by meaning": lambda: [GIVEN.decode(meaning, dense) for _, meaning, _ in ones],
        "single, by both": lambda: [GIVEN.decode(one, both) for one, _, _ in ones],
        "batch, by meaning": lambda: GIVEN.decode_batch(meanings, dense),
        "batch, by both": lambda: GIVEN.decode_batch(whole, both),
        "NNN(distinct=False), by meaning": lambda: [
            NNN(distinct=False).decode(meaning, dense) for _, meaning, _ in ones
        ],
        "the default, four parts": lambda: [
            NNN().decode(one, both, 5, some, guessed=True) for one, _, some in ones
        ],
    }
    times = {
        name: 1000 * best(ask, REPEATS) / (1 if name.startswith("batch") else SINGLE)
        for name, ask in asking.items()
    }
    stored = len(vectors.words.values)
    words, postings = vectors.words, Postings.of(vectors.words)
    held = vectors.meaning.nbytes + postings.nbytes
    held += sum(part.nbytes for part in (words.terms, words.values, words.starts))
    return {
        "documents": f"{n:,}, {kind}",
        "different terms": vectors.width,
        "terms stored": stored,
        "certified": sum(bool(s.certified) for s in found),
        "times": {name: round(value, 2) for name, value in times.items()},
        "single, both over meaning": round(times["single, by both"] / times["single, by meaning"], 2),
        "batch, both over meaning": round(times["batch, by both"] / times["batch, by meaning"], 2),
        "four parts over whole": round(
            times["the default, four parts"] / times["NNN(distinct=False), by meaning"], 2
        ),
        "memory over dense and 16 bytes a term": round(held / (vectors.meaning.nbytes + 16 * stored), 3),
    }


def main() -> None:
    """Measure, and write hybrid.json and hybrid.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000, 300_000])
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    results = [measure(n, kind) for n in arguments.documents for kind in KINDS]
    (arguments.out / "hybrid.json").write_text(json.dumps(results, indent=1) + "\n")
    names = [name for name in results[0] if name != "times"]
    lines = [
        "# What words and parts cost",
        "",
        "`python -m benchmarks.hybrid --out benchmarks/results`; ratios.",
        "",
    ]
    lines += ["| | " + " | ".join(names[1:]) + " |", "|--:|" + "--:|" * (len(names) - 1)]
    lines += [f"| {r['documents']} | " + " | ".join(str(r[name]) for name in names[1:]) + " |" for r in results]
    (arguments.out / "hybrid.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
