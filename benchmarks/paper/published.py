"""The paper's own test figures, from `published.csv`, to stand beside ours: R@3, R@5, C@3, C@5 in percent."""

from __future__ import annotations

import csv
from pathlib import Path

Row = tuple[float, float, float, float]

METRICS = ("recall@3", "recall@5", "comp@3", "comp@5")
METHODS = ("Dense", "MMR", "COLT", "NNN-Fix", "L1-Fix", "L2-Fix", "NNN-Tr", "L1-Tr", "L2-Tr")
# The paper's backbones, and where they are on the hub.
BACKBONES = {
    "bge-small-en-v1.5": "BAAI/bge-small-en-v1.5",
    "msmarco-MiniLM-L6-cos-v5": "sentence-transformers/msmarco-MiniLM-L6-cos-v5",
    "msmarco-distilbert-base-tas-b": "sentence-transformers/msmarco-distilbert-base-tas-b",
}
# An encoder that the paper has not: the backbone that is nearest to it. A data set likewise.
NEAREST = {"all-MiniLM-L6-v2": "msmarco-MiniLM-L6-cos-v5", "multihoprag_facts": "multihoprag"}


def backbone(encoder: str) -> str:
    """Return the paper's backbone that an encoder, by its name or folder, is or is nearest to; else nothing."""
    name = Path(encoder).name
    return name if name in BACKBONES else NEAREST.get(name, "")


def figures(dataset: str, encoder: str) -> dict[str, Row]:
    """Return the paper's rows for a data set with the backbone nearest to this encoder, if it has any."""
    wanted = {"dataset": NEAREST.get(dataset, dataset), "backbone": backbone(encoder)}
    found: dict[str, Row] = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if all(row[name] == value for name, value in wanted.items()):
                recall3, recall5, comp3, comp5 = (float(row[metric]) for metric in METRICS)
                found[row["method"]] = (recall3, recall5, comp3, comp5)
    return found
