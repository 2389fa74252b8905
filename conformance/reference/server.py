"""Serves services, or another application, on loopback: one uvicorn, in a thread or a process of its own."""

import asyncio
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import connection
from socket import socket
from typing import cast

import uvicorn
from starlette.types import ASGIApp

from conformance.reference.app import Connection, Front
from conformance.reference.service import Service

HOST = "127.0.0.1"


class ServeError(Exception):
    """The server did not start, usually because its port is taken."""


class _Server(uvicorn.Server):
    """Says when it listens, so that nobody has to poll for it."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.settled = threading.Event()

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Start to listen, and say so."""
        await super().startup(sockets)
        self.settled.set()

    def serve_in_thread(self) -> None:
        """Run until `should_exit`; a start that fails ends here too."""
        try:
            asyncio.run(self.serve())
        except SystemExit:
            # uvicorn leaves this way when it cannot bind; `started` tells the waiting thread
            pass
        finally:
            self.settled.set()


@contextmanager
def serve_app(app: ASGIApp, port: int = 0) -> Generator[tuple[str, uvicorn.Server]]:
    """Serves an application in a thread as long as the context lasts: its base URL, and its server.

    Raises:
        ServeError: the port cannot be listened on.
    """
    config = uvicorn.Config(
        app,
        host=HOST,
        port=port,
        lifespan="off",
        ws="none",
        http="h11",
        access_log=False,
        log_config=None,
        log_level="critical",
        server_header=False,
        proxy_headers=False,
        date_header=False,
        # longer than any pause of a run, so that no request meets a closing connection
        timeout_keep_alive=120,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    thread = threading.Thread(target=server.serve_in_thread, name="server", daemon=True)
    thread.start()
    server.settled.wait()
    if not server.started:
        thread.join()
        raise ServeError(f"cannot listen on {HOST}:{port}")
    try:
        yield f"http://{HOST}:{server.servers[0].sockets[0].getsockname()[1]}", server
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serve(services: Mapping[str, Service], port: int = 0) -> Generator[str]:
    """Serves each service under its prefix as long as the context lasts; a path under no prefix answers 404.

    It yields the base URL without a prefix, such as `http://127.0.0.1:40123`; port 0 takes a free one.

    Raises:
        ServeError: the port cannot be listened on.
    """
    front = Front(services)
    with serve_app(front, port) as (base_url, server):
        front.connections = cast("set[Connection]", server.server_state.connections)
        try:
            yield base_url
        finally:
            for service in services.values():
                service.channel.close()


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


def _serve(services: Mapping[str, Service], asking: connection.Connection) -> None:
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
