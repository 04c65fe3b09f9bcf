"""How NNN() should choose its strengths without labels: everything that was tried, on every set.

python -m benchmarks.default DATASET... [--out benchmarks/results] [--cache FOLDER]
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from benchmarks.labelled import Set, parser, sets
from coverset import MMR, NNN, Dense, MemoryIndex
from coverset.arrays import Array, Floats, Ids
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Comp, Recall
from coverset.evaluation.tuning import attempt, best
from coverset.ranking import ranked
from coverset.solvers.few import solve_gram

Rule = Callable[[Floats, MemoryIndex], Ids]
METRICS = (Comp @ 5, Recall @ 5)
DENSE = 1500.0


def by(strength: Callable[[Array, Array, Array], tuple[Array, Array]]) -> Rule:
    """Return the rule that decodes with (l1, l2), each query's own, as a function of scores and of two cosines.

    Scores are the query's with all documents, best first; cosines those of the 45 pairs of its ten nearest,
    ascending: with the query's direction taken out of them, and as they are.
    """

    def rule(queries: Floats, index: MemoryIndex) -> Ids:
        scores = queries.astype(np.float64) @ index.corpus.meaning.T
        order = np.argsort(-scores, axis=1)
        nearest = index.corpus.meaning[order[:, :10]].astype(np.float64)
        rest = nearest - np.take_along_axis(scores, order[:, :10], 1)[:, :, None] * queries[:, None, :]
        rest /= np.linalg.norm(rest, axis=2, keepdims=True)
        one, other = np.triu_indices(10, 1)
        partial, plain = (
            np.sort((rows @ rows.transpose(0, 2, 1))[:, one, other], axis=1) for rows in (rest, nearest)
        )
        l1, l2 = strength(np.take_along_axis(scores, order, 1), partial, plain)
        solution = solve_gram(np.arange(len(index)), index.corpus, index.gram, queries, l1, l2)
        return ranked(solution.scores.astype(np.float32), 5)

    return rule


def fixed(l1: float, l2: float) -> Rule:
    """The same strengths for all."""
    return by(lambda s, *_: (np.full(len(s), l1), np.full(len(s), l2)))


def relative(share: float, l2: float) -> Rule:
    """l1 as a share of the best score."""
    return by(lambda s, *_: (share * s[:, 0], np.full(len(s), l2)))


def entering(place: int, l2: float) -> Rule:
    """l1 where so many documents have entered."""
    return by(lambda s, *_: (np.maximum(s[:, min(place, s.shape[1] - 1)], 1e-3), np.full(len(s), l2)))


def crowd(statistic: Callable[[Array, Array, Array], Array], scale: float, limit: float) -> Rule:
    """l2 grows with how alike the nearest are, up to the dense limit."""

    def strength(s: Array, partial: Array, plain: Array) -> tuple[Array, Array]:
        return 0.3 * s[:, 0], scale / np.maximum(limit - statistic(s, partial, plain), scale / DENSE)

    return by(strength)


def mean(_: Array, partial: Array, __: Array) -> Array:
    """How alike the nearest are beyond the query."""
    return partial.mean(axis=1)


def rho(_: Array, partial: Array, __: Array) -> Array:
    """How alike the least alike of the nearest are beyond the query: the lowest tenth."""
    return partial[:, 4]


def ratio(s: Array, _: Array, plain: Array) -> Array:
    """How alike the nearest are, over how like the query they are."""
    return plain.mean(axis=1) / s[:, :10].mean(axis=1)


def decoded(decoder: Dense | MMR | NNN) -> Rule:
    """A decoder as it is."""
    return lambda queries, index: np.array([s.ids for s in decoder.decode_batch(queries, index)])


def mixed(l1: float, l2: float, share: float) -> Rule:
    """Rank by a mix of the query and r*."""

    def rule(queries: Floats, index: MemoryIndex) -> Ids:
        mix = (1 - share) * queries + share * NNN(l1=l1, l2=l2).rewrite(queries, index)
        return ranked(mix @ index.corpus.meaning.T, 5)

    return rule


RULES: dict[str, Rule] = {
    "l1 = 0.1, l2 = 1": fixed(0.1, 1.0),
    "l1 = 0.1, l2 = 3": fixed(0.1, 3.0),
    "l1 = 0.01, l2 = 10": fixed(0.01, 10.0),
    "l1 = 0.1, l2 = 1, centred": decoded(NNN(l1=0.1, l2=1.0, center=True)),
    "query and r* mixed, 0.35 and 0.65, of (0.01, 1)": mixed(0.01, 1.0, 0.65),
    "l1 = 0.3 best score, l2 = 1": relative(0.3, 1.0),
    "l1 = 0.3 best score, l2 = 3": relative(0.3, 3.0),
    "l1 = 0.3 best score, l2 = 10": relative(0.3, 10.0),
    "l1 = 0.7 best score, l2 = 1": relative(0.7, 1.0),
    "l1 = 0.9 best score, l2 = 1": relative(0.9, 1.0),
    "l1 = 10th score, l2 = 1": entering(10, 1.0),
    "l1 = 50th score, l2 = 1": entering(50, 1.0),
    "l1 = 0.3 best score, l2 = 1 / (0.6 - mean partial cosine)": crowd(mean, 1.0, 0.6),
    "l1 = 0.3 best score, l2 = 0.5 / (0.45 - its lowest tenth)": crowd(rho, 0.5, 0.45),
    "l1 = 0.3 best score, l2 = 1.5 / (0.4 - its lowest tenth)": crowd(rho, 1.5, 0.4),
    "l1 = 0.3 best score, l2 = 0.5 / (1.15 - x)": crowd(ratio, 0.5, 1.15),
    "l1 = 0.3 best score, l2 = 1.5 / (1.3 - x)": crowd(ratio, 1.5, 1.3),
    "`NNN()`: l1 = 0.3 best score, l2 = 0.75 / (1.2 - x)": decoded(NNN()),
}


def measure(rule: Rule, data: Labelled, index: MemoryIndex) -> tuple[float, float]:
    """Return (Comp@5, Recall@5) in percent."""
    found = [set(row.tolist()) for row in rule(data.queries.wholes.meaning, index)]
    shares = [len(row & set(r.tolist())) / len(r) for row, r in zip(found, data.relevant, strict=True)]
    return 100 * float(np.mean(np.array(shares) == 1.0)), 100 * float(np.mean(shares))


SUITED = "`NNN.suited(queries, corpus)`: l1 = 0.3 best score, l2 = 1 / (1 - y)"
TUNED = ("MMR, tuned on dev", "NNN, tuned on dev")


def study(data: Set) -> dict[str, dict[str, tuple[float, float]]]:
    """Return, by split and rule, how Comp@5 and Recall@5 differ from Dense.

    Tuned rules are tuned on dev. `suited` sees the queries of dev (of test, where there is no dev), and no labels.
    """
    rules = RULES | {SUITED: decoded(NNN.suited((data.dev or data.test).queries.wholes, data.index))}
    if data.dev is not None:
        for name, label in zip(("mmr", "nnn"), TUNED, strict=True):
            found = best(attempt(name, data.index, data.dev)).decoder
            assert isinstance(found, MMR | NNN)
            rules[label] = decoded(found)
    out = {}
    for split, labelled in (("dev", data.dev), ("test", data.test)):
        if labelled is not None:
            base = evaluate(Dense(), data.index, labelled, METRICS)
            dense = [100 * float(base[metric].mean()) for metric in METRICS]
            values = {label: measure(rule, labelled, data.index) for label, rule in rules.items()}
            out[split] = {k: (v[0] - dense[0], v[1] - dense[1]) for k, v in values.items()} | {
                "Dense": (dense[0], dense[1])
            }
    return out


def markdown(results: dict[str, dict[str, dict[str, tuple[float, float]]]]) -> str:
    """Return a table for each split: Comp@5 in points above Dense, by set, then means and the worst."""
    lines = ["# NNN without labels: what was tried", ""]
    lines += ["Comp@5 in points above Dense, by data set and encoder (M all-MiniLM-L6-v2, B bge-small-en-v1.5);"]
    lines += ["then the mean over sets of Comp@5 and of Recall@5, and the worst set of each.", ""]
    for split in ("dev", "test"):
        tuned = [name for name, by_split in results.items() if "dev" in by_split]
        names = tuned + [name for name in results if name not in tuned] if split == "test" else tuned
        lines += [f"## On {split}", "", f"| rule | {' | '.join(names)} | mean C@5, R@5 | worst C@5, R@5 |"]
        lines += ["|---|" + "---:|" * (len(names) + 2)]
        dense = " | ".join(f"{results[name][split]['Dense'][0]:.1f}" for name in names)
        lines += [f"| Dense itself | {dense} | | |"]
        for label in [*RULES, SUITED, *TUNED]:
            found = [results[name][split].get(label) for name in names]
            known = np.array([pair for pair in found if pair is not None])
            cells = " | ".join("" if pair is None else f"{pair[0]:+.1f}" for pair in found)
            mean, worst = known.mean(axis=0), known.min(axis=0)
            lines += [f"| {label} | {cells} | {mean[0]:+.2f}, {mean[1]:+.2f} | {worst[0]:+.1f}, {worst[1]:+.1f} |"]
        lines += [""]
    return "\n".join([*lines, *shares(results)]) + "\n"


def shares(results: dict[str, dict[str, dict[str, tuple[float, float]]]]) -> list[str]:
    """Return what is kept of the gain that tuning brings without labels, over the sets that have a dev split."""
    tuned = [by_split["test"] for by_split in results.values() if "dev" in by_split]
    labels = (list(RULES)[-1], SUITED, *TUNED)
    ours, suited, mmr, best = (np.mean([values[label] for values in tuned], axis=0) for label in labels)
    kept = [
        f"`{name}` {gain[0]:+.2f} Comp@5 and {gain[1]:+.2f} Recall@5 ({100 * gain[0] / best[0]:.0f}% and "
        f"{100 * gain[1] / best[1]:.0f}% of what tuning brings)"
        for name, gain in (("NNN()", ours), ("NNN.suited", suited))
    ]
    return [
        f"Over the {len(tuned)} pairs with a dev split, on test: {kept[0]}, {kept[1]}, tuned NNN {best[0]:+.2f} "
        f"and {best[1]:+.2f}, tuned MMR {mmr[0]:+.2f} and {mmr[1]:+.2f}."
    ]


def main() -> None:
    """Study every set, and write default.json and default.md."""
    arguments = parser(__doc__ or "").parse_args()
    results = {}
    for data in sets(arguments.folders, arguments.cache):
        results[data.name] = study(data)
        print(data.name, flush=True)
    (arguments.out / "default.json").write_text(json.dumps(results, indent=1) + "\n")
    (arguments.out / "default.md").write_text(markdown(results))


if __name__ == "__main__":
    main()
