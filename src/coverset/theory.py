"""The paper's Section 2 as functions: the two success sets, Theorem 1's strengths, Proposition 2's example.

A retriever succeeds on (U, v, S) if it returns exactly the relevant set S. Phi_DR(U, S) and Phi_NNN(U, S)
are the sets of queries v on which dense retrieval and NNN decoding succeed. Theorem 1: the first is contained
in the second. Proposition 2: for some U and S, strictly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Array, Mask
from coverset.inputs import as_corpus, as_number, as_targets
from coverset.vectors import Vectors


def in_dense_success_set(corpus: ArrayLike, relevant: ArrayLike, query: ArrayLike) -> bool:
    """Return whether v is in Phi_DR(U, S): every relevant document scores above 0 and above all others.

    max_{j not in S} u_j.v < min_{i in S} u_i.v   and   min_{i in S} u_i.v > 0
    """
    rows, inside, v = _problem(corpus, relevant, query)
    scores = rows @ v
    return bool(scores[inside].min() > max(scores[~inside].max(initial=-np.inf), 0.0))


def theorem_1_strengths(corpus: ArrayLike, relevant: ArrayLike, query: ArrayLike) -> tuple[float, float]:
    """Return Theorem 1's (l1, l2), for which NNN returns exactly S on a query that dense retrieval solves.

    alpha = min_{i in S} u_i.v,  beta = max_{j not in S} u_j.v,  delta = (alpha - max(0, beta)) / 2,
    l1 = (alpha + max(0, beta)) / 2,  l2 = k / delta + k - 1,  k = |S|; unit documents and query.
    """
    rows, inside, v = _problem(corpus, relevant, query)
    scores = rows @ v
    alpha, beta = scores[inside].min(), max(0.0, scores[~inside].max(initial=0.0))
    if not alpha > beta:
        raise ValueError("query must be one that dense retrieval solves: see in_dense_success_set")
    k = int(inside.sum())
    return float(alpha + beta) / 2, float(k / ((alpha - beta) / 2) + k - 1)


def l1_range(corpus: ArrayLike, relevant: ArrayLike, query: ArrayLike, l2: float) -> tuple[float, float] | None:
    """Return the open interval of l1 for which supp(w*) = S at this l2; None if there is none.

    On S, w_S = (U_S'U_S + l2 I)^-1 (U_S'v - l1 1) is affine in l1, and so are the conditions
    (A) w_S > 0 and (B) u_j.(v - U_S w_S) < l1 for j not in S. Their bounds on l1 meet in the interval.
    """
    rows, inside, v = _problem(corpus, relevant, query)
    gram = rows[inside] @ rows[inside].T + as_number("l2", l2, 0.0) * np.eye(int(inside.sum()))
    try:
        base, slope = np.linalg.solve(gram, np.stack([rows[inside] @ v, np.ones(len(gram))], axis=1)).T
    except np.linalg.LinAlgError:
        return None
    cross = rows[~inside] @ rows[inside].T
    # Each row of these reads: constant - l1 * rate > 0.
    constant = np.concatenate([base, cross @ base - rows[~inside] @ v])
    rate = np.concatenate([slope, cross @ slope - 1.0])
    if (constant[np.abs(rate) <= 1e-12] <= 0).any():
        return None
    upper = np.min((constant / np.where(rate > 1e-12, rate, 1.0))[rate > 1e-12], initial=np.inf)
    lower = np.max((constant / np.where(rate < -1e-12, rate, 1.0))[rate < -1e-12], initial=0.0)
    return (float(lower), float(upper)) if lower < upper else None


def nnn_strengths(corpus: ArrayLike, relevant: ArrayLike, query: ArrayLike) -> tuple[float, float] | None:
    """Return an (l1, l2) for which supp(w*) = S, which shows that v is in Phi_NNN(U, S); None: none found.

    For each l2 the question is settled exactly by `l1_range`; l2 runs over 0, a grid from 1e-4 to 1e6,
    and Theorem 1's value where there is one. So an answer is a proof, and None is not quite one.
    """
    grid = [0.0, *np.geomspace(1e-4, 1e6, 201).tolist()]
    if in_dense_success_set(corpus, relevant, query):
        grid.append(theorem_1_strengths(corpus, relevant, query)[1])
    for l2 in grid:
        found = l1_range(corpus, relevant, query, l2)
        if found is not None and (l2 > 0 or found[1] > 0):
            low, high = found
            return (low + min(high, low + 1.0)) / 2, l2
    return None


def proposition_2_example() -> tuple[Array, Array, list[int]]:
    """Return (U, v, S) with v in Phi_NNN(U, S) but not in Phi_DR(U, S): documents are rows, S counts from 0.

    u_1 = e_1, u_2 = (e_1 + e_2)/sqrt(2), u_3 = e_3, v = (2, 2, 1)/3, S = {2, 3}. For any l1 in (0, 1/3) and
    l2 = 0: w_2 = 2 sqrt(2)/3 - l1, w_3 = 1/3 - l1, and u_1 sees only l1/sqrt(2) of the residual.
    """
    half = np.sqrt(0.5)
    return np.array([[1, 0, 0], [half, half, 0], [0, 0, 1]]), np.array([2, 2, 1]) / 3, [1, 2]


def _problem(corpus: ArrayLike, relevant: ArrayLike, query: ArrayLike) -> tuple[Array, Mask, Array]:
    """Check the inputs; return documents and query in double precision, and a mask of the relevant rows."""
    checked = as_corpus(corpus)
    shape = checked.shape
    as_targets("query", query, Vectors.of(checked))
    ids = np.asarray(relevant)
    if ids.ndim != 1 or ids.size == 0 or ids.dtype.kind not in "iu":
        raise ValueError(f"relevant must be a list of at least one row number, got {relevant!r}")
    if ids.min() < 0 or ids.max() >= shape[0]:
        raise ValueError(f"relevant must hold row numbers from 0 to {shape[0] - 1}, got {relevant!r}")
    inside = np.zeros(shape[0], bool)
    inside[ids] = True
    return np.asarray(corpus, np.float64), inside, np.asarray(query, np.float64).reshape(-1)
