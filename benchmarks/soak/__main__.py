"""Run the soak, and add what it found to the record.

    python -m benchmarks.soak --minutes 10 --out benchmarks/results [--only kills power clients] [--seed N]

Every run has a new seed unless one is given. Results are added to `soak.json`, run by run, so that it can be
interrupted and gone on with; `soak.md` sums them up.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.soak.clients import clients
from benchmarks.soak.store import kills, power

CAMPAIGNS: dict[str, Callable[[Path, int, float], dict[str, Any]]] = {
    "kills": kills,
    "power": power,
    "clients": clients,
}


def summary(runs: list[dict[str, Any]]) -> str:
    """Say what all runs together have found, as Markdown."""
    found = {name: [run["found"] for run in runs if run["campaign"] == name] for name in CAMPAIGNS}
    total = {key: sum(run[key] for run in found["kills"]) for key in (found["kills"] or [{}])[0]}
    lines = ["# The soak", ""]
    if total:
        lines.append(
            f"- kill -9: {total['kills']:,} kills, {total['acknowledged']:,} acknowledged writes, "
            f"{total['lost_or_half_there']} lost or half there."
        )
    for run in found["power"]:
        lines.append(
            f"- Power loss: {run['moments_tried']:,} of {run['moments']:,} moments of {run['writes']} writes, "
            f"{run['disks']:,} disks reopened, {len(run['wrong'])} wrong."
        )
    for run in found["clients"]:
        lines.append(
            f"- {run['good']} good clients, p99 {run['alone']['p99_ms']} ms alone and "
            f"{run['beside_stalled']['p99_ms']} ms beside {run['stalled']} stalled ones and a dripping body; "
            f"answers {run['alone']['answers']} and {run['beside_stalled']['answers']}."
        )
    return "\n".join([*lines, "", "Made by `python -m benchmarks.soak --out benchmarks/results`.", ""])


def main() -> None:
    """Run the campaigns, each for its share of the time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", nargs="+", choices=CAMPAIGNS, default=list(CAMPAIGNS))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    record = options.out / "soak.json"
    runs = json.loads(record.read_text()) if record.is_file() else []
    for name in options.only:
        seed = int.from_bytes(os.urandom(4), "little") if options.seed is None else options.seed
        with tempfile.TemporaryDirectory() as folder:
            found = CAMPAIGNS[name](Path(folder), seed, 60 * options.minutes / len(options.only))
        runs.append({"campaign": name, "seed": seed, "load_average": os.getloadavg()[1], "found": found})
        options.out.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps(runs, indent=2) + "\n")
        (options.out / "soak.md").write_text(summary(runs))
        print(name, json.dumps(found))


if __name__ == "__main__":
    main()
