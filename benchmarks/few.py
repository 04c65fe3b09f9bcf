"""How much of what a whole dev split brings 5, 10, 20 or 50 queries bring, with labels and without.

python -m benchmarks.few DATASET... [--out benchmarks/results] [--cache FOLDER]
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np

from benchmarks.labelled import Set, parser, sets
from coverset import NNN, Dense
from coverset.evaluation.embedded import Labelled
from coverset.evaluation.evaluate import evaluate
from coverset.evaluation.metrics import Comp, Recall
from coverset.evaluation.tune import Trial, attempt, best, choose

COUNTS, DRAWS = (5, 10, 20, 50), 50
TARGET = Comp @ 5


def trials(data: Set, labelled: Labelled) -> tuple[list[Trial], Trial]:
    """Return the trials of NNN's grid, and that of NNN()."""
    grid = attempt("nnn", data.index, labelled.queries, labelled.relevant)
    return grid, Trial(NNN(), evaluate(NNN(), data.index, labelled.queries, labelled.relevant))


def study(data: Set) -> dict[str, Any]:
    """Return the gains over Dense in Comp@5 on test: of the whole dev split, and of draws from it, by rule."""
    assert data.dev is not None
    grid, default = trials(data, data.dev)
    on_test, default_on_test = trials(data, data.test)
    dense = float(evaluate(Dense(), data.index, data.test.queries, data.test.relevant)[TARGET].mean())
    gains = {trial.decoder: 100 * (trial.means[TARGET] - dense) for trial in [*on_test, default_on_test]}

    @cache
    def unlabelled(level: int) -> float:
        """What `NNN.suited` brings, by its l2, to an eighth of a decade."""
        values = evaluate(NNN(l2=10 ** (level / 8)), data.index, data.test.queries, data.test.relevant)
        return 100 * (float(values[TARGET].mean()) - dense)

    def level(few: Any) -> int:
        return round(8 * np.log10(NNN.suited(queries[few], data.index).l2))

    queries, rng = data.dev.queries, np.random.default_rng(0)
    draws = {n: [rng.choice(len(queries), n, replace=False) for _ in range(DRAWS)] for n in COUNTS}
    return {
        "whole dev": gains[best(grid).decoder],
        "no labels": {n: np.mean([unlabelled(level(few)) for few in draws[n]]) for n in COUNTS},
        "best cell": {n: np.mean([gains[lucky(grid, few)] for few in draws[n]]) for n in COUNTS},
        "careful": {n: np.mean([gains[choose(grid, default, few).decoder] for few in draws[n]]) for n in COUNTS},
    }


def lucky(grid: list[Trial], few: Any) -> Any:
    """The paper's rule on these queries only."""
    return best([Trial(t.decoder, {m: t.values[m][few] for m in (TARGET, Recall @ 5)}) for t in grid]).decoder


def markdown(results: dict[str, dict[str, Any]]) -> str:
    """Return the table: by number of queries and rule, the mean gain, its share of the whole's, the worst set."""
    whole = np.mean([result["whole dev"] for result in results.values()])
    lines = ["# Tuning with a few queries", ""]
    lines += [
        f"Comp@5 on test in points above Dense, mean of {DRAWS} draws and {len(results)} pairs of a data set"
    ]
    lines += [
        f"and an encoder. The whole dev split brings {whole:+.2f}. `best cell` is the paper's rule, `careful` that"
    ]
    lines += [
        "of `coverset tune`, `no labels` that of `coverset tune --unlabelled`.",
        "",
        "| queries | rule | mean gain | of the whole | worst set |",
        "|---:|---|---:|---:|---|",
    ]
    for n in COUNTS:
        for rule in ("no labels", "best cell", "careful"):
            gains = {name: result[rule][n] for name, result in results.items()}
            mean, worst = np.mean(list(gains.values())), min(gains, key=lambda name: gains[name])
            lines += [f"| {n} | {rule} | {mean:+.2f} | {100 * mean / whole:.0f}% | {gains[worst]:+.1f}, {worst} |"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Study every set that has a dev split, and write few.json and few.md."""
    arguments = parser(__doc__ or "").parse_args()
    results = {}
    for data in sets(arguments.folders, arguments.cache):
        if data.dev is not None:
            results[data.name] = study(data)
            print(data.name, flush=True)
    (arguments.out / "few.json").write_text(json.dumps(results, indent=1) + "\n")
    (arguments.out / "few.md").write_text(markdown(results))


if __name__ == "__main__":
    main()
