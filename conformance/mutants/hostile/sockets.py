"""A server on loopback that sends the bytes it is given: one thread a connection, no HTTP library."""

import socket
import ssl
import struct
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import BinaryIO

from conformance.mutants.hostile.model import Asked, Ending, Hostile, Pause, Piece
from conformance.reference.server import HOST, ServeError
from conformance.reference.wire import Incoming

_LINGER = struct.pack("ii", 1, 0)


@dataclass
class Served:
    """A hostile server that runs.

    Attributes:
        base_url: where it is reached.
        requests: every request it got, in their order.
        kept_waiting: the addresses of those whose request gets no answer.
    """

    base_url: str
    requests: list[Incoming] = field(default_factory=list[Incoming])
    kept_waiting: set[object] = field(default_factory=set[object])


class _GoneError(Exception):
    """The server has ended the connection, or is over."""


@contextmanager
def serve_hostile(hostile: Hostile, port: int = 0, tls: ssl.SSLContext | None = None) -> Generator[Served]:
    """Serves a hostile server as long as the context lasts, encrypted with `tls`; port 0 takes a free one.

    Raises:
        ServeError: the port cannot be listened on.
    """
    try:
        listener = socket.create_server((HOST, port), backlog=128)
    except OSError as error:
        raise ServeError(f"cannot listen on {HOST}:{port}") from error
    served = Served(f"{hostile.scheme}://{HOST}:{listener.getsockname()[1]}")
    over = threading.Event()
    respond = _Responder(hostile, served, over)

    def accept() -> None:
        served_now = list[threading.Thread]()
        with suppress(OSError):  # the listener is closed
            while True:
                connection, _ = listener.accept()
                served_now = [talk for talk in served_now if talk.is_alive()]
                if 0 < hostile.most <= len(served_now):
                    connection.close()
                    continue
                talk = threading.Thread(target=_converse, args=(connection, respond, tls), daemon=True)
                talk.start()
                served_now.append(talk)
                if hostile.is_single:
                    talk.join()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield served
    finally:
        over.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


class _Responder:
    """Sends on a connection what the hostile server wants sent."""

    def __init__(self, hostile: Hostile, served: Served, over: threading.Event) -> None:
        self._hostile = hostile
        self._service = hostile.service()
        self._served, self._over = served, over
        self._asked = list[Asked]()
        self._lock = threading.Lock()

    def greet(self, connection: socket.socket) -> None:
        self._send(connection, self._hostile.greeting())

    def respond(self, connection: socket.socket, request: Incoming) -> None:
        with self._lock:
            self._served.requests.append(request)
            reply = self._service.handle(request)
            asked = Asked(request, reply, len(self._asked), self._served.base_url, self._asked)
            self._asked.append(asked)
        if not self._send(connection, self._hostile.answer(asked)):
            self._served.kept_waiting.add(connection.getpeername())

    def _send(self, connection: socket.socket, pieces: Iterable[Piece]) -> bool:
        """Whether there was anything to send."""
        is_answer = False
        for piece in pieces:
            is_answer = True
            if isinstance(piece, bytes):
                connection.sendall(piece)
            elif isinstance(piece, Pause):
                self._over.wait(piece.seconds)
            else:
                if piece is Ending.RESET:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
                raise _GoneError
            if self._over.is_set():
                raise _GoneError
        return is_answer


def _converse(connection: socket.socket, responder: _Responder, tls: ssl.SSLContext | None) -> None:
    with connection, suppress(OSError, _GoneError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(120)
        responder.greet(connection)
        with (
            tls.wrap_socket(connection, server_side=True) if tls else connection as stream,
            stream.makefile("rb") as received,
        ):
            for request in _requests(received):
                responder.respond(stream, request)


def _requests(received: BinaryIO) -> Iterator[Incoming]:
    """The requests that come in on a connection, until it is closed or brings what is no HTTP."""
    lines = (line.decode("latin-1").strip() for line in received)
    while (first := next(lines, "")).count(" ") == 2:
        method, target, _ = first.split(" ")
        fields = (line.partition(":") for line in takewhile(bool, lines))
        headers = {name.strip().lower(): value.strip() for name, _, value in fields}
        path, _, query = target.partition("?")
        yield Incoming(method, path, query, headers, received.read(int(headers.get("content-length", "0"))))
