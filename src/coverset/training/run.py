"""One training run: epochs with early stopping on dev Comp@5, resumable at any time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from coverset.inputs import as_count, as_number
from coverset.progress import progress
from coverset.training.checkpoints import Checkpoints
from coverset.training.task import DegenerateError, Rows, Task

# What a run that is resumed may have otherwise than before.
CHANGEABLE = ("epochs", "patience")


@dataclass(frozen=True)
class Settings:
    """How to train; the defaults are the paper's.

    Parameters
    ----------
    epochs, batch
        At most so many epochs, of batches of so many examples.
    rate, decay
        AdamW's learning rate and weight decay.
    patience
        Stop after so many epochs that did not improve dev Comp@5.
    steps
        At most so many batches in an epoch; None: all examples.
    seed
        Of the order of examples, dropout, and the adapters' first weights.
    """

    epochs: int = 20
    batch: int = 64
    rate: float = 2e-5
    decay: float = 0.01
    patience: int = 3
    steps: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the values."""
        for name in ("epochs", "batch", "patience"):
            as_count(name, getattr(self, name))
        as_count("steps", self.steps, optional=True)
        as_number("rate", self.rate, 0.0)
        as_number("decay", self.decay, 0.0)
        as_number("seed", self.seed, 0)


def fit(
    task: Task, settings: Settings, checkpoints: Checkpoints, tell: Callable[[str], Any] = lambda _line: None
) -> dict[str, Any]:
    """Train until the epochs are over or dev Comp@5 stops improving; leave the task at its best epoch.

    A checkpoint in the folder is gone on from, in the middle of an epoch too. Returns the record: settings, the
    best epoch, why it ended and, for every epoch (0: before training), loss, dev metrics and seconds.
    """
    optimizer = torch.optim.AdamW(
        [p for p in task.parameters() if p.requires_grad], lr=settings.rate, weight_decay=settings.decay
    )
    record = checkpoints.last()
    if record is None:
        torch.manual_seed(settings.seed)
        first = {"loss": None, **task.score()}
        record = {"settings": asdict(settings), "best": 0, "ended": "", "epochs": [first], "begun": None}
        checkpoints.write(task, optimizer, record)
    else:
        record = {**record, "settings": asdict(settings), "ended": _ended(record, settings)}
        checkpoints.restore(record, task, optimizer)
    run = _Run(task, optimizer, settings, checkpoints, record, tell)
    while not record["ended"]:
        run.epoch()
        checkpoints.write(task, optimizer, record)
    checkpoints.restore_epoch(record["best"], task)
    return {name: value for name, value in record.items() if name != "begun"}


@dataclass
class _Run:
    """What an epoch needs. The record's "begun" has losses and seconds of an epoch that is not over."""

    task: Task
    optimizer: torch.optim.Optimizer
    settings: Settings
    checkpoints: Checkpoints
    record: dict[str, Any]
    tell: Callable[[str], Any]

    def epoch(self) -> None:
        """Train one more epoch, or the rest of it, and note how it went."""
        settings, record, done = self.settings, self.record, self.record["epochs"]
        record["begun"] = begun = record["begun"] or {"losses": [], "seconds": 0.0}
        number, start = len(done), time.perf_counter() - begun["seconds"]
        order = np.random.default_rng([settings.seed, number]).permutation(self.task.examples)
        batches = [order[at : at + settings.batch] for at in range(0, len(order), settings.batch)]
        self.task.train()
        try:
            self._steps(batches[: settings.steps], f"epoch {number}/{settings.epochs}", start)
        except DegenerateError as error:
            record["ended"] = str(error)
        losses = begun["losses"] if not record["ended"] else []
        loss = float(np.mean(losses)) if losses else None
        done.append({"loss": loss, **self.task.score(), "seconds": time.perf_counter() - start})
        record["begun"] = None
        if _goodness(done[-1]) > _goodness(done[record["best"]]):
            record["best"] = number
        record["ended"] = record["ended"] or _ended(record, settings)
        best = " *" if record["best"] == number else ""
        self.tell(f"epoch {number}: loss {loss or 0:.4f}, dev comp@5 {done[-1]['comp@5']:.1f}{best}")

    def _steps(self, batches: list[Rows], what: str, start: float) -> None:
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


def _ended(record: dict[str, Any], settings: Settings) -> str:
    """Return why the run is over, nothing if it is not."""
    done = len(record["epochs"]) - 1
    if done >= settings.epochs:
        return "all epochs done"
    return f"no better for {settings.patience} epochs" if done - record["best"] >= settings.patience else ""


def _goodness(epoch: dict[str, float]) -> tuple[float, float]:
    """Comp@5, and Recall@5 between epochs that tie on it."""
    return epoch["comp@5"], epoch["recall@5"]
