"""What labelled queries bring over the default, as `coverset tune` takes them: 8, 20, 50 of a dev split, and all.

    python -m benchmarks.few DATASET... --out benchmarks/results [--encoder E]

In the space that a search uses, words and meaning with parts. Of splits beyond 200 queries, 200 drawn at random.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from coverset.decoders.requests import Requests
from coverset.evaluation.embedded import Space, embed
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.tuning import TARGET, Trial, attempt_all, best, choose
from coverset.progress import progress

COUNTS, DRAWS, MOST = (8, 20, 50), 50, 200


def some(labelled: Labelled) -> Labelled:
    """Return at most so many queries, drawn with a seed."""
    asked = labelled.queries
    rows = np.sort(np.random.default_rng(0).permutation(len(asked))[:MOST])
    parts = None if asked.parts is None else [asked.parts[q] for q in rows]
    return Labelled(
        Requests(asked.wholes.take(rows), parts, asked.guessed), [labelled.relevant[q] for q in rows.tolist()]
    )


def study(folder: Path, encoder: str) -> dict[str, Any]:
    """Return the gains over the default in Comp@5 on test: of all of dev, and of draws from it."""
    index, (dev, test) = embed(folder, encoder, None, ["dev", "test"], Space("hybrid", parts=True))
    dev, test = some(dev), some(test)
    on_dev, default = attempt_all("nnn", index, dev)
    on_test, usual = attempt_all("nnn", index, test)

    def gain(trial: Trial) -> float:
        if trial is default:
            return 0.0
        return 100 * (_same(on_dev, on_test, trial) - usual.means[TARGET])

    rng, count = np.random.default_rng(0), len(dev.queries)
    draws = {n: [rng.choice(count, n, replace=False) for _ in range(DRAWS)] for n in COUNTS if n < count}
    chosen = {n: [choose(on_dev, default, few).trial for few in sets] for n, sets in draws.items()}
    lucky = {
        n: [
            best([Trial(t.decoder, {m: v[few] for m, v in t.values.items()}, t.share) for t in on_dev])
            for few in f
        ]
        for n, f in draws.items()
    }
    return {
        "queries": [count, len(test.queries)],
        "default": 100 * usual.means[TARGET],
        "careful": {
            **{str(n): float(np.mean([gain(t) for t in picks])) for n, picks in chosen.items()},
            "all": gain(choose(on_dev, default).trial),
        },
        "best cell": {
            **{
                str(n): float(np.mean([_same(on_dev, on_test, t) - usual.means[TARGET] for t in picks])) * 100
                for n, picks in lucky.items()
            },
            "all": gain(best(on_dev)),
        },
        "kept the default": {str(n): float(np.mean([t is default for t in picks])) for n, picks in chosen.items()},
    }


def _same(on_dev: list[Trial], on_test: list[Trial], wanted: Trial) -> float:
    """Return the value on test of a setting."""
    place = next(n for n, t in enumerate(on_dev) if (t.decoder, t.share) == (wanted.decoder, wanted.share))
    return on_test[place].means[TARGET]


def markdown(results: dict[str, dict[str, Any]]) -> str:
    """Return a table: by number of queries and rule, the mean gain and every set's."""
    lines = [
        "# Tuning with a few queries",
        "",
        f"Comp@5 on test in points above the default, mean of {DRAWS} draws. `careful` is what `coverset tune`",
        "does, `best cell` the paper's rule; `all` is the whole dev split.",
        "",
        "| queries | rule | mean | " + " | ".join(results) + " |",
        "|---:|---|---:|" + "---:|" * len(results),
    ]
    for n in (*map(str, COUNTS), "all"):
        for rule in ("best cell", "careful"):
            gains = [result[rule].get(n, float("nan")) for result in results.values()]
            shown = " | ".join("-" if np.isnan(g) else f"{g:+.1f}" for g in gains)
            lines.append(f"| {n} | {rule} | {np.nanmean(gains):+.2f} | {shown} |")
    return "\n".join(lines) + "\n"


def run(
    name: str,
    told: str | None,
    study: Callable[[Path, str], dict[str, Any]],
    markdown: Callable[[dict[str, dict[str, Any]]], str],
) -> None:
    """Study every set of the command line, and write a JSON file and a table of that name."""
    parser = argparse.ArgumentParser(description=told)
    parser.add_argument("folders", nargs="+", type=Path, help="data sets in BEIR layout, with a dev split")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    arguments = parser.parse_args()
    results = {}
    with progress("data sets", len(arguments.folders)) as advance:
        for folder in arguments.folders:
            results[folder.name] = study(folder, arguments.encoder)
            (arguments.out / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")
            advance(1)
    (arguments.out / f"{name}.md").write_text(markdown(results))
    print(markdown(results))


if __name__ == "__main__":
    run("few", __doc__, study, markdown)
