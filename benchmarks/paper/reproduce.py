"""The paper's experiments by one command: every run of its recipe, and its tables with ours beside them.

    make reproduce DATA="data/numpybank data/toollens" ENCODER=bge-small-en-v1.5

A run that is finished is not made again, and one that was killed goes on where it was. The tables are written anew
after every run. What it will cost is measured on some steps, and said first.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.paper import cost
from benchmarks.paper.measure import best_fixed, measured
from benchmarks.paper.published import METHODS
from benchmarks.paper.recipe import FIXED, LINES, OURS, Recipe, Run
from benchmarks.paper.setting import Setting
from benchmarks.paper.tables import write
from coverset.encoders.cache import default_folder
from coverset.encoders.device import pick, told
from coverset.evaluation.datasets import load
from coverset.training.notes import write_whole
from coverset.training.session import train

ORDER = (*METHODS, OURS)


def main() -> None:
    """Say what it costs, train, measure, and write the tables after every run."""
    parser = arguments()
    given = parser.parse_args()
    changes = {"max_tokens": given.max_tokens, "epochs": given.epochs, "steps": given.steps}
    changed = {name: value for name, value in changes.items() if value is not None}
    recipe, cache = Recipe(not given.no_sweep, tuple(given.lines), changed), given.cache or default_folder()
    try:
        device = pick(given.device)
        for folder in given.data:
            data = load(folder)
            for split in ("train", "dev", "test"):
                data.split(split)
    except ValueError as error:
        parser.error(str(error))
    pairs = ((folder, encoder) for folder in given.data for encoder in given.encoder)
    settings = [Setting(folder, encoder, given.work, cache, device) for folder, encoder in pairs]
    say(f"on {told(device)}")
    for setting in settings:
        say_cost(setting, recipe)
    if not given.cost:
        make(settings, recipe, given.out)


def make(settings: list[Setting], recipe: Recipe, out: Path) -> None:
    """Make every run that is not finished, and write the tables after each."""
    for setting in settings:
        for run in recipe.runs(setting.dataset):
            if not setting.done(run):
                say(f"{setting.place.name}: {run.name}")
                train(setting.plan(run), setting.place / run.name, setting.cache, resume=True, tell=say)
            write([rows(one, recipe) for one in settings], out)
    say(str(out / "tables.md"))


def say(line: str) -> None:
    """Print a line at once: whoever waits for hours reads along."""
    print(line, flush=True)


def say_cost(setting: Setting, recipe: Recipe) -> None:
    """Print what is left to do for a setting; what was timed before is not timed again."""
    left = [run for run in recipe.runs(setting.dataset) if not setting.done(run)]
    kept = setting.place / f"cost.{setting.device.replace(':', '-')}.json"
    before = json.loads(kept.read_text()) if kept.is_file() else {}
    found = cost.costs(left, lambda run: timed(run, setting), before)
    write_whole(kept, json.dumps({name: asdict(one) for name, one in found.items()}))
    say(f"{setting.place.name}: {cost.told(left, found)}")


def timed(run: Run, setting: Setting) -> cost.Cost:
    """Time some steps of a run."""
    say(f"{setting.place.name}: timing some steps of {cost.kind(run)}")
    return cost.measured(setting.unstarted(run), setting.cache)


def rows(setting: Setting, recipe: Recipe) -> dict[str, Any]:
    """Return a setting's lines so far, in the paper's order."""
    planned: dict[str, list[Run]] = {}
    for run in recipe.runs(setting.dataset):
        planned.setdefault(run.line, []).append(run)
    found = []
    for name in ORDER:
        runs = planned.get("Dense" if name in FIXED else name, [])
        if any(setting.done(run) for run in runs):
            found.append(line(name, runs, setting))
    encoder = Path(setting.encoder).name
    return {"dataset": setting.dataset, "encoder": encoder, "rows": found, "changes": recipe.changes}


def line(name: str, runs: list[Run], setting: Setting) -> dict[str, Any]:
    """Return a line of the table: of its finished runs the one that is best on dev, measured on test."""
    done = [run for run in runs if setting.done(run)]
    best = max(done, key=lambda run: on_dev(setting.record(run)))
    record, made = setting.record(best), setting.place / best.name
    decoder = best_fixed(name, made, setting) if name in FIXED else record["decoder"]
    about = {
        "method": name, "run": best.name, "runs": f"{len(done)} of {len(runs)}", "dev": on_dev(record)[0],
        "epochs": len(record["epochs"]) - 1, "kept": record["best"],
    }  # fmt: skip
    return {**about, **measured(name, decoder, made, setting)}


def on_dev(record: dict[str, Any]) -> tuple[float, float]:
    """Return a run's Comp@5 and Recall@5 on dev, at the epoch kept."""
    best = record["epochs"][record["best"]]
    return best["comp@5"], best["recall@5"]


def arguments() -> argparse.ArgumentParser:
    """Return what the command takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("data", type=Path, nargs="+", help="folders in BEIR layout, as `coverset dataset` makes them")
    add("--encoder", nargs="+", default=["bge-small-en-v1.5"], help="the paper's backbones, hub names, or folders")
    add("--work", type=Path, required=True, help="where runs are kept, to go on with")
    add("--out", type=Path, required=True, help="where the tables go")
    add("--cache", type=Path, help="where embeddings are kept")
    add("--device", help="auto, cpu, cuda, cuda:N or mps")
    add("--lines", nargs="+", choices=LINES, default=[], help="only these lines of the table, and DENSE's")
    add("--no-sweep", action="store_true", help="train only with the strengths best on dev before training")
    add("--cost", action="store_true", help="say what it will cost, and stop")
    add("--max-tokens", type=int, help="cut texts after so many tokens; the paper does not say that it did")
    add("--epochs", type=int, help="at most so many, for every run: not the paper's recipe")
    add("--steps", type=int, help="at most so many in an epoch: not the paper's recipe")
    return parser


if __name__ == "__main__":
    main()
