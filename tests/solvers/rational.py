"""The optimum in exact rational arithmetic, by trying every support: an answer that owes nothing to the solver."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Vector = list[Fraction]


def exact(values: Any) -> list[Any]:
    """Return an array's numbers as fractions, which floating-point numbers are."""
    return [exact(value) if hasattr(value, "__len__") else Fraction(float(value)) for value in values]


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def optimum(corpus: Any, query: Any, l1: float, l2: float) -> tuple[Vector, Vector] | None:
    """Return (weights, scores u.r) of the minimum; None where more than one set of weights reaches it.

    Over every support S: w_S solves (U_S U_S' + l2 I) w = U_S v - l1, and is the minimum if it is positive
    and no document outside S has u.r > l1.
    """
    rows, v, sparse, ridge = exact(corpus), exact(query), Fraction(l1), Fraction(l2)
    gram = [[dot(a, b) for b in rows] for a in rows]
    linear = [dot(row, v) - sparse for row in rows]
    found = None
    for size in range(len(rows) + 1):
        for support in combinations(range(len(rows)), size):
            matrix = [[gram[i][j] + (ridge if i == j else 0) for j in support] for i in support]
            solved = solve(matrix, [linear[i] for i in support])
            if solved is None or any(w <= 0 for w in solved):
                continue
            weights = [Fraction(0)] * len(rows)
            for i, w in zip(support, solved, strict=True):
                weights[i] = w
            slopes = [linear[j] - sum(gram[j][i] * weights[i] for i in support) for j in range(len(rows))]
            if all(slope <= 0 or j in support for j, slope in enumerate(slopes)):
                if found is not None:
                    return None
                found = weights, [slope + sparse for slope in slopes]
    return found


def solve(matrix: list[Vector], right: Vector) -> Vector | None:
    """Return the solution of a linear system by elimination; None where it is singular."""
    n = len(right)
    table = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(n):
        pivot = next((r for r in range(column, n) if table[r][column] != 0), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        for r in range(n):
            if r != column and table[r][column] != 0:
                factor = table[r][column] / table[column][column]
                table[r] = [x - factor * y for x, y in zip(table[r], table[column], strict=True)]
    return [table[r][n] / table[r][r] for r in range(n)]


def ranking(weights: Vector, scores: Vector) -> list[int]:
    """Return all documents, best first: by weight, then by score, then by number."""
    return sorted(range(len(weights)), key=lambda i: (-weights[i], -scores[i] if weights[i] == 0 else 0, i))
