"""A server on loopback that answers with whatever bytes a test gives it."""

import socket
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from conformance.cases import CATALOG
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile

PATIENCE_S = 5.0
"""After so long a hostile server gives up by itself, so that a client that waits for ever fails a test
instead of hanging it.
"""
_TLS = b"\x16"
Answer: TypeAlias = Callable[[bytes, threading.Event], Iterable[bytes]]
"""From the head of a request to the bytes sent for it; the event is set when the server gives up."""


@dataclass
class Raw:
    """Where a raw server listens, and the heads of the requests it was sent."""

    url: str
    heads: list[bytes] = field(default_factory=list[bytes])


@contextmanager
def raw_server(answer: Answer, *, per_connection: int = 1) -> Generator[Raw]:
    """Serves `answer` until the context ends; closes a connection after so many requests."""
    listener = socket.create_server(("127.0.0.1", 0))
    raw, over = Raw(f"http://127.0.0.1:{listener.getsockname()[1]}"), threading.Event()

    def converse(connection: socket.socket) -> None:
        timer = threading.Timer(PATIENCE_S, over.set)
        timer.start()
        with connection, suppress(OSError):
            for _ in range(per_connection):
                head = b""
                while b"\r\n\r\n" not in head and not head.startswith(_TLS):
                    head += connection.recv(65_536) or b"\r\n\r\n"
                if not head.strip():
                    break
                raw.heads.append(head)
                for piece in answer(head, over):
                    connection.sendall(piece)
                    if over.is_set():
                        break
        timer.cancel()

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=converse, args=listener.accept()[:1], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield raw
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def http(status: int = 200, body: bytes = b"", /, **headers: str) -> bytes:
    """A well-formed response; header names are written with underscores."""
    lines = [f"HTTP/1.1 {status} Whatever", "Connection: close", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def always(*pieces: bytes) -> Answer:
    """The same bytes for every request."""
    return lambda _head, _over: pieces


def in_turn(*responses: bytes) -> Answer:
    """One response after another, the last one for ever."""
    rest = list(responses)
    return lambda _head, _over: [rest.pop(0) if len(rest) > 1 else rest[0]]


def for_ever(head: bytes, piece: bytes, *, pause_s: float = 0.0) -> Answer:
    """A beginning, and then the same bytes again and again."""

    def answer(_head: bytes, over: threading.Event) -> Iterator[bytes]:
        yield head
        while not over.wait(pause_s):
            yield piece

    return answer


def profile_at(url: str, **tables: Mapping[str, object]) -> Profile:
    """A profile of one oven at `url` that waits for nothing long."""
    http_table = {"timeout_s": 3.0, **tables.pop("http", {})}
    data = {
        "target": {"name": "raw", "base_url": url},
        "http": http_table,
        "appliance": [{"ha_id": "one", "kind": "Oven"}],
        **tables,
    }
    return build_profile(data, CATALOG, environment=ENVIRONMENT)


ENVIRONMENT = {"TOKEN": "open sesame", "SECRET": "very secret"}


def transport_of(profile: Profile, redactor: Redactor | None = None) -> Transport:
    """A transport, whose environment has two secrets."""
    return Transport(profile, redactor or Redactor(ENVIRONMENT), ENVIRONMENT, "selftest")


def sent(profile: Profile, times: int = 1, redactor: Redactor | None = None) -> list[Sent]:
    """Every attempt of some requests made one after another."""
    with transport_of(profile, redactor) as transport:
        return [attempt for _ in range(times) for attempt in transport.send(Wanted("/x"))]


def asked(answer: Answer, times: int = 1, **tables: Mapping[str, object]) -> list[Sent]:
    """Every attempt of some requests to a server that answers so."""
    with raw_server(answer) as raw:
        return sent(profile_at(raw.url, **tables), times)


def came(attempts: Iterable[Sent]) -> list[tuple[int, bytes] | str | None]:
    """What each attempt came to: the status and the body of a response, or the kind of a failure."""
    return [
        (one.response.status, one.response.body) if one.response else one.failure and one.failure.kind
        for one in attempts
    ]
