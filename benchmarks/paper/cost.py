"""What a recipe will cost, measured on some steps of each kind of run before the first is begun."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper.recipe import Run
from coverset.training.plan import Plan
from coverset.training.run import adamw
from coverset.training.session import make_task

# Steps that are timed, after one that is not: the first of a run compiles, and fills caches.
STEPS = 2


@dataclass(frozen=True)
class Cost:
    """Seconds of a step and of measuring dev, and how many steps an epoch has."""

    step: float
    score: float
    steps: int

    def epoch(self) -> float:
        """Seconds of an epoch."""
        return self.steps * self.step + self.score


def measured(plan: Plan, cache: Path) -> Cost:
    """Take some steps of a run, and throw them away."""
    task = make_task(plan, cache)
    optimizer = adamw(task, plan)
    order, steps = np.random.default_rng(0).permutation(task.examples), -(-task.examples // plan.batch)
    task.train()
    times = []
    for number in range(STEPS + 1):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = task.loss(order[number * plan.batch : (number + 1) * plan.batch])
        loss.backward()
        optimizer.step()
        loss.item()  # on a GPU, the step is over when its loss is here
        times.append(time.perf_counter() - start)
        if (number + 2) * plan.batch > task.examples:
            break
    start = time.perf_counter()
    task.score()
    return Cost(float(np.mean(times[1:] or times)), time.perf_counter() - start, min(steps, plan.steps or steps))


def kind(run: Run) -> str:
    """Return what runs cost the same by: the method and the gradient."""
    return f"{run.given['method']} {run.given.get('gradient', '')}".strip()


def costs(runs: Iterable[Run], measure: Callable[[Run], Cost], kept: dict[str, Any]) -> dict[str, Cost]:
    """Measure one run of every kind; those in `kept` have been, before."""
    found = {name: Cost(**values) for name, values in kept.items()}
    for run in runs:
        if kind(run) not in found:
            found[kind(run)] = measure(run)
    return found


def told(runs: list[Run], found: dict[str, Cost]) -> str:
    """Say what all runs will cost at most, by kind, and in the order in which they are made."""
    lines, total = [], 0.0
    for name, cost in found.items():
        own = [run for run in runs if kind(run) == name]
        if not own:
            continue
        seconds = sum(run.given["epochs"] * cost.epoch() for run in own)
        total += seconds
        epochs = max(run.given["epochs"] for run in own)
        steps = f"{epochs} epochs of {cost.steps:,} steps of {cost.step:.2f} s"
        lines.append(f"  {name}: {len(own)} runs of at most {steps}: at most {span(seconds)}")
    return "\n".join([f"{len(runs)} runs are left, at most {span(total)}:", *lines])


def span(seconds: float) -> str:
    """Write a time as people do."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
