"""A pool of processes that judge trials, in which no trial may take longer than a limit.

In an executor of the standard library, a process that ends takes all other work with it. Here its trial has
that as its outcome, and a new process goes on with the next.
"""

import faulthandler
import os
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from conformance.proof.outcomes import TrialOutcome, prepare_process

_Outcome = TypeVar("_Outcome")

_FORKED = get_context("forkserver")
_OVERDUE = 1
"""The exit code of a process that faulthandler ends."""
_LIMIT_S = 1800
"""Seconds after which a trial is ended that waits for ever: the longest takes a few of a processor, and a
machine that has much else to do gives it a fiftieth of one.
"""
_GIVING_WAY = 5
"""How nice a process is to others: a trial waits for nobody, and other tests wait for answers."""


def import_once() -> None:
    """Lets workers be forked from an interpreter that has imported what they need; call it before any is."""
    _FORKED.set_forkserver_preload(["conformance.proof.proving", "conformance.proof.power"])


def judge_all(
    names: Iterable[str],
    judge: Callable[[str], _Outcome],
    *,
    workers: int,
    limit_s: float = _LIMIT_S,
    apart: bool = False,
) -> dict[str, _Outcome | TrialOutcome]:
    """What `judge` makes of each name, in `workers` processes that begin with the first names.

    A process that needs more than `limit_s` seconds for one of them ends, and says on standard error what it
    was doing. Where nothing came of a name, its outcome is that of a trial that says why. Judged `apart`,
    each has a process of its own: what it measures of that, such as memory, is no other's.
    """
    left, outcomes = deque(names), dict[str, _Outcome | TrialOutcome]()
    idle: list[_Worker] = []
    busy: dict[object, _Worker] = {}
    try:
        while left or busy:
            while left and len(busy) < workers:
                worker = idle.pop() if idle else _Worker(judge, limit_s)
                busy[worker.connection] = worker
                worker.begin(left.popleft())
            for ready in wait([worker.connection for worker in busy.values()]):
                worker = busy.pop(ready)
                try:
                    outcomes[worker.trial] = worker.connection.recv()
                    if apart:
                        worker.end()
                    else:
                        idle.append(worker)
                except (EOFError, ConnectionResetError):
                    outcomes[worker.trial] = TrialOutcome("error", {}, (worker.why_ended(limit_s),))
                    worker.end()
    finally:
        for worker in (*idle, *busy.values()):
            worker.end()
    return outcomes


class _Worker:
    """A process, and the trial that it judges."""

    def __init__(self, judge: Callable[[str], Any], limit_s: float) -> None:
        self.connection, inner = _FORKED.Pipe()
        self._process = _FORKED.Process(target=_work, args=(inner, judge, limit_s), daemon=True)
        self._process.start()
        inner.close()  # so that the connection ends with the process
        self.trial = ""

    def begin(self, trial: str) -> None:
        """Hands over a trial."""
        self.trial = trial
        self.connection.send(trial)

    def why_ended(self, limit_s: float) -> str:
        """Why the process has ended by itself."""
        self._process.join()
        if self._process.exitcode == _OVERDUE:
            return f"its trial took longer than {limit_s:g} s; standard error says what it was doing"
        return f"its trial ended the process with {self._process.exitcode}"

    def end(self) -> None:
        """Ends the process, whatever it is doing."""
        self._process.terminate()
        self._process.join()
        self.connection.close()


def _work(connection: Connection, judge: Callable[[str], Any], limit_s: float) -> None:
    os.nice(_GIVING_WAY)
    prepare_process()
    while True:
        try:
            name = connection.recv()
        except EOFError:
            return
        faulthandler.dump_traceback_later(limit_s, exit=True)
        try:
            outcome = judge(name)
        except Exception:  # noqa: BLE001  whoever asks for the outcome has to know
            outcome = TrialOutcome("error", {}, (traceback.format_exc(),))
        faulthandler.cancel_dump_traceback_later()
        connection.send(outcome)
