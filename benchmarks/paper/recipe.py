"""The paper's recipe: every figure of its appendix, in one place, as the training runs that it comes to.

What is the same for every run is in the training itself, under the paper's names: InfoNCE's temperature and COLT's
(0.1), COLT's ten negatives, gamma = 1.5, the adapter's 768 hidden units and alpha = -5, 50 iterations of FISTA.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from coverset.decoders import MMR, NNN, Decoder

# l1 and l2 are each swept over this, and so is COLT's weight.
GRID = (0.01, 0.03, 0.06, 0.1, 0.3, 0.6, 1.0)
DEPTHS = (1, 2, 3)
RELEVANCE = tuple(tenth / 10 for tenth in range(11))
ENCODERS = {"rate": 2e-5, "decay": 0.01, "batch": 64, "patience": 3}
COLT = {"rate": 1e-3, "decay": 1e-7, "batch": 256, "patience": 20, "epochs": 20}
EPOCHS = 20
# NNN-Tr, L1-Tr and L2-Tr are trained for fewer epochs on the two largest sets.
JOINT_EPOCHS = {"pandasbank": 5, "awsbank": 5}
# NNN-Tr by the implicit gradient: not the paper's, and beside it.
OURS = "NNN-Tr, implicit"
LINES = ("COLT", "NNN-Tr", "L1-Tr", "L2-Tr", OURS)
# What is tuned on dev, over DENSE's encoder.
FIXED: dict[str, list[Decoder]] = {
    "MMR": [MMR(relevance=share) for share in RELEVANCE],
    "NNN-Fix": [NNN(l1=l1, l2=l2) for l1, l2 in product(GRID, GRID)],
    "L1-Fix": [NNN(l1=l1, l2=0.0) for l1 in GRID],
    "L2-Fix": [NNN(l1=0.0, l2=l2) for l2 in GRID],
}


@dataclass(frozen=True)
class Run:
    """A training run: which line of the table it may become, its name, and what `Plan` is given.

    All but DENSE start from DENSE's encoder. Of the runs of one line, the best on dev is the line.
    """

    line: str
    name: str
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def first(self) -> bool:
        """Whether it is DENSE, which the others start from."""
        return self.line == "Dense"


@dataclass(frozen=True)
class Recipe:
    """The paper's recipe, or as much of it as is asked for.

    Parameters
    ----------
    sweep
        Train NNN-Tr, L1-Tr and L2-Tr with every strength of the grid, and not only with those that are best on dev
        before training.
    lines
        Only these lines of the table, and DENSE; empty: all.
    changes
        What every run has otherwise, such as where texts are cut.
    """

    sweep: bool = True
    lines: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)

    def runs(self, dataset: str) -> list[Run]:
        """Return a data set's runs in the order in which they are made: the table's lines, then the sweeps."""
        found = [Run("Dense", "dense", {"method": "dense", **ENCODERS, "epochs": EPOCHS})]
        for depth, weight in product(DEPTHS, GRID):
            given = {"method": "colt", **COLT, "depth": depth, "weight": weight}
            found.append(Run("COLT", f"colt-{depth}-{weight:g}", given))
        joint = {"method": "nnn", **ENCODERS, "epochs": JOINT_EPOCHS.get(dataset, EPOCHS), "gradient": "unrolled"}
        for decoder in ("nnn", "l1", "l2"):
            line = f"{decoder.upper()}-Tr"
            found.append(Run(line, f"{decoder}-tuned", {**joint, "decoder": decoder}))
        found.append(Run(OURS, "nnn-implicit", {**joint, "gradient": "implicit"}))
        if self.sweep:
            found += list(swept(joint))
        wanted = [run for run in found if run.first or not self.lines or run.line in self.lines]
        return [Run(run.line, run.name, {**run.given, **self._changed(run)}) for run in wanted]

    def _changed(self, run: Run) -> dict[str, Any]:
        """COLT has no texts to cut: it starts from vectors."""
        without = ("max_tokens",) if run.given["method"] == "colt" else ()
        return {name: value for name, value in self.changes.items() if name not in without}


def swept(joint: dict[str, Any]) -> Iterator[Run]:
    """Yield the runs of NNN-Tr, L1-Tr and L2-Tr with every strength of the grid."""
    for l1, l2 in product(GRID, GRID):
        yield Run("NNN-Tr", f"nnn-{l1:g}-{l2:g}", {**joint, "decoder": "nnn", "l1": l1, "l2": l2})
    for strength in GRID:
        yield Run("L1-Tr", f"l1-{strength:g}", {**joint, "decoder": "l1", "l1": strength, "l2": 0.0})
        yield Run("L2-Tr", f"l2-{strength:g}", {**joint, "decoder": "l2", "l1": 0.0, "l2": strength})
