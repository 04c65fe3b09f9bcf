"""How many documents and queries the paper had (its Table 3), and how a collection differs."""

from __future__ import annotations

from dataclasses import dataclass

from coverset.originals.collection import SPLITS, Collection


@dataclass(frozen=True)
class Counts:
    """Documents, queries by split, and how many documents a test query needs."""

    documents: int
    train: int
    dev: int
    test: int
    fewest: int
    most: int
    mean: float

    @classmethod
    def of(cls, collection: Collection) -> Counts:
        """Count."""
        train, dev, test = (len(collection.splits[name]) for name in SPLITS)
        sizes = [len(query.relevant) for query in collection.splits["test"]]
        mean = sum(sizes) / len(sizes)
        return cls(len(collection.documents), train, dev, test, min(sizes), max(sizes), mean)


PAPER = {
    "numpybank": Counts(511, 15_994, 1_998, 2_000, 2, 6, 2.88),
    "pandasbank": Counts(1_651, 56_013, 7_002, 7_002, 2, 8, 2.99),
    "awsbank": Counts(1_002, 58_227, 7_278, 7_278, 2, 6, 3.04),
    "toollens": Counts(464, 13_515, 3_378, 1_877, 1, 3, 2.66),
    "multihoprag": Counts(609, 1_805, 225, 225, 2, 4, 2.58),
}
# A split drawn anew needs other documents on average than the paper's, but not by more than this.
MEAN = 0.1
TOLD = {
    "documents": "documents", "train": "train queries", "dev": "dev queries", "test": "test queries",
    "fewest": "documents needed at least by a test query", "most": "documents needed at most by a test query",
}  # fmt: skip


def differences(name: str, ours: Counts) -> list[str]:
    """Say, a line each, where the counts are not the paper's."""
    paper = PAPER[name]
    lines = [
        f"{getattr(ours, field):,} {told}, the paper has {getattr(paper, field):,}"
        for field, told in TOLD.items()
        if getattr(ours, field) != getattr(paper, field)
    ]
    if abs(ours.mean - paper.mean) > MEAN:
        lines.append(
            f"{ours.mean:.2f} documents needed by a test query on average, the paper has {paper.mean:.2f}"
        )
    return lines
