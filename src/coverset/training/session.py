"""`coverset train`: from a data set to a folder with a trained encoder, its record and its curves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from coverset.encoders import device, load_encoder
from coverset.encoders.cache import CachedEncoder, default_folder
from coverset.encoders.encoder import Encoder
from coverset.encoders.sentence_transformers import SentenceTransformersEncoder
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.metrics import Comp
from coverset.evaluation.tuning import attempt, best
from coverset.indexes import MemoryIndex
from coverset.plain import Json
from coverset.training.base import checkpoint, text_towers
from coverset.training.checkpoints import Checkpoints
from coverset.training.colt import ColtTask
from coverset.training.infonce import DenseTask
from coverset.training.joint import JointTask
from coverset.training.material import Examples, read
from coverset.training.notes import empty, write_report, write_whole
from coverset.training.plan import CHANGEABLE, Plan
from coverset.training.run import fit
from coverset.training.task import Task
from coverset.training.towers import Adapter, VectorTower

# The paper's grid for (l1, l2): beyond l2 = 1 weights are too small for the loss's temperature.
LARGEST_L2 = 1.0
# Adapters over frozen embeddings have to do all the learning: they start half-way mixed in, and learn fast. That
# of queries needs dropout, as it sees few; that of documents sees them all.
ADAPTER_MIX, ADAPTER_DROPOUT = 0.0, 0.3


def train(
    plan: Plan,
    out: Path,
    cache: Path | None = None,
    resume: bool = False,
    tell: Callable[[str], Any] = lambda _line: None,
) -> Json:
    """Train, and leave the encoder, `training/record.json` and `training/curves.png` in a folder.

    With `resume`, a run that was interrupted goes on after its last whole epoch, and ends as it would have;
    how many epochs it may take, its patience and its device can be changed.
    """
    notes, told = out / "training", asdict(plan)
    _check(out, told, resume)
    torch.manual_seed(plan.seed)
    task = make_task(plan, cache or default_folder())
    tell(f"on {device.told(str(task.device))}")
    write_whole(notes / "plan.json", json.dumps(told, indent=2))
    checkpoints = Checkpoints(notes / "checkpoints")
    record = fit(task, plan, checkpoints, tell)
    record = {"plan": told, **record, **_tuned(task, plan)}
    task.save(out)
    write_report(record, notes)
    checkpoints.clear()
    return record


def _check(out: Path, told: Json, resume: bool) -> None:
    """See that a folder is new, or has an unfinished run of the same plan to resume."""
    if not out.exists() or (out.is_dir() and empty(out)):
        return
    path = out / "training" / "plan.json"
    if not resume or not path.is_file() or (out / "training" / "record.json").is_file():
        raise ValueError(f"out must be a new or empty folder, or one with a run to resume (--resume), got {out}")
    before = json.loads(path.read_text(encoding="utf-8"))
    for name, value in told.items():
        if name not in CHANGEABLE and before.get(name) != value:
            raise ValueError(f"the run to resume has {name} {before.get(name)!r}, got {value!r}")


def make_task(plan: Plan, cache: Path) -> Task:
    """Build what is to be trained, on the device that it is to be trained on."""
    where, data = device.pick(plan.device), read(Path(plan.dataset), plan.held_out)
    if plan.method == "dense" and plan.part == "encoder":
        queries, documents = text_towers(plan.encoder, plan.max_tokens, where)
        return DenseTask(queries, documents, data, plan.encoder)
    if plan.method == "nnn" and plan.part == "encoder":
        folder = str(checkpoint(plan.encoder))
        base = CachedEncoder(SentenceTransformersEncoder(folder, plan.max_tokens, device=where), cache)
        queries, _ = text_towers(plan.encoder, plan.max_tokens, where)
        tower = VectorTower(base, "document", Adapter(base.dim).to(where))
        return JointTask(queries, tower, data, plan, _strengths(plan, base, data))
    base = CachedEncoder(load_encoder(plan.encoder, where), cache)
    if plan.method == "colt":
        return ColtTask(data, base, plan.encoder, plan.depth, plan.weight).to(where)
    adapted = VectorTower(base, "query", Adapter(base.dim, mix=ADAPTER_MIX, dropout=ADAPTER_DROPOUT).to(where))
    tower = VectorTower(base, "document", Adapter(base.dim, mix=ADAPTER_MIX).to(where))
    if plan.method == "dense":
        return DenseTask(adapted, tower, data, plan.encoder)
    return JointTask(adapted, tower, data, plan, _strengths(plan, base, data))


def _strengths(plan: Plan, base: Encoder, data: Examples) -> tuple[float, float]:
    """Return the l1 and l2 to train with: those given, or the best on dev before training."""
    if plan.l1 is not None or plan.l2 is not None:
        return plan.l1 or 0.0, plan.l2 or 0.0
    index = MemoryIndex(base.encode(data.documents))
    dev = Labelled.of(base.encode_queries(data.dev.texts), data.dev.relevant)
    found = [(asdict(trial.decoder), trial.means[Comp @ 5]) for trial in attempt(plan.decoder, index, dev)]
    first, _ = max((pair for pair in found if pair[0]["l2"] <= LARGEST_L2), key=lambda pair: pair[1])
    return first["l1"], first["l2"]


def _tuned(task: Task, plan: Plan) -> Json:
    """Return the decoder trained with and, of all decoders of that kind, the one that is best on dev now."""
    documents, queries = task.vectors()
    name = plan.decoder if plan.method == "nnn" else "dense"
    trials = attempt(name, MemoryIndex(documents), Labelled.of(queries, task.dev.relevant))
    return {"decoder": asdict(task.decoder), "best on dev": asdict(best(trials).decoder)}
