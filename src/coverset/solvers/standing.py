"""Going down a ranking: which documents stand for which others that are alike, compiled."""

from __future__ import annotations

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.compilation import compiled
from coverset.products import few_products, write_words
from coverset.vectors import Rows


@compiled
def stand_ins(rows: Rows, norms: Floats, ranked: Ids, cosine: float, most: int, spread: Array) -> Ids:
    """Return, for each of some ranked rows, the number of the kind it belongs to, counted down the ranking.

    Whoever is not alike to one before it begins a kind of its own, until there are `most`; past these it is -1.
    `spread` is room to write out the words of a row in: all 0 before and after.
    """
    kinds, shortest, words = np.full(len(ranked), -1), np.finfo(np.float32).tiny, len(rows.terms) > 0
    others, places, left, begun = ranked.copy(), np.arange(len(ranked)), len(ranked), 0
    products = np.empty(len(ranked), np.float32)
    scale, share = np.float32(rows.roots[0] * rows.roots[0]), rows.roots[1] * rows.roots[1]
    while left > 0 and begun < most:
        one, kept = others[0], 0
        few_products(rows.meaning, others, left, rows.meaning[one], products)
        if words:
            write_words(rows, one, share, spread)
        least = np.float32(cosine) * max(norms[one], shortest)
        for n in range(left):
            other, product = others[n], scale * products[n]
            if words:
                for e in range(rows.starts[other], rows.starts[other + 1]):
                    product += np.float32(rows.values[e] * spread[rows.terms[e]])
            if n == 0 or product >= least * max(norms[other], shortest):
                kinds[places[n]] = begun
            else:
                others[kept], places[kept] = other, places[n]
                kept += 1
        if words:
            write_words(rows, one, 0.0, spread)
        left, begun = kept, begun + 1
    return kinds
