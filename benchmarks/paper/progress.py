"""How far a run of DENSE has come that is not over: its curve, and what its present state gives.

    python -m benchmarks.paper.progress runs/SETTING/dense --out benchmarks/results --name recipe-toollens

A recipe on a processor takes days. What is kept of a run (every five minutes) is measured as it is: Dense, and NNN
with the strengths of the paper's grid that are best on dev.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper import published
from benchmarks.paper.measure import best_of
from benchmarks.paper.recipe import FIXED
from coverset.decoders import NNN, Decoder, Dense
from coverset.encoders.cache import default_folder
from coverset.evaluation.datasets import load
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Comp
from coverset.extras import require
from coverset.indexes import MemoryIndex
from coverset.training.checkpoints import Checkpoints
from coverset.training.infonce import DenseTask
from coverset.training.plan import Plan
from coverset.training.session import make_task
from coverset.training.towers import vectors_of

# Steps over which the curve of the loss is smoothed.
SMOOTH = 20


def main() -> None:
    """Measure, draw, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a run of DENSE")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True, help="of the files, without a suffix")
    parser.add_argument("--cache", type=Path, default=default_folder())
    given = parser.parse_args()
    plan = Plan(**json.loads((given.run / "training" / "plan.json").read_text(encoding="utf-8")))
    checkpoints = Checkpoints(given.run / "training" / "checkpoints")
    record, task = checkpoints.last(), make_task(plan, given.cache)
    if record is None or not isinstance(task, DenseTask):
        parser.error(f"run must be a run of dense that has been begun and is not over, got {given.run}")
    checkpoints.restore(record, task)
    record["steps"] = -(-task.examples // plan.batch)
    lines = measured(task, plan)
    given.out.mkdir(parents=True, exist_ok=True)
    draw(record, given.out / f"{given.name}.png")
    with (given.out / f"{given.name}.csv").open("w", encoding="utf-8", newline="") as file:
        losses = (record["begun"] or {"losses": []})["losses"]
        csv.writer(file, lineterminator="\n").writerows([("step", "loss"), *enumerate(losses, 1)])
    text = markdown(record, plan, lines, given.name)
    (given.out / f"{given.name}.md").write_text(text, encoding="utf-8")


def measured(task: DenseTask, plan: Plan) -> dict[str, dict[str, Any]]:
    """Return dev's Comp@5 and the test figures of Dense and of NNN, tuned on dev, by the paper's names."""
    documents, dev = task.vectors()
    index, data = MemoryIndex(documents), load(Path(plan.dataset)).split("test")
    on_dev = Labelled.of(dev, task.dev.relevant)
    test = Labelled.of(vectors_of(task.queries, task.queries.prepare(data.texts)), data.relevant)
    found: dict[str, dict[str, Any]] = {}
    tried: dict[str, list[Decoder]] = {"Dense": [Dense()], "NNN-Fix": FIXED["NNN-Fix"]}
    for name, decoders in tried.items():
        chosen = best_of(decoders, index, on_dev)
        decoder = chosen.decoder
        values = evaluate(decoder, index, test)
        figures = {str(metric): 100 * float(value.mean()) for metric, value in values.items()}
        strengths = f"l1={decoder.l1:g} l2={decoder.l2:g}" if isinstance(decoder, NNN) else ""
        found[name] = {**figures, "dev": 100 * chosen.means[Comp @ 5], "strengths": strengths}
    return found


def markdown(record: dict[str, Any], plan: Plan, lines: dict[str, dict[str, Any]], name: str) -> str:
    """Say how far it came, and what that gives beside the paper."""
    dataset, epochs, begun = Path(plan.dataset).name, len(record["epochs"]) - 1, record["begun"]
    done = len(begun["losses"]) if begun else 0
    seconds = sum(epoch.get("seconds", 0.0) for epoch in record["epochs"]) + (begun["seconds"] if begun else 0.0)
    theirs = published.figures(dataset, plan.encoder)
    text = [
        f"# {dataset}, {plan.encoder}: how far the paper's recipe came",
        "",
        f"DENSE with a learning rate of {plan.rate:g}, batches of {plan.batch}, at most {plan.epochs} epochs and "
        f"patience {plan.patience}, texts cut after {plan.max_tokens} tokens. **Not over**: {epochs} whole epochs "
        f"and {done} of {record['steps']} steps of the next, in {seconds / 3600:.1f} hours. NNN-Tr starts from "
        "its end. What there is now, on test; in brackets the paper's after its whole recipe with "
        f"{published.backbone(plan.encoder)}, and the difference:",
        "",
        "| method | R@3 | R@5 | C@3 | C@5 | strengths | dev C@5 |",
        "|---|--:|--:|--:|--:|---|--:|",
    ]
    for method, line in lines.items():
        paper = theirs[method]
        cells = [
            f"{line[metric]:.1f} ({paper[n]:.1f}, {line[metric] - paper[n]:+.1f})"
            for n, metric in enumerate(published.METRICS)
        ]
        text.append(f"| {method} | {' | '.join(cells)} | {line['strengths']} | {line['dev']:.1f} |")
    text += ["", "| after epoch | loss | dev Comp@5 | dev Recall@5 |", "|--:|--:|--:|--:|"]
    for number, epoch in enumerate(record["epochs"]):
        loss = "" if epoch["loss"] is None else f"{epoch['loss']:.3f}"
        text.append(f"| {number} | {loss} | {epoch['comp@5']:.1f} | {epoch['recall@5']:.1f} |")
    return "\n".join([*text, "", f"![the loss by step]({name}.png)", ""])


def draw(record: dict[str, Any], path: Path) -> None:
    """Draw the loss of every step of the epoch that is not over, and of whole epochs their mean."""
    figure = require("matplotlib.figure", "app").Figure(figsize=(7.2, 3.4), layout="constrained")
    axes, whole = figure.add_subplot(), len(record["epochs"]) - 1
    losses = np.array(record["begun"]["losses"] if record["begun"] else [])
    places = whole + np.arange(1, len(losses) + 1) / record["steps"]
    axes.plot(places, losses, color="lightgrey", label="a step")
    if len(losses) >= SMOOTH:
        smooth = np.convolve(losses, np.ones(SMOOTH) / SMOOTH, "valid")
        axes.plot(places[SMOOTH - 1 :], smooth, color="black", label=f"mean of {SMOOTH} steps")
    means = [(number, epoch["loss"]) for number, epoch in enumerate(record["epochs"]) if epoch["loss"] is not None]
    axes.plot([number for number, _ in means], [loss for _, loss in means], "o", color="black", label="an epoch")
    axes.set(xlabel="epochs", ylabel="training loss", title="DENSE, not over")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
