"""Ctrl-C and SIGTERM: the first one ends a run, and nothing ends the putting back of what it wrote."""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def interrupted_once(has_begun: Callable[[], bool] = lambda: True) -> Callable[[], None]:
    """Lets the first SIGINT or SIGTERM raise KeyboardInterrupt, and ignores the next ones.

    As long as nothing `has_begun`, it does what it did before.

    Returns: a function that restores the former handlers.

    To be called before the first request: whatever is to be put back or written begins there.

    After it everything is put back and the files are written, which is bounded in time; a second one in
    pytest's own handling of the first would make it forget that there was one.
    """
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    numbers = (signal.SIGINT, signal.SIGTERM)

    def interrupt(came: int, frame: FrameType | None) -> None:
        former = before[came]
        if callable(former) and not has_begun():
            former(came, frame)
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before: dict[int, Any] = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, interrupt)

    def end() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return end


@contextmanager
def undisturbed(told: Callable[[], object] = lambda: None) -> Generator[list[int]]:
    """Holds back SIGINT and SIGTERM; yields those that came, and calls `told` for each.

    So a run writes, or ends, to its end, and whoever waits for another process ends that one first.
    """
    held: list[int] = []

    def hold(number: int, _frame: object) -> None:
        held.append(number)
        told()

    if threading.current_thread() is not threading.main_thread():
        yield held
        return
    before: dict[int, Any] = {
        number: signal.signal(number, hold) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield held
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
