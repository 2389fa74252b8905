"""A server on loopback that sends the bytes it is given: one thread a connection, no HTTP library."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from conformance.mutants.hostile.model import Asked, Ending, Hostile, Pause, Piece
from conformance.reference.server import HOST, ServeError
from conformance.reference.wire import Incoming

_LINGER = struct.pack("ii", 1, 0)
_LONGEST_HEAD = 1 << 20


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
    """The client closed the connection, or the server is over."""


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
        with tls.wrap_socket(connection, server_side=True) if tls else connection as stream:
            received = _Received(stream.recv)
            while True:
                responder.respond(stream, received.request())


class _Received:
    """The requests that come in on a connection."""

    def __init__(self, receive: Callable[[int], bytes]) -> None:
        self._receive = receive
        self._buffer = b""

    def request(self) -> Incoming:
        """The next request.

        Raises:
            _GoneError: the client has closed the connection, or what it sends is no HTTP.
        """
        while b"\r\n\r\n" not in self._buffer:
            self._more()
            if len(self._buffer) > _LONGEST_HEAD:
                raise _GoneError
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        if first.count(" ") != 2:
            raise _GoneError
        method, target, _ = first.split(" ")
        length = int(headers.get("content-length", "0"))
        while len(self._buffer) < length:
            self._more()
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        path, _, query = target.partition("?")
        return Incoming(method, path, query, headers, body)

    def _more(self) -> None:
        piece = self._receive(65_536)
        if not piece:
            raise _GoneError
        self._buffer += piece
