"""`coverset train` on a small real data set: it learns, it resumes, and what it leaves is read back."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from coverset import Retriever
from coverset.commands import app
from coverset.encoders import load_encoder
from coverset.evaluation.datasets import load

TEXTS = ["Sine of an angle.", "Round a number to two decimals."]


def train(*arguments: str) -> dict[str, Any]:
    """Run `coverset train`; return its record, which it prints and keeps."""
    done = CliRunner().invoke(app, ["train", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    record: dict[str, Any] = json.loads(done.stdout)
    out = Path(arguments[arguments.index("--out") + 1])
    assert record == json.loads((out / "training" / "record.json").read_text())
    return record


def evaluate(dataset: Path, encoder: Path, *arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["eval", str(dataset), "--encoder", str(encoder), "--json", *arguments])
    assert done.exit_code == 0, done.output
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("gradient", ["implicit", "unrolled"])
def test_adapters_learn_what_the_frozen_embeddings_lack(
    dataset: Path, cache: str, tmp_path: Path, gradient: str
) -> None:
    out = tmp_path / "model"
    record = train(
        "nnn", str(dataset), "--train", "adapter", "--gradient", gradient, "--l1", "0.1", "--l2", "0.3",
        "--batch", "8", "--epochs", "6", "--patience", "6", "--out", str(out), "--cache", cache,
    )  # fmt: skip
    losses = [epoch["loss"] for epoch in record["epochs"][1:]]
    assert losses[-1] < 0.9 * losses[0]
    assert (out / "training" / "curves.png").read_bytes().startswith(b"\x89PNG")
    result = evaluate(dataset, out, "--l1", "0.1", "--l2", "0.3", "--cache", cache)
    assert result["queries"] == len(load(dataset).split("test").ids)
    tools = Retriever.open(tmp_path / "tools.cover", encoder=str(out))
    tools.add([{"id": str(n), "text": text} for n, text in enumerate(TEXTS)])
    assert Retriever.open(tmp_path / "tools.cover").search(TEXTS[0], k=1)[0].text == TEXTS[0]


def test_a_run_killed_in_the_middle_resumes_to_the_same_end(dataset: Path, cache: str, tmp_path: Path) -> None:
    def command(out: Path) -> list[str]:
        return [
            sys.executable, "-m", "coverset", "train", "dense", str(dataset), "--train", "adapter", "--batch", "8",
            "--epochs", "12", "--patience", "12", "--out", str(out), "--cache", cache,
        ]  # fmt: skip

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run(command(whole), check=True, capture_output=True, timeout=300)
    process = subprocess.Popen(command(broken), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list((broken / "training" / "checkpoints").glob("epoch-000[2-9]")):
        assert process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (broken / "training" / "record.json").exists()
    again = subprocess.run(command(broken), capture_output=True, text=True, timeout=300)
    assert again.returncode == 2
    assert "resume" in again.stderr
    subprocess.run([*command(broken), "--resume"], check=True, capture_output=True, timeout=300)
    first, second = (json.loads((out / "training" / "record.json").read_text()) for out in (whole, broken))
    for record in (first, second):
        for epoch in record["epochs"]:
            epoch.pop("seconds", None)
    assert first == second
    for name in ("query.safetensors", "document.safetensors"):
        assert (whole / name).read_bytes() == (broken / name).read_bytes()
    assert not (broken / "training" / "checkpoints").exists()


def test_an_adapted_encoder_is_read_back_without_torch(dataset: Path, cache: str, tmp_path: Path) -> None:
    out = tmp_path / "model"
    train("dense", str(dataset), "--train", "adapter", "--epochs", "1", "--out", str(out), "--cache", cache)
    code = f"""
        import sys
        sys.modules["torch"] = sys.modules["sentence_transformers"] = None
        from coverset.encoders import load_encoder
        encoder = load_encoder({str(out)!r})
        print(encoder.encode({TEXTS!r}).tolist(), encoder.encode_queries({TEXTS!r}).tolist(), sep=chr(10))
    """
    lines = "\n".join(line.strip() for line in code.splitlines())
    done = subprocess.run([sys.executable, "-c", lines], check=True, capture_output=True, text=True)
    documents, queries = (np.array(json.loads(line)) for line in done.stdout.splitlines())
    base = load_encoder()
    for side, vectors, start in (
        ("document", documents, base.encode(TEXTS)),
        ("query", queries, base.encode_queries(TEXTS)),
    ):
        np.testing.assert_allclose(vectors, by_torch(out / f"{side}.safetensors", start), atol=1e-6)


def by_torch(path: Path, vectors: Any) -> Any:
    """The adapter's output by torch, from the same file."""
    import torch
    from safetensors.torch import load_file

    from coverset.training.towers import Adapter

    adapter = Adapter(vectors.shape[1])
    adapter.load_state_dict(load_file(path))
    with torch.no_grad():
        return adapter(torch.from_numpy(vectors)).numpy()


def test_colt_leaves_a_vector_for_every_document(dataset: Path, cache: str, tmp_path: Path) -> None:
    out = tmp_path / "model"
    record = train("colt", str(dataset), "--epochs", "4", "--batch", "8", "--out", str(out), "--cache", cache)
    assert record["epochs"][-1]["loss"] < record["epochs"][1]["loss"]
    encoder, base = load_encoder(str(out)), load_encoder()
    known = load(dataset).texts[:3]
    np.testing.assert_allclose(encoder.encode(TEXTS), base.encode(TEXTS), atol=1e-6)
    np.testing.assert_allclose(encoder.encode_queries(known), base.encode_queries(known), atol=1e-6)
    if record["best"]:
        assert np.abs(encoder.encode(known) - base.encode(known)).max() > 1e-3


def test_encoders_are_trained_and_read_back_by_sentence_transformers(
    dataset: Path, cache: str, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    dense, joint = tmp_path / "dense", tmp_path / "joint"
    few = ("--epochs", "1", "--steps", "2", "--batch", "6", "--max-tokens", "24", "--lr", "1e-4", "--cache", cache)
    train("dense", str(dataset), "--out", str(dense), *few)
    train("nnn", str(dataset), "--encoder", str(dense), "--out", str(joint), "--l1", "0.1", "--l2", "0.3", *few)
    ours, theirs = load_encoder(str(joint)), SentenceTransformer(str(joint), device="cpu")
    np.testing.assert_allclose(ours.encode(TEXTS), theirs.encode_document(TEXTS), atol=1e-6)
    np.testing.assert_allclose(ours.encode_queries(TEXTS), theirs.encode_query(TEXTS), atol=1e-6)
    record = json.loads((joint / "training" / "record.json").read_text())
    measured = evaluate(dataset, joint, "--split", "dev", "--l1", "0.1", "--l2", "0.3", "--cache", cache)
    assert measured["comp@5"] == pytest.approx(record["epochs"][record["best"]]["comp@5"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--train", "half"], "train must be one of"),
        (["--gradient", "none"], "gradient must be one of"),
        (["--epochs", "0"], "epochs must be a whole number"),
        (["--encoder", "unheard-of"], "encoder must be one of"),
        (["--hold-out", "2"], "hold-out must be"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    dataset: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    out = tmp_path / "model"
    done = CliRunner().invoke(app, ["train", "nnn", str(dataset), "--out", str(out), *arguments])
    assert done.exit_code == 2
    assert said in " ".join(done.output.replace("│", " ").split())
    assert not out.exists()


def test_held_out_sets_are_kept_out_of_training(dataset: Path) -> None:
    from coverset.training.material import hidden_sets, only, read

    full = load(dataset).split("train")
    hidden = hidden_sets(full, 0.25, seed=0)
    data = read(dataset, held_out=0.25, seed=0)
    seen = {frozenset(rows.tolist()) for split in (data.train, data.dev) for rows in split.relevant}
    assert not seen & hidden
    assert len(data.train.ids) + len(only(full, hidden).ids) == len(full.ids)
    assert len(hidden) == round(0.25 * len({frozenset(rows.tolist()) for rows in full.relevant}))


def test_the_page_about_training_shows_the_measured_figures() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "training.md").read_text(encoding="utf-8")
    assert (root / "benchmarks/results/training_step.md").read_text(encoding="utf-8").strip() in page
    measured = (root / "benchmarks/results/training.md").read_text(encoding="utf-8").splitlines()
    quoted = page[page.index("## What it gives") :].splitlines()
    assert all(line in measured for line in quoted if line.startswith("|"))
