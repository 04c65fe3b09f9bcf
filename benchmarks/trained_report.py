"""The tables and figures of `benchmarks.trained`: every method beside the paper's own figures."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from benchmarks.paper import published
from benchmarks.paper.frozen import DIFFERENCES
from coverset.evaluation.tuning_report import paint_grid
from coverset.extras import require

METRICS = ("recall@3", "recall@5", "comp@3", "comp@5")
ENCODER = "all-MiniLM-L6-v2"
# A line of the table: its name, the run, the row of the run's study (None: with the decoder it was trained with),
# and the paper's line beside it.
LINES = (
    ("Dense, nothing trained", "frozen", "Dense", None),
    ("MMR, nothing trained", "frozen", "MMR", None),
    ("NNN-Fix, nothing trained", "frozen", "NNN-Fix", None),
    ("Dense, adapters (InfoNCE)", "adapter-dense", None, None),
    ("NNN-Fix, adapters (InfoNCE)", "adapter-dense", "NNN-Fix", None),
    ("NNN-Tr, adapters, unrolled", "adapter-unrolled-0.03-0.1", None, None),
    ("NNN-Tr, adapters, unrolled", "adapter-unrolled-0.1-0.3", None, None),
    ("NNN-Tr, adapters, unrolled", "adapter-unrolled-0.1-1.0", None, None),
    ("NNN-Tr, adapters, implicit", "adapter-implicit-0.03-0.1", None, None),
    ("NNN-Tr, adapters, implicit", "adapter-implicit-0.1-0.3", None, None),
    ("NNN-Tr, adapters, implicit", "adapter-implicit-0.1-1.0", None, None),
    ("Dense", "dense", "Dense", "Dense"),
    ("MMR", "dense", "MMR", "MMR"),
    ("COLT", "colt", None, "COLT"),
    ("NNN-Fix", "dense", "NNN-Fix", "NNN-Fix"),
    ("L1-Fix", "dense", "L1-Fix", "L1-Fix"),
    ("L2-Fix", "dense", "L2-Fix", "L2-Fix"),
    ("NNN-Tr, unrolled", "nnn-unrolled", None, "NNN-Tr"),
    ("L1-Tr, unrolled", "l1-unrolled", None, "L1-Tr"),
    ("L2-Tr, unrolled", "l2-unrolled", None, "L2-Tr"),
    ("NNN-Tr, implicit", "nnn-implicit", None, "NNN-Tr"),
    ("NNN-Tr, implicit, tuned again", "nnn-implicit", "NNN-Fix", "NNN-Tr"),
)
UNSEEN = (
    ("Dense, nothing trained", "unseen-frozen", "Dense", None),
    ("NNN-Fix, nothing trained", "unseen-frozen", "NNN-Fix", None),
    ("Dense, adapters (InfoNCE)", "unseen-dense", None, None),
    ("NNN-Tr, adapters, implicit", "unseen-implicit", None, None),
)


def write(results: dict[str, Any], out: Path) -> None:
    """Write training.md, training.csv and a picture for every data set that has something trained."""
    out.mkdir(parents=True, exist_ok=True)
    rows = [row for dataset, studies in results.items() for row in table(dataset, studies, LINES)]
    parts = ["# Trained embeddings", INTRODUCTION]
    for dataset, studies in results.items():
        notes = DIFFERENCES.get(_parts(dataset)[0], "")
        parts += [f"## {dataset}", notes, markdown(table(dataset, studies, LINES))]
        if "learnt" in studies["dense"]:
            parts += [
                f"Of the training queries' sets, DENSE alone completes {studies['dense']['learnt']:.1f}% at 5."
            ]
        if "unseen-frozen" in studies:
            parts += [SCENES.format(queries=studies["unseen-frozen"]["study"]["queries"])]
            parts += [markdown(table(dataset, studies, UNSEEN))]
            rows += table(f"{dataset}, unseen", studies, UNSEEN)
        picture = draw(dataset, studies, out)
        parts += [f"![{dataset}]({picture})"] if picture else []
    (out / "training.md").write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    (out / "training.csv").write_text(text.getvalue(), encoding="utf-8")


def table(dataset: str, studies: dict[str, Any], lines: Any) -> list[dict[str, Any]]:
    """Return a data set's lines, those that were not run with empty figures, without those that nobody planned."""
    theirs, rows = published.figures(*_parts(dataset)), []
    for name, run, method, beside in lines:
        if run not in studies:
            continue
        found = studies[run]
        figures, record = _figures(found, method), found["record"]
        row: dict[str, Any] = {"dataset": dataset, "method": name}
        row |= {metric: round(figures[metric], 1) if figures else "" for metric in METRICS}
        beside_us = theirs.get(beside, ("",) * len(METRICS))
        row |= {f"paper {metric}": value for metric, value in zip(METRICS, beside_us, strict=True)}
        told = {key: figures[key] for key in ("l1", "l2", "relevance") if figures.get(key) is not None}
        row["strengths"] = " ".join(f"{key}={value:g}" for key, value in told.items())
        row["dev comp@5"] = round(on_dev(record)[0], 1) if record else ""
        row["epochs"] = len(record["epochs"]) - 1 if record else ""
        row["kept"] = record["best"] if record else ""
        row["minutes"] = round(sum(e.get("seconds", 0) for e in record["epochs"]) / 60, 1) if record else ""
        rows.append(row)
    return rows


def _figures(found: dict[str, Any], method: str | None) -> dict[str, float]:
    """Return a run's figures and parameters, by its decoder or by a row of its study; nothing if not run."""
    if method is None:
        return found.get("trained", {})
    rows = found.get("study", {}).get("rows", [])
    return next(({**row["metrics"], **row["parameters"]} for row in rows if row["method"] == method), {})


def on_dev(record: dict[str, Any]) -> tuple[float, float]:
    """Return a run's Comp@5 and Recall@5 on dev, at the epoch kept."""
    best = record["epochs"][record["best"]]
    return best["comp@5"], best["recall@5"]


def markdown(rows: list[dict[str, Any]]) -> str:
    """Return lines as a Markdown table; ours, and the paper's in brackets."""
    lines = [
        "| method | R@3 | R@5 | C@3 | C@5 | strengths | dev C@5 | epochs (kept) | minutes |",
        "|---|--:|--:|--:|--:|---|--:|--:|--:|",
    ]
    for row in rows:
        ran = row["comp@5"] != ""
        cells = [f"{row[metric]:.1f}" if ran else "not run" for metric in METRICS]
        for place, metric in enumerate(METRICS):
            if row[f"paper {metric}"] != "":
                cells[place] += f" ({row[f'paper {metric}']:.1f})"
        epochs = f"{row['epochs']} ({row['kept']})" if row["epochs"] != "" else ""
        tail = f"{row['strengths']} | {row['dev comp@5']} | {epochs} | {row['minutes']}"
        lines.append(f"| {row['method']} | {' | '.join(cells)} | {tail} |")
    return "\n".join(lines)


def _parts(name: str) -> tuple[str, str]:
    """Return the data set and the encoder of a setting's name."""
    dataset, _, encoder = name.partition(", ")
    return dataset, encoder or ENCODER


def draw(dataset: str, studies: dict[str, Any], out: Path) -> str:
    """Draw the paper's Figures 2, 3 and 4, before and after training through the decoder; returns the file.

    Before: the DENSE checkpoint that a whole encoder starts from; for adapters, the encoder as it is.
    """
    studied = [name for name, found in studies.items() if found["record"] and "study" in found]
    wanted = [name for name in studied if name.startswith(("nnn-implicit", "adapter-implicit"))]
    if not wanted:
        return ""
    trained = studies[wanted[-1]]
    before, name = ("dense", "DENSE") if "nnn-implicit" in wanted else ("frozen", "nothing trained")
    pair = {name: studies[before]["study"], "NNN-Tr": trained["study"]}
    figure = require("matplotlib.figure", "app").Figure(figsize=(13, 9), layout="constrained")
    above, below = figure.subplots(2, 2)
    for axes, (label, study) in zip(above, pair.items(), strict=True):
        paint_grid(figure, axes, {(l1, l2): comp for l1, l2, comp in study["grid"]}, study["dense_on_dev"])
        spread = spreads(study)
        axes.set_title(f"{label}: Comp@5 on dev over the strengths (l2 <= 1: {spread[0]:.1f} to {spread[1]:.1f})")
    for label, study in pair.items():
        counts, values = zip(*study["iterations"], strict=True)
        below[0].semilogx(counts, values, "o-", label=f"NNN on {label}")
    below[0].set(xlabel="iterations of FISTA", ylabel="Comp@5, %", title="Comp@5 against FISTA iterations")
    bars = [
        (f"Dense on {name}", name, "Dense"),
        (f"NNN-Fix on {name}", name, "NNN-Fix"),
        ("NNN-Tr", "NNN-Tr", "NNN-Fix"),
    ]
    for place, (label, model, method) in enumerate(bars):
        row = next(r for r in pair[model]["rows"] if r["method"] == method)
        sizes = [(int(n) + (place - 1) * 0.27, value) for n, value in row["by_size"].items()]
        below[1].bar([x for x, _ in sizes], [y for _, y in sizes], width=0.27, label=label)
        below[1].set_xticks([int(n) for n in row["by_size"]])
    below[1].set(xlabel="relevant documents", ylabel="Comp@5, %", title="Comp@5 by number of relevant documents")
    for axes in below:
        axes.legend()
    record = trained["record"]["plan"]
    how = f"trained: {record['method']}, {record['part']}, {record['gradient']}"
    figure.suptitle(f"{' · '.join(_parts(dataset))} · {how}")
    file = f"training-{dataset.replace(', ', '-')}.png"
    figure.savefig(out / file, dpi=100)
    return file


def spreads(study: dict[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest Comp@5 over the paper's grid, l2 up to 1."""
    values = [comp for _, l2, comp in study["grid"] if l2 <= 1.0]
    return min(values), max(values)


INTRODUCTION = """Test figures in percent; in brackets the paper's, with its nearest backbone (MiniLM-L6-cos-v5,
which was trained for search; ours is all-MiniLM-L6-v2) and its larger data sets. Parameters are tuned on dev.
Where encoders are trained, texts are cut at 64 tokens (MultiHop-RAG: 96) and there are far fewer steps than the
paper's: the column says how many epochs were run, and which one was kept; an epoch of ToolLens is 60 batches
here. So few steps were made with a learning rate of 1e-4 instead of 2e-5, except for DENSE on numpybank with
MiniLM, and L1-Tr and L2-Tr there and on MultiHop-RAG. The unrolled NNN-Tr of numpybank with MiniLM was ended after
six epochs. bge-small-en-v1.5 is rebuilt from its int8 weights; the paper's figures beside it are that model's.
Adapters: encoder frozen, from cached embeddings, with three settings of (l1, l2), of which dev would choose.
NNN-Tr is decoded with the strengths it was trained with; `tuned again`, with those that are best on dev after
training, from the grid that NNN-Fix is tuned on. Minutes are those of the training of the line's run, on a
small share of two busy cores.

Made by `python -m benchmarks.trained`; the commands are printed as they run."""
SCENES = """Queries of scenes that training never saw. Every relevant set of ToolLens's test split also occurs in
its train split, so the table above shows how well sets are remembered. Here a fifth of the sets was kept out of
training and of dev, and only the {queries} test queries that need one of them are measured."""
