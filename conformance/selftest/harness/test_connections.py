"""No byte that stands after the end of an answer is taken for the answer to another request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.harness.wire.messages import Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.selftest.support.raw_server import always, in_turn, profile_at, raw_server, sent

if TYPE_CHECKING:
    from conformance.checks.exchange import Response
    from conformance.harness.wire.messages import Sent

FIRST = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
SECOND = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"

SURPLUS: dict[str, tuple[bytes, int]] = {
    "a whole answer more": (FIRST + FIRST, len(FIRST)),
    "a whole answer after chunks": (CHUNKED + FIRST, len(FIRST)),
    "a whole answer after an interim one": (EARLY + FIRST + FIRST, len(FIRST)),
    "a body after a 204": (b"HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\na", 1),
    "more than the length": (FIRST + b"bcd", 3),
    "a line end too many": (FIRST + b"\r\n", 2),
}


def answered(attempts: list[Sent]) -> list[Response]:
    """The responses, which each attempt must have."""
    return [attempt.response for attempt in attempts if attempt.response]


@pytest.mark.parametrize("name", SURPLUS)
def test_surplus_is_counted_and_answers_nothing(name: str) -> None:
    """The bytes after an answer are counted with it, and the next request is made on another connection."""
    data, count = SURPLUS[name]
    with raw_server(in_turn(data, SECOND), per_connection=9) as raw:
        first, second = answered(sent(profile_at(raw.url), times=2))
    assert (first.connection, first.surplus_bytes) == (1, count)
    assert (second.body, second.connection, second.surplus_bytes) == (b"b", 2, 0)


@pytest.mark.parametrize("data", [FIRST, CHUNKED, EARLY + FIRST, b"HTTP/1.1 204 No Content\r\n\r\n"])
def test_connection_without_surplus_is_used_again(data: bytes) -> None:
    """As long as each answer ends where it says, one connection serves all requests."""
    with raw_server(always(data), per_connection=9) as raw:
        responses = answered(sent(profile_at(raw.url), times=3))
    assert [(response.connection, response.surplus_bytes) for response in responses] == [(1, 0)] * 3


@pytest.mark.parametrize("letters", [500, 60_000])
def test_reason_phrase_may_be_of_any_length(letters: int) -> None:
    """Nobody reads it: a long one costs nothing, and the answer behind it is whole."""
    answer = FIRST.replace(b"OK", b"O" * letters)
    with raw_server(always(answer), per_connection=9) as raw:
        responses = answered(sent(profile_at(raw.url), times=2))
    assert [(response.status, response.body, response.surplus_bytes) for response in responses] == [
        (200, b"a", 0)
    ] * 2


def test_fresh_request_has_a_connection_of_its_own() -> None:
    """A request that is to be fresh uses no earlier connection, and no later request uses its own."""
    with (
        raw_server(always(FIRST), per_connection=9) as raw,
        Transport(profile_at(raw.url), Redactor({}), {}, "selftest") as transport,
    ):
        wanted = [Wanted("/x"), Wanted("/x", fresh=True), Wanted("/x")]
        responses = answered([attempt for one in wanted for attempt in transport.send(one)])
    assert [response.connection for response in responses] == [1, 2, 1]
