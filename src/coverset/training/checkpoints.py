"""The state of a run, after an epoch or amid one, on disk: safetensors and JSON, whole or not there at all."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import torch
from torch import Tensor

from coverset.extras import require
from coverset.plain import Json
from coverset.training.saving import save_tensors
from coverset.training.task import Task

# What a kill may cost.
SECONDS = 300.0


class Checkpoints:
    """A folder with a folder per state kept: the last one, to go on from, and the best epoch's.

    `seconds` is how long an epoch may go on before its state is kept in the middle of it.
    """

    def __init__(self, folder: Path, seconds: float = SECONDS) -> None:
        self.folder, self.seconds, self._kept = folder, seconds, time.monotonic()

    def due(self) -> bool:
        """Say whether it is time to keep the state of an epoch that is not over."""
        return time.monotonic() - self._kept >= self.seconds

    def write(self, task: Task, optimizer: torch.optim.Optimizer, record: Json) -> None:
        """Keep the state of now, written aside and then renamed; forget what is no longer needed."""
        aside, path = self.folder / "part", self._path(record)
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        save_tensors(task.state_dict(), aside / "model.safetensors")
        save_tensors(_flat(optimizer), aside / "optimizer.safetensors")
        (aside / "record.json").write_text(json.dumps(record, indent=2), encoding="utf-8")
        os.replace(aside, path)
        for old in self.folder.glob("epoch-*"):
            if old not in (path, self._whole(record["best"])):
                shutil.rmtree(old)
        self._kept = time.monotonic()

    def last(self) -> Json | None:
        """Return the record of the last state kept, None if there is none."""
        kept = sorted(self.folder.glob("epoch-*"))
        if not kept:
            return None
        record: Json = json.loads((kept[-1] / "record.json").read_text(encoding="utf-8"))
        return record

    def restore(self, record: Json, task: Task, optimizer: torch.optim.Optimizer | None = None) -> None:
        """Put model (and optimiser, and torch's random numbers) back to where they were at this record."""
        load = require("safetensors.torch", "train").load_file
        task.load_state_dict(load(self._path(record) / "model.safetensors"))
        if optimizer is not None:
            _unflatten(load(self._path(record) / "optimizer.safetensors"), optimizer)

    def restore_epoch(self, epoch: int, task: Task) -> None:
        """Put the model back to where it was after an epoch."""
        task.load_state_dict(
            require("safetensors.torch", "train").load_file(self._whole(epoch) / "model.safetensors")
        )

    def clear(self) -> None:
        """Remove all of them: the run is over."""
        shutil.rmtree(self.folder)

    def _whole(self, epoch: int) -> Path:
        return self.folder / f"epoch-{epoch:04d}"

    def _path(self, record: Json) -> Path:
        """Name a state so that names sort as time went: whole epochs, then steps of the one begun."""
        whole = self._whole(len(record["epochs"]) - 1)
        return (
            whole.with_name(f"{whole.name}-step-{len(record['begun']['losses']):06d}")
            if record["begun"]
            else whole
        )


def _flat(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's state as named tensors, the random states of processor and device among them."""
    state = optimizer.state_dict()["state"]
    tensors = {f"{number}.{name}": value for number, values in state.items() for name, value in values.items()}
    for kind, generator in _random(optimizer).items():
        tensors[f"random {kind}"] = generator.get_state()
    return tensors


def _unflatten(tensors: dict[str, Tensor], optimizer: torch.optim.Optimizer) -> None:
    """Put the optimiser back, on whatever device it is now; a device's random state only on one of its kind."""
    for kind, generator in _random(optimizer).items():
        if f"random {kind}" in tensors:
            generator.set_state(tensors[f"random {kind}"])
    tensors = {key: value for key, value in tensors.items() if not key.startswith("random")}
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        number, name = key.split(".")
        state.setdefault(int(number), {})[name] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _random(optimizer: torch.optim.Optimizer) -> dict[str, torch.Generator]:
    """What has random numbers of its own, that dropout uses: the processor, and the device that is trained on."""
    device = optimizer.param_groups[0]["params"][0].device
    on_device = {"cuda": torch.cuda.default_generators[device.index]} if device.type == "cuda" else {}
    return {"cpu": torch.default_generator, **on_device}
