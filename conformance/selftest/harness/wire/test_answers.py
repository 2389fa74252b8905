"""Whatever a server does to a request, it ends in a response or a failure, within bounds of time and size."""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import TypeAlias, get_args

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Cut, Exchange, Response
from conformance.harness.answers.classes import Classifier
from conformance.harness.ledger import read_ledger
from conformance.harness.wire.listening import events
from conformance.harness.wire.messages import Sent
from conformance.harness.wire.recording import Recorder, Room
from conformance.harness.wire.redaction import Redactor
from conformance.mutants.hostile.model import Answer, Pause
from conformance.profiles.sections import Limits
from conformance.selftest.support.handmade import exchange
from conformance.selftest.support.ledgers import written
from conformance.selftest.support.raw_server import (
    always,
    attempts_at,
    attempts_of,
    http,
    in_turn,
    outcomes_of,
    profile_at,
    raw_server,
)

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LONG = b"Content-Length: 100000000\r\n\r\n"
LARGEST_BODY = Limits().body_bytes
ZEROS = gzip.compress(b"0" * 500_000)


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


STREAM = {"Content-Type": "text/event-stream"}
BOMB = gzip.compress(b"0" * 100_000_000, compresslevel=1)
STREAMS: dict[str, tuple[dict[str, str], Iterable[bytes], int]] = {
    "events without end": (STREAM, repeat(b"data: x\n\n"), 1_000),
    "a bomb": ({**STREAM, "Content-Encoding": "gzip"}, [BOMB], 0),
    "no stream": ({"Content-Type": "text/plain"}, [b"data: x\n\n"], 0),
}


@pytest.mark.parametrize("name", STREAMS)
def test_stream_is_heard_within_bounds(name: str) -> None:
    """So many events, so long ones, and so many bytes in all; then the rest of the stream is left alone."""
    headers, pieces, count = STREAMS[name]
    response = httpx.Response(200, headers=headers, content=(piece for piece in pieces))
    assert sum(1 for _ in events(response, Limits())) == count


# Generated answers: whatever bytes a target sends, nothing is raised, and there is an outcome.
def exchange_of(attempt: Sent, n: int = 1) -> Exchange:
    """An attempt as it enters the ledger."""
    return replace(
        exchange(CHILD_LOCK), n=n, request=attempt.request, response=attempt.response, failure=attempt.failure
    )


words = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=20).map(
    lambda text: text.encode("latin-1")
)
CODINGS = [
    b"gzip",
    b"deflate",
    b"br",
    b"gzip, gzip",
    b"identity",
    b"zebra",
    b",",
    b"chunked",
    b"GZIP, chunked",
]
CHARSETS = b'utf-8 utf-16 undefined punycode idna hex \xff " mbcs latin-1 utf-7'.split()
VALUES: dict[bytes, list[bytes]] = {
    b"Content-Length": [b"0", b"1", b"5", b"99999999", b"-1", b"1, 1", b"1, 2", b"0x5", b"", b"9" * 5000],
    b"Content-Encoding": CODINGS,
    b"Transfer-Encoding": CODINGS,
    b"Content-Type": [b"application/json; charset=" + name for name in CHARSETS],
    b"Location": [
        b"http://xn--0/",
        b"//[",
        b"/x",
        b"?",
        b"http://\xff/",
        b"http://h:99999/",
        b"/" + b"x" * 9_000,
    ],
    b"Retry-After": [b"0", b"1", b"-1", b"9" * 400, b"x", b"Fri, 31 Dec 9999 23:59:59 -2359"],
}
known_headers = st.sampled_from([(name, text) for name, texts in VALUES.items() for text in texts])
worded = st.tuples(st.sampled_from([b"Set-Cookie", b"Connection", b"Upgrade"]) | words, words)
headers = st.lists(known_headers | worded, max_size=5)
status_lines = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.1 302 Found", b"HTTP/1.1 429 Slow", b"HTTP/1.1 503 No", b"HTTP/1.0 200"]
)
odd_lines = st.sampled_from(
    [b"HTTP/1.1 100 Go", b"HTTP/1.1 101 Up", b"HTTP/1.1 999 ?", b"HTTP/2 200", b"HTTP/1.1 -1 x", b""]
)
bodies = st.binary(max_size=40) | st.sampled_from(
    [b"{}", b'{"data": {"value": true}}', b"[" * 2_000, gzip.compress(b"{}"), b"\x1f\x8b"]
)


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """The bytes of an answer, well-formed or not, chunked or not."""
    body, fields = draw(bodies), draw(headers)
    if draw(st.booleans()):
        fields.append((b"Content-Length", b"%d" % len(body)))
    elif draw(st.booleans()):
        fields.append((b"Transfer-Encoding", b"chunked"))
        body = b"%x\r\n%b\r\n" % (len(body), body) + draw(
            st.sampled_from([b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"zz\r\n", b"", b"0\r\n"])
        )
    lines = [draw(status_lines | odd_lines | words), *(name + b": " + value for name, value in fields)]
    return draw(st.sampled_from([b"\r\n", b"\r\n", b"\n"])).join([*lines, b"", body])


def test_any_bytes_are_an_outcome(tmp_path: Path) -> None:
    """Generated answers, also several in one packet: each attempt has an outcome, in the ledger as well."""
    packet = [b""]

    @settings(max_examples=150)
    @given(st.lists(answers(), min_size=1, max_size=2), st.booleans())
    def examples(sending: list[bytes], follow: bool) -> None:
        packet[0] = b"".join(sending)
        profile = profile_at(
            raw.base_url, http={"follow_redirects": follow}, pace={"max_retries": 1, "max_retry_after_s": 0}
        )
        attempts = attempts_of(profile)
        assert all((attempt.response is None) is (attempt.failure is not None) for attempt in attempts)
        lines = [exchange_of(attempt, n) for n, attempt in enumerate(attempts, start=1)]
        kept = read_ledger(written(tmp_path / "ledger", lines)).exchanges
        classify = Classifier(profile).answer
        assert [classify(line) for line in kept] == [classify(line) for line in lines]

    with raw_server(lambda _asked: packet) as raw:
        examples()
