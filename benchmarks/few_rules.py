"""What should decide whether tuning leaves the default: rules compared on dev splits, and never on test.

    python -m benchmarks.few_rules DATASET... --out benchmarks/results [--encoder E]

Comp@5 in points above the default, on what is left of dev after a draw; for all of dev, on queries of train. In
the space that a search uses, words and meaning with parts. Of splits beyond 200 queries, 200 drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.few import COUNTS, run, some
from coverset.arrays import Array, Ids
from coverset.evaluation.embedded import Space, embed
from coverset.evaluation.metrics import paired
from coverset.evaluation.tuning import TARGET, Trial, attempt_all, best, choose

DRAWS = 100
# Train splits that ask as dev does (metatool's needs one tool a query) and are soon encoded (toollens' is not).
LIKE_DEV = ("multihoprag_facts", "ultratool", "numpybank")


def above(level: float) -> Callable[[Array, Array], bool]:
    """Return the rule that a gain's whole interval is above 0."""
    return lambda usual, other: paired(usual.tolist(), other.tolist(), 1000, level).low > 0


def by_errors(count: float) -> Callable[[Array, Array], bool]:
    """Return the rule that the mean gain is above so many standard errors."""

    def rule(usual: Array, other: Array) -> bool:
        gains = other - usual
        return bool(gains.mean() > count * gains.std(ddof=1) / np.sqrt(len(gains)))

    return rule


# Whether queries left out decide or those that choose, by what (Comp@5, or its mean with Recall@5), and how.
RULES = {
    "those that choose, both, above 1 standard error": (False, "both", by_errors(1.0)),
    "left out, Comp@5, above 0": (True, "comp", by_errors(0.0)),
    "left out, Comp@5, above 1 standard error": (True, "comp", by_errors(1.0)),
    "left out, Comp@5, 80% interval above 0": (True, "comp", above(0.8)),
    "left out, both, 80% interval above 0": (True, "both", above(0.8)),
    "left out, both, 95% interval above 0": (True, "both", above(0.95)),
}
# The paper's rule asks nobody: the best cell it is.
BEST_CELL = "nobody: the best cell"
NAMES = (BEST_CELL, *RULES)


def picks(trials: list[Trial], default: Trial, queries: Ids) -> dict[str, Trial]:
    """Return what each rule chooses by these queries."""
    choice = choose(trials, default, queries)
    seen = [Trial(t.decoder, {m: v[queries] for m, v in t.values.items()}, t.share) for t in trials]
    found = best(seen)
    chosen = {BEST_CELL: trials[next(n for n, trial in enumerate(seen) if trial is found)]}
    values = {"both": lambda trial: trial.worth, "comp": lambda trial: trial.values[TARGET]}
    for name, (left_out, what, rule) in RULES.items():
        others = choice.left_out if left_out else [choice.best] * len(queries)
        gained = np.array([values[what](trial)[q] for trial, q in zip(others, queries.tolist(), strict=True)])
        chosen[name] = choice.best if rule(values[what](default)[queries], gained) else default
    return chosen


def study(folder: Path, encoder: str) -> dict[str, Any]:
    """Return for each rule and number of queries how often it leaves the default, and what that brings."""
    train = ["train"] if folder.name in LIKE_DEV else []
    index, (dev, *more) = embed(folder, encoder, None, ["dev", *train], Space("hybrid", parts=True))
    trials, default = attempt_all("nnn", index, some(dev))
    rng, everything = np.random.default_rng(0), np.arange(len(default.worth))
    found: dict[str, Any] = {rule: {} for rule in NAMES}
    for count in (n for n in COUNTS if n < len(everything)):
        draws = [rng.choice(everything, count, replace=False) for _ in range(DRAWS)]
        chosen = [picks(trials, default, few) for few in draws]
        for rule in NAMES:
            gains = [
                (pick[rule].values[TARGET] - default.values[TARGET])[np.setdiff1d(everything, few)].mean()
                for pick, few in zip(chosen, draws, strict=True)
            ]
            left = float(np.mean([pick[rule] is not default for pick in chosen]))
            found[rule][str(count)] = {"left": left, "gain": 100 * float(np.mean(gains))}
    elsewhere = [attempt_all("nnn", index, some(split)) for split in more]
    for rule, pick in picks(trials, default, everything).items():
        found[rule]["all"] = {"left": float(pick is not default), "gain": None}
        for there, usual in elsewhere:
            own = dict(zip(map(id, (default, *trials)), (usual, *there), strict=True))[id(pick)]
            found[rule]["all"]["gain"] = 100 * (own.means[TARGET] - usual.means[TARGET])
    return found


def markdown(results: dict[str, dict[str, Any]]) -> str:
    """Return a table: by number of queries and rule, how often the default is left, and the gains."""
    lines = [
        "# What should decide whether tuning leaves the default",
        "",
        f"Comp@5 in points above the default, mean of {DRAWS} draws from dev, on what is left of dev; `all`: the",
        "whole dev split, on 200 queries of train. `left`: how often the default was left, over all sets. `both`:",
        "the mean of Recall@5 and Comp@5.",
        "",
        "| queries | who decides, by what, and how | left | mean | " + " | ".join(results) + " |",
        "|---:|---|---:|---:|" + "---:|" * len(results),
    ]
    for n in (*map(str, COUNTS), "all"):
        for rule in NAMES:
            cells = [result[rule].get(n, {"left": None, "gain": None}) for result in results.values()]
            left = np.mean([cell["left"] for cell in cells if cell["left"] is not None])
            gains = [cell["gain"] for cell in cells]
            mean = np.mean([gain for gain in gains if gain is not None])
            shown = " | ".join("-" if gain is None else f"{gain:+.1f}" for gain in gains)
            lines.append(f"| {n} | {rule} | {100 * left:.0f}% | {mean:+.2f} | {shown} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run("few_rules", __doc__, study, markdown)
