"""One data set under one encoder, in full: the paper's table and what its figures are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from coverset.arrays import Ids
from coverset.decoders import MMR, NNN, Decoder, Dense
from coverset.decoders.registry import chosen, grid
from coverset.evaluation.measuring import Labelled, evaluate, measured
from coverset.evaluation.metrics import Comp, confidence, redundancy
from coverset.evaluation.tuning import attempt, best
from coverset.indexes import MemoryIndex

# Where Figure 3 looks at FISTA.
ITERATIONS = (1, 3, 10, 30, 50, 100, 300)
# What is tuned on dev, by the paper's names.
TUNED = {"MMR": "mmr", "NNN-Fix": "nnn", "L1-Fix": "l1", "L2-Fix": "l2"}
STEPS = sum(len(grid(name)) for name in TUNED.values()) + len(ITERATIONS) + len(TUNED) + 2


@dataclass(frozen=True)
class Row:
    """A method's line in the table, in percent; `interval` is that of Comp@5."""

    method: str
    parameters: dict[str, Any]
    metrics: dict[str, float]
    interval: tuple[float, float]
    redundancy: float
    by_size: dict[int, float]


@dataclass(frozen=True)
class Study:
    """What was measured on a test split; the grid is of Comp@5 on dev, and empty where there is no dev."""

    documents: int
    queries: int
    dev_queries: int
    sizes: dict[int, int]
    rows: list[Row]
    grid: list[tuple[float, float, float]]
    dense_on_dev: float | None
    iterations: list[tuple[int, float]]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def study(
    index: MemoryIndex, test: Labelled, dev: Labelled | None, advance: Callable[[int], Any] = lambda _: None
) -> Study:
    """Tune every method on dev as the paper does, and measure it on test, beside Dense and NNN() untuned."""
    grid: list[tuple[float, float, float]] = []
    methods: dict[str, Decoder] = {"Dense": Dense()}
    for method, name in TUNED.items() if dev else ():
        assert dev is not None
        trials = attempt(name, index, dev, advance)
        methods[method] = best(trials).decoder
        if name == "nnn":
            grid = [(*_strengths(trial.decoder), 100 * trial.means[Comp @ 5]) for trial in trials]
    if not dev:
        methods["MMR()"] = MMR()
    methods["NNN()"] = NNN()
    rows = []
    for method, decoder in methods.items():
        rows.append(_row(method, decoder, index, test))
        advance(1)
    return Study(
        documents=len(index),
        queries=len(test.queries),
        dev_queries=len(dev.queries) if dev else 0,
        sizes={int(n): int(c) for n, c in zip(*np.unique(_sizes(test), return_counts=True), strict=True)},
        rows=rows,
        grid=grid,
        dense_on_dev=_comp(Dense(), index, dev) if dev else None,
        iterations=list(_iterations(methods.get("NNN-Fix", NNN()), index, test, advance)),
    )


def _row(method: str, decoder: Decoder, index: MemoryIndex, test: Labelled) -> Row:
    selections = decoder.decode_batch(test.queries.wholes, index, k=5)
    values = measured(selections, test.relevant)
    complete, sizes = values[Comp @ 5], _sizes(test)
    low, high = confidence(complete.tolist())
    return Row(
        method=method,
        parameters=chosen(decoder),
        metrics={str(metric): 100 * float(value.mean()) for metric, value in values.items()},
        interval=(100 * low, 100 * high),
        redundancy=float(np.mean([redundancy(index.corpus.meaning[s.ids]) for s in selections])),
        by_size={int(n): 100 * float(complete[sizes == n].mean()) for n in np.unique(sizes)},
    )


def _iterations(
    tuned: Decoder, index: MemoryIndex, test: Labelled, advance: Callable[[int], Any]
) -> Iterator[tuple[int, float]]:
    """Yield (T, Comp@5 after T iterations of FISTA) at the tuned strengths."""
    assert isinstance(tuned, NNN)
    for count in ITERATIONS:
        decoder = NNN(l1=tuned.l1, l2=tuned.l2, solver="fista", iterations=count)
        yield count, _comp(decoder, index, test)
        advance(1)


def _comp(decoder: Decoder, index: MemoryIndex, labelled: Labelled) -> float:
    return 100 * float(evaluate(decoder, index, labelled, (Comp @ 5,))[Comp @ 5].mean())


def _sizes(labelled: Labelled) -> Ids:
    return np.array([len(relevant) for relevant in labelled.relevant])


def _strengths(decoder: Decoder) -> tuple[float, float]:
    assert isinstance(decoder, NNN)
    assert decoder.l1 is not None
    assert decoder.l2 is not None
    return decoder.l1, decoder.l2
