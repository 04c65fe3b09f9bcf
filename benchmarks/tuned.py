"""What tuning on a dev split gives on the test split, requests taken whole: every decoder over every space.

    python -m benchmarks.tuned DATA --out benchmarks/results [SET ...]

Each figure is that of `coverset eval DATA/SET --no-parts --tune dev --space S --decoder D`; settings are chosen on
dev alone. Runs on from where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from coverset.progress import progress

SETS = ("numpybank", "ultratool", "multihoprag_facts", "metatool", "toollens")
WAYS = {
    "Dense, meaning only": ("dense", "dense"),
    "MMR, meaning only": ("dense", "mmr"),
    "NNN, meaning only": ("dense", "nnn"),
    "NNN, words only": ("words", "nnn"),
    "RRF": ("hybrid", "rrf"),
    "sum of both": ("hybrid", "dense"),
    "MMR over both": ("hybrid", "mmr"),
    "NNN over both": ("hybrid", "nnn"),
}


def evaluated(data: Path, space: str, decoder: str, encoder: str) -> dict[str, Any]:
    """Return what the command line says."""
    command = [sys.executable, "-m", "coverset", "eval", str(data), "--no-parts", "--json", "--tune", "dev"]
    command += ["--space", space, "--decoder", decoder, "--encoder", encoder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def brief(found: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of it, and what was chosen."""
    chosen = {name: found["params"][name] for name in ("l1", "l2") if found["params"].get(name) is not None}
    if found["space"] == "hybrid" and found["share"] is not None:
        chosen["share"] = found["share"]
    told = " ".join(f"{name}={value:g}" for name, value in chosen.items())
    return {name: round(found[name], 2) for name in ("comp@5", "recall@5")} | {"chosen": told or "the default"}


def markdown(report: dict[str, Any], sets: list[str], encoder: str) -> str:
    """The report as a table of Comp@5, with what was chosen."""
    lines = ["| | " + " | ".join(sets) + " | mean |", "|---|" + "--:|" * (len(sets) + 1)]
    for name in WAYS:
        cells = [report[f"{data} {name}"] for data in sets if f"{data} {name}" in report]
        shown = [f"{cell['comp@5']:.1f}" for cell in cells]
        mean = f"{np.mean([cell['comp@5'] for cell in cells]):.1f}" if len(cells) == len(sets) else ""
        lines.append(f"| {name} | " + " | ".join([*shown, *[""] * (len(sets) - len(shown)), mean]) + " |")
    chosen = ", ".join(
        f"{data} {cell['chosen']}" for data in sets if (cell := report.get(f"{data} NNN over both")) is not None
    )
    return "\n".join(
        [
            f"# Tuned on dev, {encoder}",
            "",
            "Comp@5 on the whole test splits, requests taken whole (`--no-parts`).",
            "",
            *lines,
            "",
            f"NNN over both: {chosen}.",
            "",
            f"Made by `python -m benchmarks.tuned DATA --encoder {encoder} --out benchmarks/results`.",
            "",
        ]
    )


def main() -> None:
    """Evaluate, and write tuned.ENCODER.json and .md after every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    path = arguments.out / f"tuned.{arguments.encoder}.json"
    report: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    with progress("tuned on dev", len(arguments.sets) * len(WAYS)) as advance:
        for data in arguments.sets:
            for name, (space, decoder) in WAYS.items():
                if f"{data} {name}" not in report:
                    found = evaluated(arguments.data / data, space, decoder, arguments.encoder)
                    report[f"{data} {name}"] = brief(found)
                    path.write_text(json.dumps(report, indent=1) + "\n")
                advance(1)
    path.with_suffix(".md").write_text(markdown(report, arguments.sets, arguments.encoder))
    print(path.with_suffix(".md").read_text())


if __name__ == "__main__":
    main()
