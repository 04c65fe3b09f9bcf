"""Maximal Marginal Relevance (Carbonell and Goldstein, 1998), as Algorithm 1 of the NNN paper states it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coverset.arrays import Floats, Keys
from coverset.decoders.decoder import Decoder
from coverset.indexes import Index, MemoryIndex, within
from coverset.indexes.ids import present
from coverset.inputs import as_count, as_number
from coverset.ranking import ascending
from coverset.selection import Selection


@dataclass(frozen=True)
class MMR(Decoder):
    """Pick greedily: relevant to the query, unlike what has been picked.

    The first pick is the most relevant document; each further one maximises

        relevance * u_i.v - (1 - relevance) * max_{j picked} u_i.u_j

    Parameters
    ----------
    relevance
        The trade-off in [0, 1]: 1 asks only for relevance (this is Dense), 0 only for diversity.
    candidates
        Pick among this many documents nearest to the query; None: among the whole corpus.
    """

    relevance: float = 0.7
    candidates: int | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "relevance", as_number("relevance", self.relevance, 0.0, 1.0))
        object.__setattr__(self, "candidates", as_count("candidates", self.candidates, optional=True))

    def _decode(self, queries: Floats, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        k = as_count("k", k)
        if self.candidates is None and isinstance(index, MemoryIndex):
            chosen = np.setdiff1d(np.arange(len(index)), index.blank, assume_unique=True)
            rows = index.rows if len(chosen) == len(index) else index.rows[chosen]
            return [self._pick(query, rows, chosen, k) for query in queries]
        _, found = index.search(queries, within(index, max(self.candidates or len(index), k)))
        selections = []
        for query, row in zip(queries, found, strict=True):
            ids = row[present(row)]
            chosen = ids[ascending(ids)]
            selections.append(self._pick(query, index.vectors(chosen), chosen, k))
        return selections

    def _pick(self, query: Floats, rows: Floats, ids: Keys, k: int) -> Selection:
        """Algorithm 1 for one query, over the given rows; `ids` ascend, so ties go to the lowest id."""
        similar = rows @ query
        worth = np.float32(self.relevance) * similar
        picks, scores = [], []
        taken = np.zeros(len(rows), bool)
        nearest = np.full(len(rows), -np.inf, np.float32)
        for step in range(min(k, len(rows))):
            if step == 0:
                pick = int(np.argmax(similar))
                scores.append(worth[pick])
            else:
                marginal = worth - np.float32(1.0 - self.relevance) * nearest
                marginal[taken] = -np.inf
                pick = int(np.argmax(marginal))
                scores.append(marginal[pick])
            picks.append(pick)
            taken[pick] = True
            np.maximum(nearest, rows @ rows[pick], out=nearest)
        return Selection(ids=ids[picks], weights=np.array(scores, np.float32))
