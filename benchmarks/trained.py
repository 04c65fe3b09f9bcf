"""Train every method on labelled data sets, and put what it gives beside the paper's tables.

    python -m benchmarks.trained DATA/numpybank DATA/multihoprag_facts DATA/toollens --work WORK --out results

Every run is a `coverset train` command, kept in WORK and resumed where it was; what is there is not trained again.
`--adapters` runs only adapters (minutes), `--report` nothing at all: then the tables are made of what there is,
and say what was not run. `--quick` leaves out what would have to be tuned on dev again. `--bge FOLDER`, a
sentence-transformers folder with bge-small-en-v1.5, trains that model on numpybank too.
"""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import trained_report
from benchmarks.paper.study import study
from benchmarks.trained_report import on_dev
from coverset.commands import app
from coverset.decoders import NNN, Decoder, Dense
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder
from coverset.evaluation.datasets import load
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.indexes import MemoryIndex
from coverset.training.material import hidden_sets, only

MINILM, BGE = "all-MiniLM-L6-v2", "bge-small-en-v1.5"
# The strengths that adapters are trained with; the best on dev is kept. The paper sweeps 7 x 7.
PAIRS = ((0.03, 0.1), (0.1, 0.3), (0.1, 1.0))
# What makes a run affordable on two cores: shorter texts, fewer epochs, and on ToolLens fewer batches in an epoch.
# So few steps need a larger learning rate than the paper's 2e-5, except on numpybank, where DENSE had time.
TOKENS = {"numpybank": 64, "multihoprag_facts": 96, "toollens": 64}
DENSE_CUTS = {
    "numpybank": ["--epochs", "6"],
    "multihoprag_facts": ["--epochs", "8", "--lr", "1e-4"],
    "toollens": ["--epochs", "4", "--steps", "60", "--lr", "1e-4"],
}
# Epochs of some 200 queries and of 1,400 are short: more of them, and patience to match. The strengths are the
# best on dev before training, on numpybank those that adapters did best with on dev.
JOINT_CUTS = {
    "numpybank": ["--l1", "0.1", "--l2", "0.3", "--epochs", "12", "--patience", "6", "--lr", "1e-4"],
    "multihoprag_facts": ["--epochs", "16", "--patience", "10", "--lr", "1e-4"],
    "toollens": ["--epochs", "3", "--steps", "60", "--lr", "1e-4"],
}
# L1-Tr and L2-Tr: as the paper has them, but for fewer epochs; the strength is the best on dev before training.
VARIANT_CUTS = {
    "numpybank": ["--epochs", "6"],
    "multihoprag_facts": ["--epochs", "10"],
    "toollens": ["--epochs", "4", "--steps", "60", "--lr", "1e-4"],
}
ADAPTER_CUTS = {"toollens": ["--steps", "80", "--epochs", "12"]}
# bge-small is twice as large: fewer epochs of DENSE, one setting of adapters, the joint runs as for MiniLM.
BGE_DENSE = ["--epochs", "3", "--lr", "1e-4"]
BGE_ADAPTERS = ("adapter-dense", "adapter-implicit-0.1-0.3")
# Share of ToolLens's scenes that a second set of adapters never sees.
HELD_OUT = 0.2


@dataclass(frozen=True)
class Setting:
    """A data set and an encoder: its name, where whole encoders start from, and where runs are kept."""

    folder: Path
    encoder: str
    start: str
    work: Path
    cache: Path

    @property
    def name(self) -> str:
        """What the setting is called in tables."""
        return self.folder.name if self.encoder == MINILM else f"{self.folder.name}, {self.encoder}"

    @property
    def place(self) -> Path:
        """Where its runs are."""
        return self.work / self.name.replace(", ", "-")


@dataclass(frozen=True)
class Run:
    """A training run: its name, its arguments, and what it starts from (another run, or nothing)."""

    name: str
    arguments: tuple[str, ...]
    start: str | None = None


def runs(setting: Setting) -> list[Run]:
    """Return all runs of a setting, cheapest first."""
    dataset, small = setting.folder.name, setting.encoder == MINILM
    adapter = ("--train", "adapter", *ADAPTER_CUTS.get(dataset, []))
    pairs = [("--l1", str(l1), "--l2", str(l2)) for l1, l2 in PAIRS]
    found = [Run("adapter-dense", ("dense", *adapter))]
    for pair in pairs:
        name = f"adapter-implicit-{pair[1]}-{pair[3]}"
        found.append(Run(name, ("nnn", *adapter, *pair)))
    for pair in pairs:
        name = f"adapter-unrolled-{pair[1]}-{pair[3]}"
        found.append(Run(name, ("nnn", *adapter, *pair, "--gradient", "unrolled")))
    if dataset == "toollens":
        found.append(Run("unseen-dense", ("dense", *adapter, "--hold-out", str(HELD_OUT))))
        found.append(Run("unseen-implicit", ("nnn", *adapter, *pairs[1], "--hold-out", str(HELD_OUT))))
    tokens = ("--max-tokens", str(TOKENS[dataset])) if dataset in TOKENS else ()
    joint, variant = (("nnn", *tokens, *cuts.get(dataset, [])) for cuts in (JOINT_CUTS, VARIANT_CUTS))
    found.append(Run("dense", ("dense", *tokens, *(DENSE_CUTS.get(dataset, []) if small else BGE_DENSE))))
    found.append(Run("colt", ("colt",), "dense"))
    found.append(Run("nnn-implicit", joint, "dense"))
    found.append(Run("nnn-unrolled", (*joint, "--gradient", "unrolled"), "dense"))
    for decoder in ("l1", "l2"):
        arguments = (*variant, "--decoder", decoder, "--gradient", "unrolled")
        found.append(Run(f"{decoder}-unrolled", arguments, "dense"))
    return [run for run in found if small or run.name in BGE_ADAPTERS or "adapter" not in run.arguments]


def train(run: Run, setting: Setting) -> None:
    """Make a run, or go on with it, unless it is finished."""
    out = setting.place / run.name
    if (out / "training" / "record.json").is_file():
        return
    encoder = setting.encoder if "adapter" in run.arguments else setting.start
    method, *rest = run.arguments
    arguments = [
        "train",
        method,
        str(setting.folder),
        "--encoder",
        str(setting.place / run.start) if run.start else encoder,
        *rest,
        "--out",
        str(out),
        "--cache",
        str(setting.cache),
    ]
    print(shlex.join(["coverset", *arguments]), flush=True)
    app([*arguments, "--resume"], standalone_mode=False)


def measure(name: str, encoder: str, setting: Setting) -> dict[str, Any]:
    """Study a data set under an encoder, once: tuned on dev, measured on test."""
    kept = setting.place / f"{name}.json"
    if not kept.is_file():
        index, (test, dev) = vectors(encoder, setting, ["test", "dev"])
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(study(index, test, dev).as_json()), encoding="utf-8")
    measured: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return measured


def vectors(
    encoder: str, setting: Setting, names: list[str], *, unseen: bool = False
) -> tuple[MemoryIndex, list[Labelled]]:
    """Return documents and splits under an encoder; `unseen`: only queries of scenes that were held out."""
    data, cached = load(setting.folder), CachedEncoder(load_encoder(encoder), setting.cache)
    splits = [data.split(name) for name in names]
    if unseen:
        hidden = hidden_sets(data.split("train"), HELD_OUT, 0)
        splits = [only(split, hidden) for split in splits]
    labelled = [Labelled.of(cached.encode_queries(split.texts), split.relevant) for split in splits]
    return MemoryIndex(cached.encode(data.texts)), labelled


def figures(decoder: Decoder, index: MemoryIndex, labelled: Labelled) -> dict[str, float]:
    """Return the paper's metrics in percent."""
    values = evaluate(decoder, index, labelled)
    return {str(metric): 100 * float(value.mean()) for metric, value in values.items()}


def main() -> None:
    """Train, measure, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--bge", type=Path, metavar="FOLDER")
    parser.add_argument("--adapters", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    cache = given.cache or given.work / "cache"
    settings = [Setting(folder, MINILM, MINILM, given.work, cache) for folder in given.datasets]
    if given.bge:
        both = [folder for folder in given.datasets if folder.name == "numpybank"]
        settings += [Setting(folder, BGE, str(given.bge), given.work, cache) for folder in both]
    results: dict[str, Any] = {}
    for setting in settings:
        found = runs(setting)
        for run in found:
            if not given.report and (run.name.startswith(("adapter", "unseen")) or not given.adapters):
                train(run, setting)
        results[setting.name] = collect(found, setting, quick=given.quick)
        trained_report.write(results, given.out)


def collect(found: list[Run], setting: Setting, *, quick: bool) -> dict[str, Any]:
    """Return study, record and, with the strengths trained with, the test figures of every run; empty if not run.

    `quick` makes no new studies of trained encoders.
    """
    studies: dict[str, Any] = {"frozen": {"study": measure("frozen", setting.encoder, setting), "record": None}}
    if any(run.name.startswith("unseen") for run in found):
        studies["unseen-frozen"] = {"record": None, **unseen_before(studies["frozen"]["study"], setting)}
    for run in found:
        record = setting.place / run.name / "training" / "record.json"
        studies[run.name] = {"record": None}
        if record.is_file():
            told = json.loads(record.read_text(encoding="utf-8"))
            studies[run.name] = {"record": told, "trained": as_trained(run.name, told, setting)}
    if studies["dense"]["record"]:
        studies["dense"]["learnt"] = learnt(setting)
    for name in shown(studies):
        if quick and not (setting.place / f"{name}.json").is_file():
            continue
        studies[name]["study"] = measure(name, str(setting.place / name), setting)
    return studies


def shown(studies: dict[str, Any]) -> list[str]:
    """Return the runs to study in full: those of which decoders are compared, and the one that is drawn."""
    done = [name for name, found in studies.items() if found["record"]]
    joint = [name for name in done if name.startswith("adapter-implicit")]
    drawn = ["nnn-implicit"] if "nnn-implicit" in done else joint
    best = max(drawn, key=lambda name: on_dev(studies[name]["record"]), default=None)
    return [name for name in done if name in ("adapter-dense", "dense", best)]


def unseen_before(frozen: dict[str, Any], setting: Setting) -> dict[str, Any]:
    """Measure the encoder before training on test queries of scenes that training will not see."""
    index, (test,) = vectors(setting.encoder, setting, ["test"], unseen=True)
    tuned = next(row["parameters"] for row in frozen["rows"] if row["method"] == "NNN-Fix")
    rows = [
        {"method": method, "parameters": parameters, "metrics": figures(decoder, index, test)}
        for method, parameters, decoder in (("Dense", {}, Dense()), ("NNN-Fix", tuned, NNN(**tuned)))
    ]
    return {"study": {"rows": rows, "queries": len(test.queries)}}


def learnt(setting: Setting) -> float:
    """Return what DENSE completes at 5 of the training queries' sets, in percent: the rest is left to learn."""
    kept = setting.place / "dense.learnt.json"
    if not kept.is_file():
        index, (train,) = vectors(str(setting.place / "dense"), setting, ["train"])
        kept.write_text(json.dumps(figures(Dense(), index, train)["comp@5"]), encoding="utf-8")
    return float(json.loads(kept.read_text(encoding="utf-8")))


def as_trained(name: str, record: dict[str, Any], setting: Setting) -> dict[str, float]:
    """Measure a run on test with the decoder it was trained with, once."""
    kept = setting.place / f"{name}.trained.json"
    if not kept.is_file():
        strengths = {key: record["decoder"][key] for key in ("l1", "l2") if key in record["decoder"]}
        unseen = name.startswith("unseen")
        index, (test,) = vectors(str(setting.place / name), setting, ["test"], unseen=unseen)
        found = figures(NNN(**strengths) if strengths else Dense(), index, test)
        kept.write_text(json.dumps({**strengths, **found}), encoding="utf-8")
    measured: dict[str, float] = json.loads(kept.read_text(encoding="utf-8"))
    return measured


if __name__ == "__main__":
    main()
