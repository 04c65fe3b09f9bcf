"""The state of a run after an epoch, on disk: safetensors and JSON, whole or not there at all."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from coverset.extras import require
from coverset.training.saving import save_tensors
from coverset.training.task import Task


class Checkpoints:
    """A folder with one folder per epoch kept: the last one, to go on from, and the best one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, epoch: int, task: Task, optimizer: torch.optim.Optimizer, record: dict[str, Any]) -> None:
        """Keep the state after an epoch, written aside and then renamed; forget what is no longer needed."""
        aside = self.folder / "part"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        save_tensors(task.state_dict(), aside / "model.safetensors")
        save_tensors(_flat(optimizer), aside / "optimizer.safetensors")
        (aside / "record.json").write_text(json.dumps(record, indent=2), encoding="utf-8")
        os.replace(aside, self._path(epoch))
        for path in self.folder.glob("epoch-*"):
            if path not in (self._path(epoch), self._path(record["best"])):
                shutil.rmtree(path)

    def last(self) -> dict[str, Any] | None:
        """Return the record of the last epoch kept, None if there is none."""
        kept = sorted(self.folder.glob("epoch-*"))
        if not kept:
            return None
        record: dict[str, Any] = json.loads((kept[-1] / "record.json").read_text(encoding="utf-8"))
        return record

    def restore(self, epoch: int, task: Task, optimizer: torch.optim.Optimizer | None = None) -> None:
        """Put model (and optimiser, and torch's random numbers) back to where they were after an epoch."""
        load = require("safetensors.torch", "train").load_file
        task.load_state_dict(load(self._path(epoch) / "model.safetensors"))
        if optimizer is not None:
            _unflatten(load(self._path(epoch) / "optimizer.safetensors"), optimizer)

    def clear(self) -> None:
        """Remove all of them: the run is over."""
        shutil.rmtree(self.folder)

    def _path(self, epoch: int) -> Path:
        return self.folder / f"epoch-{epoch:04d}"


def _flat(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's state as named tensors, torch's random state among them."""
    state = optimizer.state_dict()["state"]
    tensors = {f"{number}.{name}": value for number, values in state.items() for name, value in values.items()}
    return {**tensors, "random": torch.get_rng_state()}


def _unflatten(tensors: dict[str, Tensor], optimizer: torch.optim.Optimizer) -> None:
    torch.set_rng_state(tensors.pop("random"))
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        number, name = key.split(".")
        state.setdefault(int(number), {})[name] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
