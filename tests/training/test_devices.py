"""Training runs on any device: the processor, `meta` where shapes are the point, CUDA where there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from typer.testing import CliRunner

from coverset.commands import app
from coverset.encoders import load_encoder
from coverset.encoders.device import VARIABLE, pick
from coverset.encoders.sentence_transformers import SentenceTransformersEncoder
from coverset.training.base import checkpoint, text_towers
from coverset.training.checkpoints import Checkpoints
from coverset.training.completeness import Weights, completeness
from coverset.training.implicit import continued
from coverset.training.infonce import infonce
from coverset.training.plan import Plan
from coverset.training.run import fit
from coverset.training.session import make_task
from coverset.training.task import Task
from coverset.training.towers import Adapter, TextTower
from coverset.training.unrolled import unrolled

TEXTS = ["Sine of an angle.", "Round to two decimals.", "Sort, and keep every element once, please."]
CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
DEVICES = ["cpu", pytest.param("cuda:0", marks=CUDA)]
KINDS: dict[str, dict[str, Any]] = {
    "dense": {"method": "dense", "part": "adapter"},
    "nnn, implicit": {"method": "nnn", "part": "adapter", "l1": 0.1, "l2": 0.3},
    "nnn, unrolled": {"method": "nnn", "part": "adapter", "l1": 0.1, "l2": 0.3, "gradient": "unrolled"},
    "colt": {"method": "colt"},
    "dense, whole": {"method": "dense", "max_tokens": 24, "steps": 2},
    "nnn, whole": {"method": "nnn", "max_tokens": 24, "l1": 0.1, "l2": 0.3, "steps": 2},
}


def task(kind: str, dataset: Path, cache: Path, device: str) -> tuple[Task, Plan]:
    torch.manual_seed(0)
    plan = Plan.usual(dataset=str(dataset), **{"epochs": 1, "batch": 6, "device": device, **KINDS[kind]})
    return make_task(plan, cache), plan


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_training_keeps_all_of_itself_on_its_device(
    dataset: Path, tmp_path: Path, kind: str, device: str
) -> None:
    made, plan = task(kind, dataset, tmp_path, device)
    assert {tensor.device for tensor in [*made.parameters(), *made.buffers()]} == {torch.device(device)}
    loss = made.loss(np.arange(6))
    assert loss.device == torch.device(device)
    assert loss.dtype == torch.float32
    record = fit(made, plan, Checkpoints(tmp_path / "kept"))
    assert record["epochs"][1]["loss"] > 0
    assert all(isinstance(vectors, np.ndarray) for vectors in made.vectors())


@CUDA
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_moves_from_the_processor_to_a_cuda_device_and_back(
    dataset: Path, tmp_path: Path, kind: str
) -> None:
    first, plan = task(kind, dataset, tmp_path, "cpu")
    fit(first, plan, Checkpoints(tmp_path / "kept"))
    for device, epochs in (("cuda:0", 2), ("cpu", 3)):
        moved, _ = task(kind, dataset, tmp_path, device)
        later = Plan(**{**vars(plan), "epochs": epochs, "patience": 9, "device": device})
        record = fit(moved, later, Checkpoints(tmp_path / "kept"))
        assert len(record["epochs"]) == epochs + 1


@CUDA
def test_vectors_are_the_same_wherever_they_are_made() -> None:
    there, here = (load_encoder(str(checkpoint("all-MiniLM-L6-v2")), device) for device in ("cuda:0", "cpu"))
    assert there.fingerprint == here.fingerprint
    np.testing.assert_allclose(there.encode(TEXTS), here.encode(TEXTS), atol=1e-4)


def test_states_are_kept_so_that_they_can_be_read_on_any_device(dataset: Path, tmp_path: Path) -> None:
    from safetensors import safe_open

    made, plan = task("dense", dataset, tmp_path, "cpu")
    fit(made, plan, Checkpoints(tmp_path / "kept"))
    files = sorted((tmp_path / "kept").rglob("*.safetensors"))
    assert {path.name for path in files} == {"model.safetensors", "optimizer.safetensors"}
    # what is kept says nothing of a device: it is laid out for `meta` as it is for any other
    with torch.device("meta"):
        elsewhere = nn.ModuleDict({"adapter": Adapter(384)})
    with safe_open(files[0], "pt", device="cpu") as file:
        names = list(file.keys())
        state = {name.partition(".")[2]: file.get_tensor(name) for name in names if "queries" in name}
    elsewhere.load_state_dict({name: tensor.to("meta") for name, tensor in state.items()})
    assert {tensor.device.type for tensor in elsewhere.state_dict().values()} == {"meta"}


def on_meta(*shape: int) -> Tensor:
    return torch.empty(*shape, device="meta", requires_grad=True)


def test_the_decoder_and_both_losses_have_the_right_shapes_at_the_papers_sizes_on_meta() -> None:
    queries, corpus = on_meta(64, 384), on_meta(1651, 384)
    relevant = torch.zeros(64, 1651, dtype=torch.bool, device="meta")
    weights = unrolled(queries, corpus, 0.1, 0.1, norm=100.0)
    assert weights.shape == (64, 1651)
    loss = completeness(Weights(weights, relevant))
    assert loss.shape == ()
    assert [grad.shape for grad in torch.autograd.grad(loss, (queries, corpus))] == [(64, 384), (1651, 384)]
    found = [torch.arange(3, device="meta")] * 64
    assert continued(queries, corpus, 0.1, 0.1, found, relevant).shape == (64, 1651)
    wanted = torch.zeros(64, dtype=torch.long, device="meta")
    loss = infonce(queries, corpus[:60], wanted, torch.ones(64, 60, dtype=torch.bool, device="meta"))
    assert [grad.shape for grad in torch.autograd.grad(loss, queries)] == [(64, 384)]


class Words(nn.Module):
    """The smallest network over tokens: the mean of its words' vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(10, 16)

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        words, there = self.words(features["input_ids"]), features["attention_mask"][:, :, None]
        return {"sentence_embedding": (words * there).sum(1) / there.sum(1)}


def test_a_network_makes_its_inputs_where_its_weights_are() -> None:
    tower = TextTower(nn.Sequential(Words())).to("meta")
    vectors = tower([[1, 2, 3], [4], [5, 6]], [2, 0, 2])
    assert vectors.device.type == "meta"
    assert vectors.shape == (3, 16)


def test_bfloat16_is_for_the_network_and_what_the_decoder_gets_is_float32() -> None:
    queries, documents = text_towers("all-MiniLM-L6-v2", 32)
    for layer in queries.modules():
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
    queries.train()
    queries.halved = False
    full = queries(queries.prepare(TEXTS))
    queries.halved = True
    halved = queries(queries.prepare(TEXTS))
    torch.testing.assert_close(queries.eval()(queries.prepare(TEXTS)), full)  # what is measured is what is kept
    assert halved.dtype == torch.float32
    difference = (full - halved).abs().max()
    assert 1e-5 < difference < 2e-2
    torch.testing.assert_close(halved.norm(dim=1), torch.ones(3))
    weights = unrolled(halved, documents(documents.prepare(TEXTS)), 0.01, 0.1, 10)
    weights.sum().backward()
    assert {p.grad.dtype for p in queries.parameters() if p.grad is not None} == {torch.float32}


def test_auto_takes_what_is_there_and_the_environment_may_say_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    there = "cuda:0" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    assert pick() == pick("auto") == there
    monkeypatch.setenv(VARIABLE, "cpu")
    assert pick() == "cpu"
    assert SentenceTransformersEncoder(str(checkpoint("all-MiniLM-L6-v2"))).device == "cpu"
    assert pick("auto") == there


def test_the_command_line_says_where_an_encoder_runs(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "cpu")
    folder, documents = checkpoint("all-MiniLM-L6-v2"), tmp_path / "documents.txt"
    documents.write_text("\n".join(TEXTS))
    for arguments in (
        ["eval", dataset, "--encoder", folder, "--cache", tmp_path, "--decoder", "dense"],
        ["add", tmp_path / "tools.cover", documents, "--format", "lines", "--encoder", folder],
    ):
        done = CliRunner().invoke(app, [*map(str, arguments), "--device", "cpu"])
        assert done.exit_code == 0, done.output
        assert "runs on the processor" in done.stderr
        refused = CliRunner().invoke(app, [*map(str, arguments), "--device", "gpu"])
        assert refused.exit_code == 2
        assert "device must be auto, cpu, cuda" in refused.stderr


@pytest.mark.parametrize("name", ["gpu", "cpu:1", "cuda:x", "cuda:", "mps:0", ""])
def test_devices_that_are_none_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "tpu")
    with pytest.raises(ValueError, match="device must be auto, cpu, cuda, cuda:N or mps, got"):
        pick(name)


def test_a_device_that_is_not_here_is_said_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"device 'cuda:99' is not here; there is: cpu"):
        pick("cuda:99")
