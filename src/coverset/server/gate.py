"""Bounded work: so many requests at a time, so many waiting, and the rest are told when to come back."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from coverset.server.refusals import Refused

Result = TypeVar("Result")


class Gate:
    """Runs work in threads, on behalf of requests: so many pieces at a time, and so many more may wait.

    A request that runs out of time is answered, but a thread cannot be stopped: its place stays taken
    until the work is done, so that the bound holds. `name` is for threads and metrics.
    """

    def __init__(self, name: str, running: int, waiting: int) -> None:
        self.name, self.running, self.waiting = name, running, waiting
        self.busy = 0
        self._mean = 0.05  # seconds a piece of work takes, as of late
        self._threads = ThreadPoolExecutor(running, thread_name_prefix=name)

    async def run(self, work: Callable[[], Result], timeout: float) -> Result:
        """Run the work and return its result, or refuse: 429 when all places are taken, 503 when time is up."""
        if self.busy >= self.running + self.waiting:
            wait = max(1, math.ceil(self.busy * self._mean / self.running))
            raise Refused(
                429, "overloaded", f"too many requests at a time: try again in {wait} s", retry_after=wait
            )
        loop = asyncio.get_running_loop()
        self.busy += 1
        job = self._threads.submit(self._timed, work)
        job.add_done_callback(lambda _done: loop.is_closed() or loop.call_soon_threadsafe(self._leave))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job), timeout)
        except (asyncio.TimeoutError, TimeoutError) as error:
            raise Refused(503, "timeout", f"no answer within {timeout:g} s", retry_after=1) from error

    def close(self) -> None:
        """Let what is running finish, and drop what is waiting."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _timed(self, work: Callable[[], Result]) -> Result:
        start = time.perf_counter()
        try:
            return work()
        finally:
            self._mean += 0.1 * (time.perf_counter() - start - self._mean)

    def _leave(self) -> None:
        self.busy -= 1
