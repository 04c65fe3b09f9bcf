"""A data set and a backbone: what each run is made of, and where it is kept."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.paper.published import BACKBONES
from benchmarks.paper.recipe import Run
from coverset.training.plan import Plan


@dataclass(frozen=True)
class Setting:
    """A data set and a backbone, and where their runs are kept."""

    folder: Path
    encoder: str
    work: Path
    cache: Path
    device: str

    @property
    def dataset(self) -> str:
        """What the data set is called."""
        return self.folder.resolve().name

    @property
    def place(self) -> Path:
        """Where the runs are."""
        return self.work / f"{self.dataset}.{Path(self.encoder).name}"

    def plan(self, run: Run) -> Plan:
        """Return what to train: DENSE from the backbone, everything else from DENSE."""
        start = BACKBONES.get(self.encoder, self.encoder) if run.first else str(self.place / "dense")
        return Plan(dataset=str(self.folder), encoder=start, device=self.device, **run.given)

    def done(self, run: Run) -> bool:
        """Say whether a run is finished."""
        return (self.place / run.name / "training" / "record.json").is_file()

    def record(self, run: Run) -> dict[str, Any]:
        """Return what a finished run left."""
        text = (self.place / run.name / "training" / "record.json").read_text(encoding="utf-8")
        record: dict[str, Any] = json.loads(text)
        return record

    def unstarted(self, run: Run) -> Plan:
        """Return the same from the backbone, with some strengths: to time, before DENSE is there."""
        strengths = {"l1": 0.1, "l2": 0.1} if run.given["method"] == "nnn" else {}
        start = BACKBONES.get(self.encoder, self.encoder)
        return Plan(**{**asdict(self.plan(run)), "encoder": start, **strengths})
