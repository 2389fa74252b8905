"""The process in which names are drawn while the reading begins: loading schemathesis takes long.

What it draws is what this process would draw, which does so itself where the other one gave nothing. So an
error is told as one of this process, and a process that was killed changes no request.
"""

import os
import signal
import threading
from contextlib import suppress
from multiprocessing import Pipe, connection
from typing import Any, NamedTuple, NoReturn, Self

from catalog.exports.openapi import openapi_document
from catalog.model import Catalog
from conformance.harness.generated.candidates import EACH_DRAWN, number_of
from conformance.harness.generated.drawing import Drawn, drawn_names
from conformance.profiles.model import Profile

_FEWEST = 120
"""Schemathesis draws nothing for a smaller budget, which the tables use up: loading it takes long."""
_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


class Wish(NamedTuple):
    """The arguments of `drawn_names`."""

    paths: tuple[str, ...]
    ha_ids: tuple[str, ...]
    seed: int
    most: int


def wished(profile: Profile, catalog: Catalog, maker: str, seed: str) -> Wish | None:
    """What is drawn for the appliances of a maker; None where nothing is."""
    most = profile.generated_reads
    if most < _FEWEST:
        return None
    document: dict[str, Any] = openapi_document(catalog, maker=maker)
    return Wish(tuple(document["paths"]), profile.ha_ids, number_of(seed, 1 << 32), most // EACH_DRAWN)


class Drawing:
    """Gives names; those of one wish may be drawn in a process of its own, which ends with the context."""

    def __init__(self) -> None:
        """Draws nothing yet."""
        self._wish: Wish | None = None
        self._drawn: tuple[Drawn, ...] = ()
        self._process = 0
        self._coming: connection.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process, if there is one."""
        if self._coming:
            self._coming.close()
            self._coming = None
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)

    def begin(self, wish: Wish | None) -> None:
        """Begins to draw, once, unless another thread runs: it may hold a lock, which a fork would keep."""
        if wish is None or threading.active_count() > 1:
            return
        coming, going = Pipe(duplex=False)
        # the new process never goes on as this one, whatever a signal does here
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTIONS)
        with suppress(OSError):  # there may be no more processes
            self._process = os.fork()
            if not self._process:
                _draw(wish, going)
            self._wish, self._coming = wish, coming
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        going.close()

    def names(self, wish: Wish) -> tuple[Drawn, ...]:
        """The names that are wished for; waits for the process that draws them."""
        if self._coming and wish == self._wish:
            with suppress(EOFError, OSError):  # it has ended without a word
                self._drawn = self._coming.recv()
            self.__exit__()
        return self._drawn if self._drawn and wish == self._wish else drawn_names(*wish)


def _draw(wish: Wish, going: connection.Connection) -> NoReturn:
    """Sends the names, and ends the process.

    It lets go of whatever else the other one has open, so that no lock is held and no pipe is read any longer
    than that one lives.
    """
    with suppress(BaseException):
        os.dup2(going.fileno(), 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        for number in range(3):
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        connection.Connection(3, readable=False).send(drawn_names(*wish))
    os._exit(0)
