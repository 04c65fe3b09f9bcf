"""Inner products and combinations of vectors, compiled: all that the solvers' kernels ask of rows.

Loops are written out over arrays and row numbers: a view of a row costs as much as a short inner product.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from coverset.arrays import Array, Floats, Ids
from coverset.compilation import compiled, vectorised

if TYPE_CHECKING:
    from coverset.vectors import Rows


@vectorised
def inner(a: Array | Floats, b: Array | Floats) -> float:
    """Return a . b, without BLAS, which compiled code has only where SciPy is installed."""
    total = 0.0
    for t in range(len(a)):
        total += np.float64(a[t]) * b[t]
    return total


@vectorised
def total(values: Array) -> float:
    """Return the sum of some values."""
    added = 0.0
    for t in range(len(values)):
        added += values[t]
    return added


def length(vector: Array) -> float:
    """Return its length. Not by BLAS: after a long one, its threads go on spinning on cores that are needed."""
    return math.sqrt(inner(vector, vector))


@compiled
def copy(source: Array | Ids, out: Array | Ids, count: int) -> None:
    """Set out[:count] = source[:count]. Slices check shapes, and their error takes seconds to compile."""
    for n in range(count):
        out[n] = source[n]


@vectorised
def score(rows: Rows, i: int, target: Array) -> float:
    """u_i . target, in double precision."""
    total, d = 0.0, rows.meaning.shape[1]
    for t in range(d):
        total += np.float64(rows.meaning[i, t]) * target[t]
    total *= rows.roots[0]
    if len(rows.terms) > 0:
        part = 0.0
        for e in range(rows.starts[i], rows.starts[i + 1]):
            part += np.float64(rows.values[e]) * target[d + rows.terms[e]]
        total += rows.roots[1] * part
    return total


@vectorised
def scores(rows: Rows, members: Ids, target: Array) -> Array:
    """U . target for some rows of a large array, in double precision and without copying them."""
    out, d, meaning, root = np.empty(len(members)), rows.meaning.shape[1], rows.meaning, rows.roots[0]
    for n in range(len(members)):
        i, total = members[n], 0.0
        for t in range(d):
            total += np.float64(meaning[i, t]) * target[t]
        out[n] = root * total
    if len(rows.terms) > 0:
        starts, terms, values, root = rows.starts, rows.terms, rows.values, rows.roots[1]
        for n in range(len(members)):
            total = 0.0
            for e in range(starts[members[n]], starts[members[n] + 1]):
                total += np.float64(values[e]) * target[d + terms[e]]
            out[n] += root * total
    return out


@vectorised
def pair_scores(rows: Rows, targets: Rows, which: Ids, members: Ids, start: int, stop: int, out: Floats) -> None:
    """Set out[n] = u . target for some of a list of pairs, summed in double precision."""
    meaning, others = rows.meaning, targets.meaning
    first, second = rows.roots[0] * targets.roots[0], rows.roots[1] * targets.roots[1]
    for n in range(start, stop):
        i, q, total = members[n], which[n], 0.0
        for t in range(meaning.shape[1]):
            total += np.float64(meaning[i, t]) * np.float64(others[q, t])
        total *= first
        if len(rows.terms) > 0:
            total += second * common_words(rows, i, targets, q)
        out[n] = total


@compiled
def common_words(rows: Rows, i: int, others: Rows, j: int) -> float:
    """Return the product of the words of two rows, whose terms ascend: no vocabulary is written out."""
    total, e, f = 0.0, rows.starts[i], others.starts[j]
    while e < rows.starts[i + 1] and f < others.starts[j + 1]:
        one, other = rows.terms[e], others.terms[f]
        if one == other:
            total += np.float64(rows.values[e]) * np.float64(others.values[f])
        e += one <= other
        f += other <= one
    return total


@vectorised
def multiply(rows: Floats, step: int, start: int, targets: Floats, out: Floats) -> None:
    """Set out[q, n] = row . target q for every `step`-th row, as many as there is room for, from the start-th on.

    In single precision, four rows by two targets at a time. Not by BLAS, which is no faster on so few targets, and
    whose threads go on spinning on the cores that the queries are then solved on.
    """
    bottom, end = out.shape[1] - 1, len(targets) - 1
    for n in range(0, bottom + 1, 4):
        a, b, c = min(n + 1, bottom), min(n + 2, bottom), min(n + 3, bottom)
        i, j, k, m = (start + n) * step, (start + a) * step, (start + b) * step, (start + c) * step
        for p in range(0, end + 1, 2):
            q = min(p + 1, end)
            ip, jp, kp, mp = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
            iq, jq, kq, mq = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
            for t in range(rows.shape[1]):
                x, y = targets[p, t], targets[q, t]
                ip += rows[i, t] * x
                jp += rows[j, t] * x
                kp += rows[k, t] * x
                mp += rows[m, t] * x
                iq += rows[i, t] * y
                jq += rows[j, t] * y
                kq += rows[k, t] * y
                mq += rows[m, t] * y
            out[p, n], out[p, a], out[p, b], out[p, c] = ip, jp, kp, mp
            out[q, n], out[q, a], out[q, b], out[q, c] = iq, jq, kq, mq


@vectorised
def quick_scores(rows: Rows, members: Ids, target: Floats, spread: Floats) -> Floats:
    """U . target for some rows of a large array, in single precision; its words are `spread`, written out."""
    out = np.empty(len(members), np.float32)
    first, second = np.float32(rows.roots[0]), np.float32(rows.roots[1])
    for n in range(len(members)):
        row, total = rows.meaning[members[n]], np.float32(0.0)
        for t in range(rows.meaning.shape[1]):
            total += row[t] * target[t]
        total *= first
        if len(rows.terms) > 0:
            for e in range(rows.starts[members[n]], rows.starts[members[n] + 1]):
                total += second * rows.values[e] * spread[rows.terms[e]]
        out[n] = total
    return out


@vectorised
def few_products(meaning: Floats, members: Ids, count: int, target: Floats, out: Floats) -> None:
    """Write the products of the first so many of some rows with a target: four at a time, in single precision."""
    last = count - 1
    for n in range(0, count, 4):
        a, b, c = min(n + 1, last), min(n + 2, last), min(n + 3, last)
        i, j, k, m = members[n], members[a], members[b], members[c]
        first, second, third, fourth = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
        for t in range(meaning.shape[1]):
            first += meaning[i, t] * target[t]
            second += meaning[j, t] * target[t]
            third += meaning[k, t] * target[t]
            fourth += meaning[m, t] * target[t]
        out[n], out[a], out[b], out[c] = first, second, third, fourth


@vectorised
def rebuild(rows: Rows, place: Ids, weights: Array, out: Array) -> None:
    """Add Uw to `out`."""
    d = rows.meaning.shape[1]
    for i in range(len(weights)):
        if weights[i] != 0.0:
            row, weight = place[i], weights[i] * rows.roots[0]
            for t in range(d):
                out[t] += weight * rows.meaning[row, t]
            if len(rows.terms) > 0:
                weight = weights[i] * rows.roots[1]
                for e in range(rows.starts[row], rows.starts[row + 1]):
                    out[d + rows.terms[e]] += weight * rows.values[e]


@vectorised
def add_curvature(rows: Rows, members: Ids, target: Floats, scale: float, out: Floats) -> None:
    """Add scale U'U . target to `out`, for some rows of a large array, in single precision."""
    d = rows.meaning.shape[1]
    first, second = np.float32(rows.roots[0]), np.float32(rows.roots[1])
    for n in range(len(members)):
        row, total = members[n], np.float32(0.0)
        for t in range(d):
            total += rows.meaning[row, t] * target[t]
        total *= first
        if len(rows.terms) > 0:
            for e in range(rows.starts[row], rows.starts[row + 1]):
                total += second * rows.values[e] * target[d + rows.terms[e]]
        weight = scale * total * first
        for t in range(d):
            out[t] += weight * rows.meaning[row, t]
        if len(rows.terms) > 0:
            weight = scale * total * second
            for e in range(rows.starts[row], rows.starts[row + 1]):
                out[d + rows.terms[e]] += weight * rows.values[e]


@compiled
def write_words(rows: Rows, i: int, scale: float, out: Array) -> None:
    """Write out the words of a row, to the scale given; 0 wipes them out."""
    if len(rows.terms) > 0:
        for e in range(rows.starts[i], rows.starts[i + 1]):
            out[rows.terms[e]] = scale * np.float64(rows.values[e])


@compiled
def add_words_of(rows: Rows, i: int, spread: Array, first: float, second: float) -> tuple[float, float]:
    """Add the words' part of u_i's inner products with two rows whose words are written out."""
    one, two = 0.0, 0.0
    for e in range(rows.starts[i], rows.starts[i + 1]):
        value, term = np.float64(rows.values[e]), rows.terms[e]
        one += value * spread[0, term]
        two += value * spread[1, term]
    square = rows.roots[1] * rows.roots[1]
    return first + square * one, second + square * two


@compiled
def add_words(rows: Rows, others: Rows, spread: Array, out: Array | Floats) -> None:
    """Add the words' part of all inner products between rows and others to `out`, (rows, others).

    Each of the others is written out once, to `spread`, which is all 0, and the rows are read along it.
    """
    scale = rows.roots[1] * others.roots[1]
    for j in range(len(others.starts) - 1):
        for e in range(others.starts[j], others.starts[j + 1]):
            spread[others.terms[e]] = scale * others.values[e]
        for i in range(len(rows.starts) - 1):
            total = 0.0
            for e in range(rows.starts[i], rows.starts[i + 1]):
                total += rows.values[e] * spread[rows.terms[e]]
            out[i, j] += total
        for e in range(others.starts[j], others.starts[j + 1]):
            spread[others.terms[e]] = 0.0


@vectorised
def times(rows: Rows, targets: Array, first: int, step: int, out: Array) -> None:
    """Set out[q] = U @ targets[q] for every `step`-th target, two rows by four targets, or four rows, at a time.

    Not by BLAS, whose threads would go on spinning on the cores that the queries are solved on.
    """
    n, d = rows.meaning.shape
    if len(rows.terms) > 0:
        for q in range(first, len(targets), step):
            for i in range(n):
                out[q, i] = score(rows, i, targets[q])
        return
    meaning, root, last = rows.meaning, rows.roots[0], n - 1
    fours = first + (len(targets) - first + step - 1) // step // 4 * 4 * step
    for i in range(0, n, 2):
        j = min(i + 1, last)
        for q in range(first, fours, 4 * step):
            a, b, c, e = q, q + step, q + 2 * step, q + 3 * step
            ia, ib, ic, ie, ja, jb, jc, je = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for t in range(d):
                x, y = np.float64(meaning[i, t]), np.float64(meaning[j, t])
                ia += x * targets[a, t]
                ib += x * targets[b, t]
                ic += x * targets[c, t]
                ie += x * targets[e, t]
                ja += y * targets[a, t]
                jb += y * targets[b, t]
                jc += y * targets[c, t]
                je += y * targets[e, t]
            out[a, i], out[b, i], out[c, i], out[e, i] = root * ia, root * ib, root * ic, root * ie
            out[a, j], out[b, j], out[c, j], out[e, j] = root * ja, root * jb, root * jc, root * je
    for q in range(fours, len(targets), step):
        for i in range(0, n, 4):
            j, k, m = min(i + 1, last), min(i + 2, last), min(i + 3, last)
            iq, jq, kq, mq = 0.0, 0.0, 0.0, 0.0
            for t in range(d):
                x = targets[q, t]
                iq += np.float64(meaning[i, t]) * x
                jq += np.float64(meaning[j, t]) * x
                kq += np.float64(meaning[k, t]) * x
                mq += np.float64(meaning[m, t]) * x
            out[q, i], out[q, j], out[q, k], out[q, m] = root * iq, root * jq, root * kq, root * mq
