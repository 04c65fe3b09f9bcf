"""What has been begun is over when the call returns, whatever is pressed meanwhile."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from coverset.store.waiting import to_the_end

pytestmark = pytest.mark.usefixtures("interruptible")


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    timer.start()
    return timer


def test_interrupts_are_raised_when_the_work_is_over() -> None:
    over: list[bool] = []

    def work() -> None:
        time.sleep(0.4)
        over.append(True)

    timers = [interrupt_after(0.1), interrupt_after(0.2)]
    with pytest.raises(KeyboardInterrupt):
        to_the_end(work)
    assert over
    for timer in timers:
        timer.join()


def test_what_the_work_raises_is_not_lost_and_the_next_interrupt_is_as_ever() -> None:
    with pytest.raises(ZeroDivisionError):
        to_the_end(lambda: 1 // 0)
    timer = interrupt_after(0.05)
    with pytest.raises(KeyboardInterrupt):
        time.sleep(2.0)
    timer.join()


def test_on_other_threads_it_is_a_call() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(to_the_end(lambda: 7)))
    thread.start()
    thread.join()
    assert found == [7]
