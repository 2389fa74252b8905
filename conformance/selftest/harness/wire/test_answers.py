"""Whatever a server does to a request, it ends in a response or a failure, within bounds of time and size."""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import TypeAlias, get_args

import httpx
import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Cut, Response
from conformance.harness.ledger import read_ledger
from conformance.harness.wire.listening import events
from conformance.harness.wire.messages import Wanted
from conformance.harness.wire.recording import Recorder, Room
from conformance.harness.wire.redaction import Redactor
from conformance.mutants.hostile.model import Answer, Pause
from conformance.profiles.sections import Limits
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    exchange,
    profile_of,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.samples.ledgers import written
from conformance.selftest.support.servers.raw_server import (
    always,
    attempts_at,
    http,
    in_turn,
    outcomes_of,
    profile_at,
    raw_server,
    transport_of,
)

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LONG = b"Content-Length: 100000000\r\n\r\n"
LARGEST_BODY = Limits().body_bytes
ZEROS = gzip.compress(b"0" * 500_000)
BOMB = gzip.compress(b"0" * 100_000_000, compresslevel=1)


def long_head(*sizes: int) -> Answer:
    """An answer with a header of 150,000 letters, in packets of these sizes.

    h11 reads more than 100 KiB of it only where no packet ends beyond them and before its end.
    """
    letters = chain.from_iterable((Pause(0.05), b"y" * size) for size in sizes)
    return always(OK + b"X: ", *letters, b"\r\nContent-Length: 0\r\n\r\n")


def coded(coding: str, body: bytes) -> Answer:
    """A body under the name of a coding."""
    return always(http(200, body, Content_Encoding=coding))


Came: TypeAlias = tuple[int, bytes] | str
GIVEN: Sequence[Came] = ((200, b"a"),)
ANSWERS: dict[str, tuple[Answer, Sequence[Came]]] = {
    # Beside the rows of the hostile servers, which one request each shows to come to what they declare.
    "closes within a chunk's size": (always(CHUNKED + b"5"), ["protocol"]),
    "sends garbage": (always(b"\x00\xff\x16\x03 garbage \r\n\r\n"), ["protocol"]),
    "a long head in two packets": (long_head(65_536, 84_464), ["protocol"]),
    "a long head in three": (long_head(1_000, 90_000, 59_000), ["protocol"]),
    # An idle connection may have been closed under the request: the second attempt decides.
    "closes the first time": (in_turn(b"", http(200, b"a")), ["closed", *GIVEN]),
    "closes each time": (always(b""), ["closed", "closed"]),
    # What is odd and still HTTP arrives as it was sent.
    "the largest body": (always(http(200, b"x" * LARGEST_BODY)), [(200, b"x" * LARGEST_BODY)]),
    "interim responses": (always(b"HTTP/1.1 103 Early\r\nX: y\r\n\r\n", http(200, b"a")), GIVEN),
    "bytes in headers": (always(OK + b"X: \xff\xe4\r\nContent-Length: 0\r\n\r\n"), [(200, b"")]),
    "HTTP/1.0": (always(b"HTTP/1.0 200 OK\r\n\r\na"), GIVEN),
    # One coding that requests accept is undone, and none whatever it is called.
    "gzip": (coded("gzip", gzip.compress(b"a")), GIVEN),
    "gzip of nothing": (coded("gzip", b""), [(200, b"")]),
    "deflate": (coded("deflate", zlib.compress(b"a")), GIVEN),
    "deflate without a header": (coded("deflate", zlib.compress(b"a", wbits=-15)), GIVEN),
    "a word that is no coding": (coded("utf-8", b"a"), GIVEN),
    "an unknown coding": (coded("zebra", b"a"), GIVEN),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_comes_to_responses_and_failures(name: str) -> None:
    """A failure is one of its kind, told shortly; a response is there as a whole."""
    answer, outcomes = ANSWERS[name]
    attempts = attempts_at(answer)
    assert outcomes_of(attempts) == [*outcomes]
    assert all(len(one.failure.text) <= 200 for one in attempts if one.failure)
    assert all(one.response.complete and not one.response.cut for one in attempts if one.response)


def test_failure_shows_what_came_as_text() -> None:
    """Not as the objects that h11 holds it in."""
    (sent,) = attempts_at(always(CHUNKED + b"zz\r\n"))
    assert sent.failure
    assert sent.failure.text == r"illegal chunk header: 'zz\r\n'"


@pytest.mark.parametrize("pieces", [OK + LONG + b"{", CHUNKED + b"1\r\n{\r\n5\r\nab"])
def test_body_that_ends_too_early_is_kept(pieces: bytes) -> None:
    """What came before the line was closed is evidence, and marked as not all of it."""
    response = only(always(pieces))
    assert (response.body[:1], response.complete) == (b"{", False)


@pytest.mark.parametrize(
    "error",
    [MemoryError, RecursionError, UnicodeError("x"), KeyError("x"), ExceptionGroup("x", [ValueError()])],
)
def test_anything_raised_is_a_failure(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """No error of any library needs to be known by name."""

    def raising(*_: object) -> None:
        raise error

    monkeypatch.setattr("conformance.harness.wire.transport.read_body", raising)
    assert outcomes_of(attempts_at(always(http()))) == ["other"]


# What a target sends is read and kept within bounds, which are no fault of the target.
def only(answer: Answer, **limits: int) -> Response:
    """The response to one request."""
    (attempt,) = attempts_at(answer, http={"timeout_s": 3, "limits": limits})
    assert attempt.response
    return attempt.response


def test_answer_over_a_bound_is_cut(tmp_path: Path) -> None:
    """It has the bound, and length and hash of what was read: whoever has the body can show that it was.

    Whoever judges a saved ledger again sees that, too.
    """
    body = b"abc" * 1_000
    response = only(always(http(200, body, Content_Type="application/json")), body_bytes=1_024)
    assert response.cut == Cut(1_025, hashlib.sha256(body[:1_025]).hexdigest(), "body_bytes")
    kept = replace(exchange(CHILD_LOCK), n=1, response=response)
    path = written(tmp_path / "ledger", [kept])
    assert read_ledger(path).exchanges == [kept]
    assert b'"body_cut":true' in path.read_bytes()


def test_bound_is_raised_by_the_profile() -> None:
    """Where a target needs more, its profile says so."""
    zeros = coded("gzip", ZEROS)
    cut = only(zeros).cut
    assert cut
    assert (cut.limit, cut.length) == ("inflation", 500_000)
    assert only(zeros, body_bytes=1 << 21, inflation=2_000, kept_bytes=1 << 23).body == b"0" * 500_000


def _together(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A body, which httpx takes for a stream only as a generator."""
    yield from pieces


def test_long_answers_are_kept_as_long_as_there_is_room() -> None:
    """Their room in the ledger is limited for a run as a whole; short answers are always kept."""
    answers = in_turn(http(200, b"a" * 3_000), http(200, b"b" * 3_000), http(200, b"c"))
    attempts = attempts_at(answers, times=3, http={"limits": {"kept_bytes": 5_000}})
    responses = [one.response for one in attempts if one.response]
    assert [len(response.body) for response in responses] == [3_000, 512, 1]
    assert [response.cut and response.cut.limit for response in responses] == [None, "kept_bytes", None]


def test_what_decides_has_room_of_its_own() -> None:
    """However many long answers came before, a finding can be confirmed and a write be read back."""
    profile = profile_at("http://127.0.0.1:1", http={"limits": {"kept_bytes": 5_000}})
    recorder, response = Recorder(profile, Redactor({})), Response(200, (), b"a" * 3_000, 1.0)
    is_kept = [recorder.response(response, room).cut is None for room in get_args(Room) for _ in range(2)]
    assert is_kept == [True, False] * 3


def test_long_message_is_cut() -> None:
    """A finding that quotes a megabyte of a body does not fill every report with it."""
    seen = seen_of(profile_of(), value(ANCHOR, 5))
    found = ruling(lambda _case, _seen: "x" * 1_000_000, "READ-SETTING", ANCHOR, seen)
    assert found.message == f"{'x' * 10_000}..."


STREAM = {"Content-Type": "text/event-stream"}
STREAMS: dict[str, tuple[dict[str, str], Iterable[bytes], int]] = {
    "events without end": (STREAM, repeat(b"data: x\n\n"), 1_000),
    "a bomb": ({**STREAM, "Content-Encoding": "gzip"}, [BOMB], 0),
    "no stream": ({"Content-Type": "text/plain"}, [b"data: x\n\n"], 0),
}


@pytest.mark.parametrize("name", STREAMS)
def test_stream_is_heard_within_bounds(name: str) -> None:
    """So many events, so long ones, and so many bytes in all; then the rest of the stream is left alone."""
    headers, pieces, count = STREAMS[name]
    response = httpx.Response(200, headers=headers, content=_together(pieces))
    assert sum(1 for _ in events(response, Limits())) == count


def test_stream_that_breaks_the_reader_ends(recwarn: pytest.WarningsRecorder) -> None:
    """Whatever is raised while a stream is read ends the stream, and the run goes on."""
    broken = http(200, b"x" * 10, Content_Type="text/event-stream", Content_Encoding="gzip")
    with raw_server(always(broken)) as raw, transport_of(profile_at(raw.base_url)) as transport:
        with transport.listening(Wanted("/events"), made := []) as stream:
            assert stream.heard.empty()
        assert [sent.response and sent.response.status for sent in made] == [200]
    assert not recwarn.list
