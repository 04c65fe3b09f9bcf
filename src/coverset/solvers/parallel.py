"""Run a function over items on all cores. The compiled kernels and BLAS let go of the GIL, so threads do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(function: Callable[[Item], None], items: Iterable[Item]) -> None:
    """Call `function` on every item, here and on threads: whoever is free takes the next one."""
    left = list(items)
    waiting = iter(left)

    def work() -> None:
        for item in waiting:
            function(item)

    helpers = [_threads(os.getpid()).submit(work) for _ in range(workers(len(left)) - 1)]
    work()
    for helper in helpers:
        if not helper.cancel():  # it has begun, and may not have ended
            helper.result()


def gathered(function: Callable[[int], Result], count: int) -> list[Result]:
    """Return what `function` returns for the numbers below `count`, computed on all cores."""
    results = dict[int, Result]()

    def keep(n: int) -> None:
        results[n] = function(n)

    each(keep, range(count))
    return [results[n] for n in range(count)]


def workers(items: int) -> int:
    """Return how many cores so many items can keep at work."""
    return items if items <= 1 else min(cores(), items)


def ranges(count: int) -> list[tuple[int, int]]:
    """Return the numbers below `count` in as many ranges as there are cores."""
    ends = [n * count // cores() for n in range(cores() + 1)]
    return list(pairwise(ends))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=1)
def _threads(_process: int) -> ThreadPoolExecutor:
    # Keyed by process: threads do not survive a fork, and a server may fork its workers.
    return ThreadPoolExecutor(cores(), thread_name_prefix="coverset")
