"""One of each kind: of documents so alike that one stands for all, the best is returned and names the others.

Going down a ranking, a document that is alike to one already kept is left out for it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from coverset.arrays import Floats, Ids, Keys, Mask
from coverset.indexes import Index, at_hand, fetch
from coverset.inputs import as_number
from coverset.vectors import Vectors

D = TypeVar("D")
Distinct: TypeAlias = float | Literal["auto", False]
# Above the first cosine two documents say the same, on every labelled set tried. Where every other document
# has one much like it, a corpus of versions, so do those above the second: see docs/default.md.
ALIKE, VERSIONS = 0.95, 0.70


def as_distinct(value: object) -> Distinct:
    """Return the setting after checking it."""
    if value is False or value == "auto":
        return value
    if value is True or isinstance(value, str):
        raise ValueError(f"distinct must be a cosine from 0 to 1, False or 'auto', got {value!r}")
    return as_number("distinct", value, 0.0, 1.0)


def as_searched(decoder: D, index: Index) -> D:
    """Return a decoder as a search over documents runs it: by words and meaning, one of each kind unless told."""
    here = at_hand(index)
    if getattr(decoder, "distinct", False) != "auto" or here is None or not (here.corpus.width and here.dim):
        return decoder
    return replace(decoder, distinct=VERSIONS if here.copies > 1 else ALIKE)  # type: ignore[type-var]


@dataclass(frozen=True)
class Kinds:
    """When two documents count as one kind: their cosine is at least this."""

    cosine: float

    @classmethod
    def of(cls, distinct: Distinct, index: Index, *, auto: bool) -> Kinds | None:
        """Return the rule that a setting asks for, None where it is off; `auto` says whether "auto" means on."""
        if distinct == "auto":
            here = at_hand(index) if auto else None
            return cls(VERSIONS if here is not None and here.copies > 1 else ALIKE) if auto else None
        return None if distinct is False else cls(distinct)

    @property
    def common(self) -> bool:
        """Whether the corpus is full of documents that are alike."""
        return self.cosine < ALIKE

    def alike(self, vectors: Vectors) -> Mask:
        """Return which of some documents are alike, (n, n)."""
        lengths = np.maximum(vectors.norms, np.finfo(np.float32).tiny)
        pairs: Mask = vectors.inner(vectors) >= np.float32(self.cosine) * np.outer(lengths, lengths)
        return pairs

    def repeated(self, index: Index, answers: list[Keys]) -> list[int]:
        """Return which answers have documents that are alike; all vectors are fetched at once."""
        ends = np.cumsum([0, *map(len, answers)])
        if not ends[-1]:
            return []
        vectors = fetch(index, np.concatenate(answers))
        spans = [slice(a, b) for a, b in pairwise(ends.tolist())]
        return [n for n, span in enumerate(spans) if self.alike(vectors.take(span)).sum() > span.stop - span.start]

    def like(self, products: Floats, norms: Floats, one: int) -> Mask:
        """Return which documents are alike to one of them, from their inner products with it."""
        lengths = np.maximum(norms, np.finfo(np.float32).tiny)
        alike: Mask = products >= np.float32(self.cosine) * lengths * lengths[one]
        return alike

    def walk(self, ids: Keys, vectors: Vectors, ranked: Ids, k: int) -> tuple[Ids, list[list[Hashable]]]:
        """Go down a ranking; return the places in it of the first k kinds, and the ids left out for each."""
        # Imported here: numba, which compiles it, is only needed once documents are compared.
        from coverset.solvers.standing import stand_ins

        few = vectors if vectors.width <= len(vectors.words.terms) else vectors.narrowed(vectors.take(slice(0)))[0]
        kinds = stand_ins(few.rows, few.norms, ranked, self.cosine, k, np.zeros(few.width))
        by_kind = np.argsort(kinds, kind="stable")
        starts = np.searchsorted(kinds[by_kind], np.arange(kinds.max(initial=-1) + 2))
        members = [by_kind[a:b] for a, b in pairwise(starts.tolist())]
        kept = np.array([some[0] for some in members], np.int64)
        return kept, [ids[ranked[some[1:]]].tolist() for some in members]
