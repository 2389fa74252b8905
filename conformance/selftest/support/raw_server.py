"""A server on loopback that answers with whatever bytes a test gives it, or everything alike."""

import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.network import SOCKETS, Network
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.mutants.hostile.model import Answer, Asked, Ending, Hostile, Outcome, Oven, Pause, Piece
from conformance.mutants.hostile.replies import always
from conformance.mutants.hostile.sockets import Served, serve_hostile
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile

PATIENCE_S = 60.0
"""After so long an answer is given up, so that a client that waits for ever fails a test, not hangs it."""


@contextmanager
def raw_server(answer: Answer, *, keeps: bool = False) -> Generator[Served]:
    """Serves `answer` until the context ends; `keeps` a connection for more than one request."""

    def pieces(asked: Asked) -> Iterator[Piece]:
        end = time.monotonic() + PATIENCE_S
        for piece in answer(asked):
            yield piece
            if time.monotonic() > end:
                yield Ending.CLOSE
        if not keeps:
            yield Ending.CLOSE

    with serve_hostile(Hostile("raw", "", pieces, Outcome(0), service=Oven)) as served:
        yield served


def http(status: int = 200, body: bytes = b"", /, **headers: str) -> bytes:
    """A well-formed response; header names are written with underscores."""
    lines = [f"HTTP/1.1 {status} Whatever", "Connection: close", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def in_turn(*responses: bytes) -> Answer:
    """One response after another, the last one for ever."""
    rest = list(responses)
    return lambda _asked: [rest.pop(0) if len(rest) > 1 else rest[0]]


ENVIRONMENT = {"TOKEN": "open sesame", "SECRET": "very secret"}


def profile_at(url: str, environment: Mapping[str, str] = ENVIRONMENT, /, **tables: object) -> Profile:
    """A profile of one oven at `url`, with the patience of every profile: no machine is so busy."""
    target, oven = {"name": "raw", "base_url": url}, {"ha_id": "one", "kind": "Oven"}
    return build_profile({"target": target, "appliance": [oven], **tables}, environment=environment)


def transport_of(
    profile: Profile,
    environment: Mapping[str, str] = ENVIRONMENT,
    *,
    redactor: Redactor | None = None,
    network: Network = SOCKETS,
) -> Transport:
    """A transport that masks what is in its environment, unless it is told otherwise."""
    return Transport(profile, redactor or Redactor(environment), environment, "selftest", network)


def attempts_of(profile: Profile, times: int = 1) -> list[Sent]:
    """Every attempt of some requests made one after another."""
    with transport_of(profile) as transport:
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


def listening(status: int = 200, *, delay: float = 0) -> AbstractContextManager[Served]:
    """A server that answers everything alike, after `delay` seconds."""
    return raw_server(always(Pause(delay), http(status, _BODY, Content_Type="application/json")))


def write_profile(path: Path, base_url: str, *, more: str = "") -> Path:
    """A profile of one refrigerator at `base_url`, with `more` tables."""
    target = f'[target]\nname = "hub"\nbase_url = "{base_url}"\n'
    appliance = '[[appliance]]\nha_id = "fridge-1"\nkind = "Refrigerator"\n'
    path.write_text(f"{target}{more}\n{appliance}", encoding="utf-8")
    return path
