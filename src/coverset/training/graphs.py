"""COLT's graphs: which documents make a scene, and how vectors spread between the two sides of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from coverset.arrays import Ids
from coverset.lines import FileError, records
from coverset.training.material import Examples


def scenes(data: Examples) -> tuple[list[Ids], Ids]:
    """Return the documents of every scene, and each train query's scene.

    Scenes come from `scenes.jsonl` where the data set has it; otherwise a scene is a distinct relevant set.
    """
    path = data.folder / "scenes.jsonl"
    if path.is_file():
        return _read(path, data)
    names = [tuple(sorted(rows.tolist())) for rows in data.train.relevant]
    distinct = sorted(set(names))
    number = {name: row for row, name in enumerate(distinct)}
    return [np.array(name) for name in distinct], np.array([number[name] for name in names])


def _read(path: Path, data: Examples) -> tuple[list[Ids], Ids]:
    """Read scenes: one object a line, with its `tools` and, by split, its `queries`."""
    relevant, scene_of = dict(zip(data.train.ids, data.train.relevant, strict=True)), {}
    sets: list[Ids] = []
    for line, scene in records(path):
        try:
            queries = [query for query in scene["queries"].get("train", []) if query in relevant]
        except (KeyError, TypeError, AttributeError) as error:
            raise FileError(f"{path}:{line}: expected a scene with queries by split: {error!r}") from error
        if queries:
            scene_of.update(dict.fromkeys(queries, len(sets)))
            sets.append(np.unique(np.concatenate([relevant[query] for query in queries])))
    missing = [query for query in data.train.ids if query not in scene_of]
    if missing:
        raise FileError(f"{path}: the train query {missing[0]!r} is in no scene ({len(missing)} such queries)")
    return sets, np.array([scene_of[query] for query in data.train.ids])


def incidence(members: Sequence[Ids], n: int) -> Tensor:
    """Return the sparse (len(members), n) matrix with a 1 wherever a column is a member of a row."""
    rows = np.repeat(np.arange(len(members)), [len(m) for m in members])
    cells = torch.from_numpy(np.stack([rows, np.concatenate(members)]))
    return torch.sparse_coo_tensor(cells, torch.ones(cells.shape[1]), (len(members), n), check_invariants=True)


def means(graph: Tensor) -> Tensor:
    """Return the graph with every row scaled to sum 1."""
    cells, values = graph.coalesce().indices(), graph.coalesce().values()
    sums = torch.zeros(graph.shape[0]).index_add(0, cells[0], values)
    return torch.sparse_coo_tensor(cells, values / sums[cells[0]], graph.shape, check_invariants=True)


def spread(graph: Tensor) -> Tensor:
    """Return the graph with every edge scaled by 1 / sqrt(degree of its row times degree of its column)."""
    cells, values = graph.coalesce().indices(), graph.coalesce().values()
    rows = torch.zeros(graph.shape[0]).index_add(0, cells[0], values)
    columns = torch.zeros(graph.shape[1]).index_add(0, cells[1], values)
    scale = (rows[cells[0]] * columns[cells[1]]).rsqrt()
    return torch.sparse_coo_tensor(cells, values * scale, graph.shape, check_invariants=True).coalesce()


def propagate(graph: Tensor, left: Tensor, right: Tensor, depth: int) -> tuple[Tensor, Tensor]:
    """Spread the vectors of both sides over a graph, `depth` times, and add up what arrives, at unit length."""
    sums, sides = [left, right], (left, right)
    for _ in range(depth):
        sides = torch.sparse.mm(graph, sides[1]), torch.sparse.mm(graph.T, sides[0])
        sums = [total + nn.functional.normalize(side, dim=1) for total, side in zip(sums, sides, strict=True)]
    return sums[0], sums[1]
