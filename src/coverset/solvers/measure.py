"""How good an answer is, whoever computed it, compiled: duality gap and optimality conditions.

With r = v - Uw, the primal and dual objectives of  min_{w >= 0} 1/2||Uw - v||^2 + l1 sum(w) + l2/2||w||^2  are

    P(w) = 1/2||r||^2 + l1 sum(w) + l2/2 ||w||^2
    D(r) = v.r - 1/2||r||^2 - 1/(2 l2) sum_i [u_i.r - l1]_+^2          for l2 > 0, any r
    D(s r) = s v.r - s^2/2 ||r||^2,   s = min(1, l1 / max_i u_i.r)     for l2 = 0, which needs u_i.(s r) <= l1

and P(w) - D bounds how far w is from the minimum.
"""

from __future__ import annotations

from coverset.arrays import Array
from coverset.compilation import vectorised


@vectorised
def measure(
    query: Array, residual: Array, scores: Array, weights: Array, l1: float, l2: float
) -> tuple[float, float]:
    """Return (duality gap, largest violation) of one query's weights, given the scores u_i.r.

    The violation is of the conditions (A), (B) of the paper's Section 2.2: (A) w_i > 0 implies
    u_i.r = l1 + l2 w_i; (B) w_i = 0 implies u_i.r <= l1. Documents with w_i = 0 and u_i.r <= l1 add nothing
    to either number, so they may be left out.
    """
    along, square = 0.0, 0.0
    for t in range(len(query)):
        along += query[t] * residual[t]
        square += residual[t] * residual[t]
    mass, ridge, over, top, worst = 0.0, 0.0, 0.0, l1, 0.0
    for i in range(len(weights)):
        excess, weighs = scores[i] - l1, weights[i] > 0.0
        above = max(excess, 0.0)
        over += above * above
        top = max(top, scores[i])
        mass += weights[i]
        ridge += weights[i] * weights[i]
        worst = max(worst, abs(excess - l2 * weights[i]) if weighs else excess)
    primal = 0.5 * square + l1 * mass + 0.5 * l2 * ridge
    if l2 > 0.0:
        dual = along - 0.5 * square - over / (2.0 * l2)
    else:
        scale = l1 / top if top > l1 else 1.0  # both may be 0: a query that no document is like
        dual = scale * along - 0.5 * scale * scale * square
    return max(primal - dual, 0.0), worst
