"""The small problem and its linear algebra, compiled: gradient, and solutions on an active set.

    min_{w >= 0}  1/2 w'(G + l2 I)w - c'w,     G = UU' for some documents U, c = Uv - l1

The Gram matrix G is either complete, or NaN where it has not been needed yet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coverset.arrays import Array, Ids
from coverset.compilation import compiled, vectorised
from coverset.products import add_words_of, rebuild, score, write_words
from coverset.vectors import Rows

# A pivot below this share of its diagonal means: this row is a combination of the rows before it.
DEPENDENT = 1e-13


class Problem(NamedTuple):
    """One small problem, over the documents in the places of `rows`; no places mean that G is complete.

    `spread` (2, width) is room to write out the words of two documents in: all 0 between two uses.
    """

    gram: Array
    rows: Rows
    place: Ids
    linear: Array
    l2: float
    spread: Array


@vectorised
def dot(a: Array, i: int, b: Array, j: int, n: int) -> float:
    """a[i, :n] . b[j, :n] in double precision."""
    total = 0.0
    for t in range(n):
        total += np.float64(a[i, t]) * np.float64(b[j, t])
    return total


@vectorised
def dot_vector(a: Array, i: int, vector: Array, n: int) -> float:
    """a[i, :n] . vector[:n] in double precision."""
    total = 0.0
    for t in range(n):
        total += np.float64(a[i, t]) * vector[t]
    return total


@vectorised
def gradient(problem: Problem, weights: Array, active: Ids, size: int, out: Array) -> None:
    """Set out = c - (G + l2 I)w: what the residual still has to give, document by document.

    No documents but those in active[:size] have weight.
    """
    gram, rows, place, linear, l2, _ = problem
    n = len(weights)
    for j in range(n):
        out[j] = linear[j] - l2 * weights[j]
    if len(place) > 0:
        rebuilt = np.zeros(rows.meaning.shape[1] + rows.width)
        rebuild(rows, place, weights, rebuilt)
        for j in range(n):
            out[j] -= score(rows, place[j], rebuilt)
    else:
        whole = size // 4 * 4
        for s in range(0, whole, 4):  # four rows at a time, for a quarter of the traffic
            a, b, c, e = active[s], active[s + 1], active[s + 2], active[s + 3]
            wa, wb, wc, we = weights[a], weights[b], weights[c], weights[e]
            for j in range(n):
                out[j] -= wa * gram[a, j] + wb * gram[b, j] + wc * gram[c, j] + we * gram[e, j]
        for s in range(whole, size):
            a, wa = active[s], weights[active[s]]
            for j in range(n):
                out[j] -= wa * gram[a, j]


@compiled
def multiply(problem: Problem, active: Ids, start: int, size: int) -> None:
    """Fill in the inner products that rows start..size of the factor need and that are still NaN."""
    gram, rows, place, _, _, spread = problem
    if len(place) == 0:
        return
    last = size - 1
    for a in range(start, size, 2):
        i, j = active[a], active[min(a + 1, last)]
        write_words(rows, place[i], 1.0, spread[0])
        write_words(rows, place[j], 1.0, spread[1])
        for b in range(0, min(a + 2, size), 4):
            c, e, f, g = active[b], active[min(b + 1, last)], active[min(b + 2, last)], active[min(b + 3, last)]
            known = (
                gram[i, c]
                + gram[i, e]
                + gram[i, f]
                + gram[i, g]
                + gram[j, c]
                + gram[j, e]
                + gram[j, f]
                + gram[j, g]
            )
            if np.isnan(known):
                _tile(gram, rows, place, spread, i, j, c, e, f, g)
        write_words(rows, place[i], 0.0, spread[0])
        write_words(rows, place[j], 0.0, spread[1])


@vectorised
def _tile(
    gram: Array, rows: Rows, place: Ids, spread: Array, i: int, j: int, c: int, e: int, f: int, g: int
) -> None:
    """Fill in the inner products of two documents, whose words are written out, with four: read together."""
    meaning = rows.meaning
    x, y, p, q, r, s = place[i], place[j], place[c], place[e], place[f], place[g]
    ic, ie, if_, ig, jc, je, jf, jg = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for t in range(meaning.shape[1]):
        first, second = np.float64(meaning[x, t]), np.float64(meaning[y, t])
        ic += first * meaning[p, t]
        ie += first * meaning[q, t]
        if_ += first * meaning[r, t]
        ig += first * meaning[s, t]
        jc += second * meaning[p, t]
        je += second * meaning[q, t]
        jf += second * meaning[r, t]
        jg += second * meaning[s, t]
    square = rows.roots[0] * rows.roots[0]
    ic, ie, if_, ig = square * ic, square * ie, square * if_, square * ig
    jc, je, jf, jg = square * jc, square * je, square * jf, square * jg
    if len(rows.terms) > 0:
        ic, jc = add_words_of(rows, p, spread, ic, jc)
        ie, je = add_words_of(rows, q, spread, ie, je)
        if_, jf = add_words_of(rows, r, spread, if_, jf)
        ig, jg = add_words_of(rows, s, spread, ig, jg)
    gram[i, c], gram[i, e], gram[i, f], gram[i, g] = ic, ie, if_, ig
    gram[j, c], gram[j, e], gram[j, f], gram[j, g] = jc, je, jf, jg
    gram[c, i], gram[e, i], gram[f, i], gram[g, i] = ic, ie, if_, ig
    gram[c, j], gram[e, j], gram[f, j], gram[g, j] = jc, je, jf, jg


@compiled
def factorise(problem: Problem, active: Ids, start: int, size: int, factor: Array, drop: bool) -> int:
    """Cholesky rows start..size of G + l2 I on the active set; returns the size without dependent rows.

    A dependent row is dropped, or (`drop` false) kept with the smallest pivot, so that the solution runs
    far along the null direction and a walk to it stops at the first weight that reaches zero.
    """
    multiply(problem, active, start, size)
    gram, l2 = problem.gram, problem.l2
    column = 0
    while column < size:
        i = active[column]
        if column >= start:
            diagonal = gram[i, i] + l2
            pivot = diagonal - dot(factor, column, factor, column, column)
            if pivot <= DEPENDENT * diagonal:
                if drop:
                    size -= 1
                    _remove(active, factor, column, size)
                    continue
                pivot = DEPENDENT * diagonal
            factor[column, column] = np.sqrt(pivot)
        _down(gram[i], active, factor, column, max(column + 1, start), size)
        column += 1
    return size


@vectorised
def _down(products: Array, active: Ids, factor: Array, column: int, start: int, size: int) -> None:
    """Set rows start..size of a column of the factor, four at a time: down the column none waits for another."""
    last, pivot = size - 1, factor[column, column]
    for a in range(start, size, 4):
        b, c, e = min(a + 1, last), min(a + 2, last), min(a + 3, last)
        at, bt, ct, et = products[active[a]], products[active[b]], products[active[c]], products[active[e]]
        for t in range(column):
            x = factor[column, t]
            at -= factor[a, t] * x
            bt -= factor[b, t] * x
            ct -= factor[c, t] * x
            et -= factor[e, t] * x
        factor[a, column], factor[b, column] = at / pivot, bt / pivot
        factor[c, column], factor[e, column] = ct / pivot, et / pivot


@compiled
def _remove(active: Ids, factor: Array, column: int, size: int) -> None:
    """Close the gap that a dependent row leaves; `size` rows remain."""
    for row in range(column, size):
        active[row] = active[row + 1]
        for t in range(column):
            factor[row, t] = factor[row + 1, t]


@compiled
def solve(factor: Array, size: int, active: Ids, linear: Array, out: Array) -> None:
    """Solve (G + l2 I) out = c on the active set from its Cholesky factor."""
    for t in range(size):
        out[t] = (linear[active[t]] - dot_vector(factor, t, out, t)) / factor[t, t]
    for t in range(size - 1, -1, -1):
        out[t] /= factor[t, t]
        for s in range(t):
            out[s] -= factor[t, s] * out[t]
