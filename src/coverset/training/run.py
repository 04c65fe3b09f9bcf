"""One training run: epochs with early stopping on dev Comp@5, resumable at any time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from coverset.arrays import Ids
from coverset.plain import Json
from coverset.progress import progress
from coverset.training.checkpoints import Checkpoints
from coverset.training.plan import Plan
from coverset.training.task import DegenerateError, Task


def fit(task: Task, plan: Plan, checkpoints: Checkpoints, tell: Callable[[str], Any] = lambda _line: None) -> Json:
    """Train until the epochs are over or dev Comp@5 stops improving; leave the task at its best epoch.

    A checkpoint in the folder is gone on from, in the middle of an epoch too. Returns the record: the
    best epoch, why it ended and, for every epoch (0: before training), loss, dev metrics and seconds.
    """
    optimizer = adamw(task, plan)
    record = checkpoints.last()
    if record is None:
        torch.manual_seed(plan.seed)
        first = {"loss": None, **task.score()}
        record = {"best": 0, "ended": "", "epochs": [first], "begun": None}
        checkpoints.write(task, optimizer, record)
    else:
        record["ended"] = _ended(record, plan)
        checkpoints.restore(record, task, optimizer)
    run = _Run(task, optimizer, plan, checkpoints, record, tell)
    while not record["ended"]:
        run.epoch()
        checkpoints.write(task, optimizer, record)
    checkpoints.restore_epoch(record["best"], task)
    return {name: value for name, value in record.items() if name != "begun"}


def adamw(task: Task, plan: Plan) -> torch.optim.AdamW:
    """Return what takes the steps: a pass over all weights each, not one for every operation of the rule."""
    weights = [p for p in task.parameters() if p.requires_grad]
    return torch.optim.AdamW(weights, lr=plan.rate, weight_decay=plan.decay, fused=True)


@dataclass
class _Run:
    """What an epoch needs. The record's "begun" has losses and seconds of an epoch that is not over."""

    task: Task
    optimizer: torch.optim.Optimizer
    plan: Plan
    checkpoints: Checkpoints
    record: Json
    tell: Callable[[str], Any]

    def epoch(self) -> None:
        """Train one more epoch, or the rest of it, and note how it went."""
        plan, record, done = self.plan, self.record, self.record["epochs"]
        record["begun"] = begun = record["begun"] or {"losses": [], "seconds": 0.0}
        number, start = len(done), time.perf_counter() - begun["seconds"]
        order = np.random.default_rng([plan.seed, number]).permutation(self.task.examples)
        batches = [order[at : at + plan.batch] for at in range(0, len(order), plan.batch)]
        self.task.train()
        try:
            self._steps(batches[: plan.steps], f"epoch {number}/{plan.epochs}", start)
        except DegenerateError as error:
            record["ended"] = str(error)
        losses = begun["losses"] if not record["ended"] else []
        loss = float(np.mean(losses)) if losses else None
        done.append({"loss": loss, **self.task.score(), "seconds": time.perf_counter() - start})
        record["begun"] = None
        if _goodness(done[-1]) > _goodness(done[record["best"]]):
            record["best"] = number
        record["ended"] = record["ended"] or _ended(record, plan)
        best = " *" if record["best"] == number else ""
        self.tell(f"epoch {number}: loss {loss or 0:.4f}, dev comp@5 {done[-1]['comp@5']:.1f}{best}")

    def _steps(self, batches: list[Ids], what: str, start: float) -> None:
        """Take the steps that the epoch has not taken yet; now and then, keep where it is."""
        begun, comp = self.record["begun"], self.record["epochs"][-1]["comp@5"]
        losses = begun["losses"]
        with progress(what, len(batches)) as advance:
            advance(len(losses))
            for rows in batches[len(losses) :]:
                self.optimizer.zero_grad()
                loss = self.task.loss(rows)
                loss.backward()
                self.optimizer.step()
                losses.append(loss.item())
                advance(1, f"{what} · loss {np.mean(losses):.4f} · dev comp@5 {comp:.1f}")
                if self.checkpoints.due():
                    begun["seconds"] = time.perf_counter() - start
                    self.checkpoints.write(self.task, self.optimizer, self.record)
                    self.tell(f"{what}: step {len(losses)} of {len(batches)}, loss {np.mean(losses):.4f}")


def _ended(record: Json, plan: Plan) -> str:
    """Return why the run is over, nothing if it is not."""
    done = len(record["epochs"]) - 1
    if done >= plan.epochs:
        return "all epochs done"
    return f"no better for {plan.patience} epochs" if done - record["best"] >= plan.patience else ""


def _goodness(epoch: dict[str, float]) -> tuple[float, float]:
    """Comp@5, and Recall@5 between epochs that tie on it."""
    return epoch["comp@5"], epoch["recall@5"]
