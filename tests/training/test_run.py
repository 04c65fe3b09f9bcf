"""A run that is stopped amid an epoch goes on where it was, and ends as it would have ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from coverset.arrays import Ids
from coverset.training.checkpoints import Checkpoints
from coverset.training.plan import Plan
from coverset.training.run import fit
from coverset.training.session import make_task
from coverset.training.task import Task


class StoppedError(Exception):
    """As good as a kill: the process has no time to tidy up."""


def plan(dataset: Path) -> Plan:
    return Plan("dense", str(dataset), part="adapter", epochs=3, batch=8, rate=1e-3, device="cpu")


def task(dataset: Path, cache: Path) -> Task:
    torch.manual_seed(0)
    return make_task(plan(dataset), cache)


def stopped(model: Task, steps: int) -> Task:
    """Let a model take so many steps, and stop it in the next."""
    take, taken = model.loss, iter(range(steps))

    def loss(rows: Ids) -> Tensor:
        if next(taken, None) is None:
            raise StoppedError
        return take(rows)

    model.loss = loss  # type: ignore[method-assign]
    return model


def untimed(record: dict[str, Any]) -> dict[str, Any]:
    epochs = [{key: value for key, value in epoch.items() if key != "seconds"} for epoch in record["epochs"]]
    return {**record, "epochs": epochs}


@pytest.mark.parametrize("steps", [3, 7, 12])
def test_a_run_stopped_amid_an_epoch_ends_as_it_would_have(dataset: Path, tmp_path: Path, steps: int) -> None:
    whole, broken = task(dataset, tmp_path), task(dataset, tmp_path)
    expected = fit(whole, plan(dataset), Checkpoints(tmp_path / "whole"))
    kept = Checkpoints(tmp_path / "broken", seconds=0.0)
    with pytest.raises(StoppedError):
        fit(stopped(broken, steps), plan(dataset), kept)
    last = kept.last()
    assert last is not None
    assert len(last["begun"]["losses"]) > 0
    again, told = task(dataset, tmp_path), []
    record = fit(again, plan(dataset), kept, told.append)
    assert untimed(record) == untimed(expected)
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name
    # the steps that were kept were not taken again
    steps_told = [line for line in told if "step" in line]
    assert len(steps_told) == sum(len(range(0, whole.examples, 8)) for _ in range(3)) - steps


def test_only_the_last_state_and_the_best_are_kept(dataset: Path, tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path / "kept", seconds=0.0)
    with pytest.raises(StoppedError):
        fit(stopped(task(dataset, tmp_path), 9), plan(dataset), kept)
    last = kept.last()
    assert last is not None
    names = {path.name for path in kept.folder.iterdir()}
    done = len(last["epochs"]) - 1
    assert names == {f"epoch-{last['best']:04d}", f"epoch-{done:04d}-step-{len(last['begun']['losses']):06d}"}
