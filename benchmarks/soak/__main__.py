"""Run the soak, and add what it found to the record.

    python -m benchmarks.soak --minutes 10 --out benchmarks/results [--only kills power clients] [--seed N]

Every run has a new seed unless one is given. Results are added to `soak.json`, run by run, so that it can be
interrupted and gone on with; each says which store it was, by git's name for its folder and by Lance's version.
`soak.md` sums them up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.soak.clients import clients
from benchmarks.soak.store import kills, power

CAMPAIGNS: dict[str, Callable[[Path, int, float], dict[str, Any]]] = {
    "kills": kills,
    "power": power,
    "clients": clients,
}
STORE = "src/coverset/store"


def code() -> dict[str, str]:
    """Return what is tried: the store as it is committed, and the Lance under it."""
    named = subprocess.run(["git", "rev-parse", f"HEAD:{STORE}"], capture_output=True, text=True, check=True)
    return {"store": named.stdout.strip(), "lance": version("pylance")}


def summary(runs: list[dict[str, Any]]) -> str:
    """Say what all runs together have found, as Markdown; kills are summed up by the store that was tried."""
    lines, kills = ["# The soak", ""], defaultdict(list)
    for run in runs:
        if run["campaign"] == "kills":
            kills[_tried(run)].append(run["found"])
    for store, some in kills.items():
        total = {key: sum(found[key] for found in some) for key in some[0]}
        lines.append(
            f"- kill -9, {store}: {total['kills']:,} kills, {total['acknowledged']:,} acknowledged writes, "
            f"{total['lost_or_half_there']} lost or half there."
        )
    for run in runs:
        if run["campaign"] == "power":
            found = run["found"]
            lines.append(
                f"- Power loss, {_tried(run)}: {found['moments_tried']:,} of {found['moments']:,} moments of "
                f"{found['writes']} writes, {found['disks']:,} disks reopened, {len(found['wrong'])} wrong."
            )
    for found in [run["found"] for run in runs if run["campaign"] == "clients"]:
        lines.append(
            f"- {found['good']} good clients, p99 {found['alone']['p99_ms']} ms alone and "
            f"{found['beside_stalled']['p99_ms']} ms beside {found['stalled']} stalled ones and a dripping body; "
            f"answers {found['alone']['answers']} and {found['beside_stalled']['answers']}."
        )
    return "\n".join([*lines, "", "Made by `python -m benchmarks.soak --out benchmarks/results`.", ""])


def _tried(run: dict[str, Any]) -> str:
    """Name the store that a run tried; before the record said it, most were on LanceDB."""
    return f"store {run['store'][:7]} on Lance {run['lance']}" if "store" in run else "earlier stores"


def main() -> None:
    """Run the campaigns, each for its share of the time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", nargs="+", choices=CAMPAIGNS, default=list(CAMPAIGNS))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    record = options.out / "soak.json"
    tried = code()
    for name in options.only:
        seed = int.from_bytes(os.urandom(4), "little") if options.seed is None else options.seed
        with tempfile.TemporaryDirectory() as folder:
            found = CAMPAIGNS[name](Path(folder), seed, 60 * options.minutes / len(options.only))
        # Read only now: another soak may have added to it.
        runs = json.loads(record.read_text()) if record.is_file() else []
        load = os.getloadavg()[1]
        runs.append({"campaign": name, **tried, "seed": seed, "load_average": load, "found": found})
        options.out.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps(runs, indent=2) + "\n")
        (options.out / "soak.md").write_text(summary(runs))
        print(name, json.dumps(found))


if __name__ == "__main__":
    main()
