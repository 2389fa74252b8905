"""A server on loopback that answers with whatever bytes a test gives it, or everything alike."""

import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from conformance.cases import CATALOG
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.mutants.hostile.model import Answer, Asked, Ending, Hostile, Outcome, Oven, Pause, Piece
from conformance.mutants.hostile.sockets import Served, serve_hostile
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.reference.service import Service
from conformance.selftest.support.commands import LIMIT_S

PATIENCE_S = 60.0
"""After so long an answer is given up, so that a client that waits for ever fails a test, not hangs it."""


@contextmanager
def raw_server(answer: Answer, *, keeps: bool = False, service: type[Service] = Oven) -> Generator[Served]:
    """Serves `answer` until the context ends; `keeps` a connection for more than one request."""

    def pieces(asked: Asked) -> Iterator[Piece]:
        end = time.monotonic() + PATIENCE_S
        for piece in answer(asked):
            yield piece
            if time.monotonic() > end:
                yield Ending.CLOSE
        if not keeps:
            yield Ending.CLOSE

    with serve_hostile(Hostile("raw", "", pieces, Outcome(0), service=service)) as served:
        yield served


def http(status: int = 200, body: bytes = b"", /, **headers: str) -> bytes:
    """A well-formed response; header names are written with underscores."""
    lines = [f"HTTP/1.1 {status} Whatever", "Connection: close", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def always(*pieces: Piece) -> Answer:
    """The same pieces for every request."""
    return lambda _asked: pieces


def in_turn(*responses: bytes) -> Answer:
    """One response after another, the last one for ever."""
    rest = list(responses)
    return lambda _asked: [rest.pop(0) if len(rest) > 1 else rest[0]]


def profile_at(url: str, **tables: Mapping[str, object]) -> Profile:
    """A profile of one oven at `url`, with the patience of every profile: no machine is so busy."""
    data = {
        "target": {"name": "raw", "base_url": url},
        "appliance": [{"ha_id": "one", "kind": "Oven"}],
        **tables,
    }
    return build_profile(data, CATALOG, environment=ENVIRONMENT)


ENVIRONMENT = {"TOKEN": "open sesame", "SECRET": "very secret"}


def transport_of(profile: Profile, redactor: Redactor | None = None) -> Transport:
    """A transport, whose environment has two secrets."""
    return Transport(profile, redactor or Redactor(ENVIRONMENT), ENVIRONMENT, "selftest")


def attempts_of(profile: Profile, times: int = 1, redactor: Redactor | None = None) -> list[Sent]:
    """Every attempt of some requests made one after another."""
    with transport_of(profile, redactor) as transport:
        return [attempt for _ in range(times) for attempt in transport.send(Wanted("/x"))]


def attempts_at(answer: Answer, times: int = 1, **tables: Mapping[str, object]) -> list[Sent]:
    """Every attempt of some requests to a server that answers so."""
    with raw_server(answer) as raw:
        return attempts_of(profile_at(raw.base_url, **tables), times)


def outcomes_of(attempts: Iterable[Sent]) -> list[tuple[int, bytes] | str | None]:
    """What each attempt came to: the status and the body of a response, or the kind of a failure."""
    return [
        (one.response.status, one.response.body) if one.response else one.failure and one.failure.kind
        for one in attempts
    ]


AUTH = '[auth]\nheaders = { Authorization = "Bearer ${HUB_TOKEN}" }\n'
_BODY = b'{"data": {"value": true}}'


@dataclass
class Listener:
    """A server of a test: its address, and the paths it was asked for."""

    base_url: str
    asked: list[str] = field(default_factory=list[str])
    came: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def wait_until_asked(self, times: int) -> None:
        """Returns when so many requests have come; gives up where one takes longer than any machine needs."""
        assert all(self.came.acquire(timeout=LIMIT_S) for _ in range(times))


@contextmanager
def listening(status: int = 200, *, delay: float = 0) -> Generator[Listener]:
    """A server that answers everything alike, after `delay` seconds."""
    listener = Listener("")

    def answer(asked: Asked) -> list[Piece]:
        listener.asked.append(asked.request.path)
        listener.came.release()
        return [Pause(delay), http(status, _BODY, Content_Type="application/json")]

    with raw_server(answer) as raw:
        listener.base_url = raw.base_url
        yield listener


def write_profile(path: Path, base_url: str, *, name: str = "hub", more: str = "") -> Path:
    """A profile of one refrigerator at `base_url`, with `more` tables."""
    target = f'[target]\nname = "{name}"\nbase_url = "{base_url}"\n'
    appliance = '[[appliance]]\nha_id = "fridge-1"\nkind = "Refrigerator"\n'
    path.write_text(f"{target}{more}\n{appliance}", encoding="utf-8")
    return path
