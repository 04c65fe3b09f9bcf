"""A copy of the corpus rounded to bytes: a pass over it reads a quarter, and tells what to read in full."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

import numpy as np
from numpy.typing import NDArray

from coverset.arrays import Array, Floats
from coverset.compilation import vectorised
from coverset.indexes.memory.samples import STEPS, samples
from coverset.solvers.parallel import each, ranges
from coverset.sparse import Terms

# The copy is made once so many passes for one query or a few were made: making it takes about as long as they do.
# A batch of queries reads the rows as they are.
PAYS = 4
# A row of numbers this small is rounded to 0.
TINY = 1e-30
# It takes so much of the memory that is free, at most, and is dropped when less than such a share of it is left;
# every so many passes that is looked at.
MOST, LEAST, LOOK = 0.5, 0.25, 64
# Where Linux says what a container may have, and what it has.
CGROUP = Path("/sys/fs/cgroup")


class Rounded:
    """Rows as `scale * code`, a scale for each row and a byte for each number.

    Rows of the smallest sample come first, then the others of the next: each is read without gaps.

    Attributes
    ----------
    error
        The largest distance of a row from what it is rounded to.
    """

    def __init__(self, rows: Floats) -> None:
        every = np.arange(len(rows), dtype=np.int32)
        self._order: Terms = every[np.argsort(samples(every), kind="stable")]
        self._codes: NDArray[np.int8] = np.empty(rows.shape, np.int8)
        self._scales: Floats = np.empty(len(rows), np.float32)
        errors = np.empty(len(rows))
        each(lambda part: _round(rows, self._order, *part, self._codes, self._scales, errors), ranges(len(rows)))
        self.error = float(errors.max(initial=0.0))

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return self._codes.nbytes + self._scales.nbytes + self._order.nbytes

    def scores(self, targets: Floats, step: int = 1) -> Floats:
        """Return the (targets, rows) inner products of every `step`-th row, off by `error` ||target|| at most."""
        if step not in STEPS:
            raise ValueError(f"step must be one of {STEPS}, got {step}")
        copy, rows = (self._codes, self._scales, self._order), -(-len(self._codes) // step)
        out = np.empty((len(targets), rows), np.float32)
        each(lambda part: _scores(*copy, targets, step, *part, out), ranges(rows))
        return out


class Rounding:
    """Makes the copy when it has begun to pay, if there is room for it; one for all views of a corpus.

    It is made on a thread of its own: nobody's query waits for it. If memory runs short it is dropped, and made
    again once there is room.
    """

    def __init__(self, rows: Floats) -> None:
        self._rows, self._passes = rows, 0
        self._made: Rounded | None = None
        self._maker: Thread | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[Rounding], tuple[Floats]]:
        """Go to another process without the copy: it is made there if it pays there."""
        return Rounding, (self._rows,)

    def copy(self) -> Rounded | None:
        """Return the copy for one more pass; None: there is none, or not yet."""
        with self._lock:
            self._passes += 1
            if self._maker is None:
                if self._passes > PAYS and self._rows.size <= MOST * free_memory():
                    self._maker = Thread(target=self._make, name="coverset-rounded", daemon=True)
                    self._maker.start()
            elif self._made is not None and self._passes % LOOK == 0 and free_memory() < LEAST * self._rows.size:
                self._made = self._maker = None
            return self._made

    @property
    def made(self) -> bool:
        """Whether there is a copy."""
        return self._made is not None

    def wait(self) -> Rounded | None:
        """Return the copy once it is made; None if it has not been begun."""
        if self._maker is not None:
            self._maker.join()
        return self._made

    def _make(self) -> None:
        self._made = Rounded(self._rows)


def free_memory() -> float:
    """Return how many bytes of memory can be had, a container's limit included; infinity if nothing tells."""
    free = [np.inf]
    with suppress(OSError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free += [1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # no limit is "max"
        limit, used = (int((CGROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        free.append(float(limit - used))
    return min(free)


@vectorised
def _round(
    rows: Floats,
    order: Terms,
    start: int,
    stop: int,
    codes: NDArray[np.int8],
    scales: Floats,
    errors: Array,
) -> None:
    """Round rows to bytes, in another order, and say how far off each is."""
    for n in range(start, stop):
        i, largest = order[n], np.float32(0.0)
        for t in range(rows.shape[1]):
            largest = max(largest, abs(rows[i, t]))
        scale = largest / np.float32(127.0)
        # Squares of small numbers are no longer there in single precision.
        times, square = np.float32(1.0) / scale if scale > TINY else np.float32(0.0), 0.0
        for t in range(rows.shape[1]):
            code = rows[i, t] * times
            codes[n, t] = np.int8(code + np.float32(0.5) if code >= 0.0 else code - np.float32(0.5))
            off = np.float64(rows[i, t]) - np.float64(scale) * codes[n, t]
            square += off * off
        # A little more than it is, for what is lost in this sum.
        scales[n], errors[n] = scale, 1.001 * np.sqrt(square)


@vectorised
def _scores(
    codes: NDArray[np.int8],
    scales: Floats,
    order: Terms,
    targets: Floats,
    step: int,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """Write the inner products of some rounded rows with targets to where these rows come among those asked.

    Two rows by three targets at a time, the rest by two or one.
    """
    count = len(targets)
    threes = max((count - 2 * (-count % 3)) // 3 * 3, 0)
    twos = threes + (count - threes) // 2 * 2
    for n in range(start, stop, 2):
        m, zero = min(n + 1, stop - 1), np.float32(0.0)
        i, j, first, second = order[n] // step, order[m] // step, scales[n], scales[m]
        for q in range(0, threes, 3):
            a, b, c, d, e, f = zero, zero, zero, zero, zero, zero
            for t in range(codes.shape[1]):
                one, two = np.float32(codes[n, t]), np.float32(codes[m, t])
                x, y, z = targets[q, t], targets[q + 1, t], targets[q + 2, t]
                a += one * x
                b += one * y
                c += one * z
                d += two * x
                e += two * y
                f += two * z
            out[q, i], out[q + 1, i], out[q + 2, i] = first * a, first * b, first * c
            out[q, j], out[q + 1, j], out[q + 2, j] = second * d, second * e, second * f
        for q in range(threes, twos, 2):
            a, b, c, d = zero, zero, zero, zero
            for t in range(codes.shape[1]):
                one, two = np.float32(codes[n, t]), np.float32(codes[m, t])
                x, y = targets[q, t], targets[q + 1, t]
                a += one * x
                b += one * y
                c += two * x
                d += two * y
            out[q, i], out[q + 1, i] = first * a, first * b
            out[q, j], out[q + 1, j] = second * c, second * d
        if twos < count:
            a, b = zero, zero
            for t in range(codes.shape[1]):
                a += np.float32(codes[n, t]) * targets[twos, t]
                b += np.float32(codes[m, t]) * targets[twos, t]
            out[twos, i], out[twos, j] = first * a, second * b
