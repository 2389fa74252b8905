"""Serves services on loopback from a process of its own, so that who asks them has a processor for itself."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection

from conformance.reference.server import ServeError, serve
from conformance.reference.service import Service


@contextmanager
def serve_apart(services: Mapping[str, Service]) -> Generator[str]:
    """As `serve`, in a process that ends with the context, and with the process that opened it.

    Its services are copies: nothing that happens to them is seen in `services`.

    Raises:
        ServeError: the process has ended; standard error says why.
    """
    ours, theirs = multiprocessing.Pipe()
    process = os.fork()
    if not process:
        ours.close()
        _serve(services, theirs)
    theirs.close()
    try:
        try:
            base_url = ours.recv()
        except EOFError:
            raise ServeError("the process of the server has ended") from None
        yield base_url
    finally:
        ours.close()
        os.waitpid(process, 0)


def _serve(services: Mapping[str, Service], asking: Connection) -> None:
    """Serves until the other end is closed, and ends the process.

    A signal to all processes of a run does not end it: what was written is put back first.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        with serve(services) as base_url, suppress(EOFError):
            asking.send(base_url)
            asking.recv()
    except Exception:  # noqa: BLE001  it is not one of the process that this one was
        traceback.print_exc()
    finally:
        os._exit(0)
