"""A server of the same process says what it says through sockets."""

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.network import SOCKETS, Network
from conformance.proof import own_time
from conformance.proof.in_process import BASE_URL, network_of
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.servers.raw_server import profile_at, transport_of

OVEN = "/api/homeappliances/oven-1"
WRITE = Wanted(f"{OVEN}/settings/{CHILD_LOCK}", "PUT", body='{"data": {"value": true}}')
USUAL = [Wanted(OVEN), WRITE, Wanted(OVEN, "HEAD"), Wanted(f"{OVEN}/settings?x=1"), Wanted("/nowhere")]
ODD, PLAINLY = Wanted("/odd"), Wanted("/x")
REPLIES = {
    "cut short": Reply(200, b"{}", headers={"Content-Length": "4096"}),
    "longer than announced": Reply(200, b"{}", headers={"Content-Length": "1"}),
    "in chunks": Reply(200, b"{}", headers={"Transfer-Encoding": "chunked"}),
    "closed after the answer": Reply(200, b"{}", headers={"Connection": "close"}),
    "closed without an answer": Reply(200, drop=True),
    "too late": Reply(200, b"{}", delay_s=0.4),
    "no content": Reply(204, media_type=None),
    "an unknown status": Reply(299, b"{}"),
    "a long body": Reply(200, b"x" * 100_000),
    "a header of two lines": Reply(200, b"{}", headers={"X-Two": "one\r\ntwo"}),
    "a header that is too long": Reply(200, b"{}", headers={"X-Long": "x" * 150_000}),
}
ODD_REQUESTS = {
    "a header of two lines": Wanted("/x", headers=(("X-Two", "one\r\ntwo"),)),
    "a framing of its own": Wanted("/x", headers=(("Transfer-Encoding", "gzip"),)),
    "closed by the client": Wanted("/x", headers=(("Connection", "close"),)),
}
PLAIN = Reply(200, b"[]", headers={"X-Plain": "yes"})


class Odd(Service):
    """A service that gives one reply at one path, and plain ones at all others."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply

    def answer(self, request: Incoming) -> Reply:
        return self.reply if request.path == "/odd" else PLAIN


def networks(service: Service) -> Iterator[tuple[str, Network]]:
    """The base URLs and networks in which a service is, each for as long as it is looked at."""
    yield f"{BASE_URL}/one", network_of({"/one": service})
    with serve({"/one": service}) as base_url:
        yield f"{base_url}/one", SOCKETS


def outcomes_of(service: Service, *wanted: Wanted) -> list[list[Sent]]:
    """What came of requests in each network, without times and addresses."""
    found: list[list[Sent]] = []
    for url, network in networks(service):
        with transport_of(profile_at(url), network=network) as transport:
            made = [sent for one in wanted for sent in transport.send(one, permit=0)]
        found.append(
            [
                replace(
                    sent,
                    at="",
                    request=replace(sent.request, url=""),
                    response=sent.response and replace(sent.response, elapsed_ms=0.0),
                )
                for sent in made
            ]
        )
    return found


CONVERSATIONS: dict[str, tuple[Reply | None, tuple[Wanted, ...]]] = {
    **{f"{one.method} {one.path}": (None, (one, one)) for one in USUAL},
    **{name: (reply, (ODD, PLAINLY, PLAINLY, ODD, PLAINLY)) for name, reply in REPLIES.items()},
    "a body where none may be": (Reply(204, b"{}"), (PLAINLY, PLAINLY, ODD)),  # what follows hangs on time
    **{f"asked with {name}": (PLAIN, (PLAINLY, PLAINLY, one, PLAINLY)) for name, one in ODD_REQUESTS.items()},
}
"""What a service replies at one path, unless it is as ever, and what it is asked in a row."""


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_answers_are_those_of_a_socket(name: str) -> None:
    """Status, headers, body, numbers of connections, also of what is cut, late, or framed otherwise."""
    reply, wanted = CONVERSATIONS[name]
    in_process, through_sockets = outcomes_of(Odd(reply) if reply else Service(), *wanted)
    assert in_process == through_sockets


def test_events_are_those_of_a_socket() -> None:
    """A stream opens alike and tells alike of what is written meanwhile."""
    heard: list[list[tuple[str, str]]] = []
    for url, network in networks(Service()):
        with (
            transport_of(profile_at(url), network=network) as transport,
            transport.listening(Wanted(f"{OVEN}/events"), []) as told,
        ):
            for value in ("true", "false"):
                transport.send(replace(WRITE, body=f'{{"data": {{"value": {value}}}}}'), permit=0)
            events = [told.get(timeout=60) for _ in range(2)]
            heard.append([(event.kind, json.loads(event.data)["items"][0]["value"]) for event in events])
    assert heard[0] == heard[1]


def test_stream_ends_with_its_listener() -> None:
    """Nobody listens any more, and no thread is left."""
    service = Service()
    before = threading.active_count()
    with ExitStack() as stack:
        transport = stack.enter_context(transport_of(profile_at(BASE_URL), network=network_of({"": service})))
        stack.enter_context(transport.listening(Wanted(f"{OVEN}/events"), []))
        assert not service.channel.quiet
    assert (service.channel.quiet, threading.active_count()) == (True, before)


def test_time_of_every_run_is_rounded_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever a trial begins, its ledger shows the same milliseconds, on which a further look may hang."""
    monkeypatch.setattr(own_time.time, "time", lambda: 1_700_000_000.4567)
    assert own_time.OwnTime().since_1970() == 1_700_000_000
