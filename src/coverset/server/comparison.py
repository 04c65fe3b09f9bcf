"""Dense, MMR and NNN side by side for one query, with everything the page shows of them."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Floats
from coverset.decoders import NNN, Decoder, Dense
from coverset.decoders.parameter import offered
from coverset.decoders.registry import DECODERS, changed
from coverset.evaluation.metrics import redundancy
from coverset.explanation import covered, left_out, places
from coverset.indexes import MemoryIndex
from coverset.selection import Selection
from coverset.server import compared, schemas
from coverset.server.decoding import affordable, with_strengths
from coverset.store import Snapshot

# The l1 path: so many steps, from where the first document comes in down to this.
STEPS, LOWEST_L1 = 40, 0.005
# A path ends where more documents than this have weight: they could not be told apart on a chart.
MOST_RUNS = 60


def compare(query: Floats, snapshot: Snapshot, request: compared.Compare) -> compared.Comparison:
    """Decode a query with all three decoders, and say what changed from Dense to NNN."""
    default, index = snapshot.decoder, snapshot.index
    given = request.given()
    nnn, mmr = (
        changed(default, name, {n: v for n, v in given.items() if n in offered(DECODERS[name])})
        for name in ("nnn", "mmr")
    )
    assert isinstance(nnn, NNN)
    affordable(nnn)
    if index is None:
        return _nothing(request.path)
    nnn = with_strengths(nnn, query, index)
    decoders: dict[str, Decoder] = {"dense": Dense(), "mmr": mmr, "nnn": nnn}
    selections: dict[str, Selection] = {name: d.decode(query, index, request.k) for name, d in decoders.items()}
    nearest, chosen = selections["dense"].ids, selections["nnn"].ids
    new = chosen[~np.isin(chosen, nearest)]
    shown = np.unique(np.concatenate([selection.ids for selection in selections.values()]))
    rows = index.vectors(shown)
    names = snapshot.ids
    return compared.Comparison.model_construct(
        searched=len(snapshot),
        l1=nnn.l1,
        l2=nnn.l2,
        answers=compared.Sides(**{name: _side(query, index, s, names) for name, s in selections.items()}),
        documents=[_document(snapshot, int(row)) for row in shown],
        similarity=np.round(rows @ rows.T, 4).tolist(),
        left_out=[
            schemas.LeftOut(id=names[d.id], like=names[d.like], cosine=d.cosine)
            for d in left_out(index, nearest, chosen)
        ],
        brought_in=[
            compared.BroughtIn(id=names[row], dense_rank=place)
            for row, place in zip(new.tolist(), places(query, index, new), strict=True)
        ],
        path=l1_path(query, index, nnn, names) if request.path else None,
    )


def l1_path(query: Floats, index: MemoryIndex, nnn: NNN, names: list[str]) -> compared.Path:
    """Return NNN's weights for l1 falling from where nothing has weight, over the whole corpus, l2 fixed.

    Every step is solved to its certified optimum; the path ends before more than `MOST_RUNS` documents have
    weight, so its cost is that of small supports. At l1 >= max_i u_i.v no document has weight: with w = 0 the
    residual is the query itself.
    """
    highest = float(index.search(query[None], 1)[0][0, 0])
    grid = np.geomspace(max(highest, 2 * LOWEST_L1), LOWEST_L1, STEPS)
    steps: list[dict[int, float]] = []
    for l1 in grid:
        found = _with_l1(nnn, float(l1)).decode(query, index, k=None)
        if len(found) > MOST_RUNS and len(steps) > 1:
            break
        steps.append(dict(zip(found.ids.tolist(), found.weights.tolist(), strict=True)))
    entered: dict[int, float] = {}
    for l1, step in zip(grid.tolist(), steps, strict=False):
        for row in step:
            entered.setdefault(row, l1)
    runs = [
        compared.Run(id=names[row], enters=l1, weights=[round(step.get(row, 0.0), 5) for step in steps])
        for row, l1 in entered.items()
    ]
    return compared.Path(l1=grid[: len(steps)].tolist(), documents=runs)


def _with_l1(nnn: NNN, l1: float) -> NNN:
    """The same decoder at another l1, without what does not concern the path."""
    return NNN(l1=l1, l2=nnn.l2, center=nnn.center)


def _side(query: Floats, index: MemoryIndex, selection: Selection, names: list[str]) -> compared.Side:
    rows = index.vectors(selection.ids)
    shares = covered(query, rows)
    found = zip(selection.ids.tolist(), selection.weights.tolist(), np.diff(shares, prepend=0.0), strict=True)
    return compared.Side(
        hits=[compared.Compared(id=names[row], weight=weight, adds=adds) for row, weight, adds in found],
        redundancy=redundancy(rows),
        covered=float(shares[-1]) if len(shares) else 0.0,
        certified=selection.certified,
        gap=selection.gap,
        passes=selection.passes,
    )


def _document(snapshot: Snapshot, row: int) -> schemas.Document:
    found = snapshot.document(row)
    return schemas.Document.model_construct(id=found.id, text=found.text, meta=found.meta)


def _nothing(path: bool) -> compared.Comparison:
    """The answer of an empty store."""
    side = compared.Side(hits=[], redundancy=0.0, covered=0.0, certified=None, gap=None, passes=0)
    return compared.Comparison(
        searched=0,
        l1=None,
        l2=None,
        answers=compared.Sides(dense=side, mmr=side, nnn=side),
        documents=[],
        similarity=[],
        left_out=[],
        brought_in=[],
        path=compared.Path(l1=[1.0, LOWEST_L1], documents=[]) if path else None,
    )
