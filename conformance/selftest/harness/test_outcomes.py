"""Whatever bytes a target sends, they amount to an outcome: nothing is raised, while they are read or
afterwards.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.checks.answer import Outcome
from conformance.checks.exchange import Response
from conformance.harness.answers.classes import Classifier
from conformance.harness.ledger import Header, Ledger, read_ledger
from conformance.harness.throttling import retry_after_s
from conformance.selftest.support.handmade import exchange
from conformance.selftest.support.raw_server import always, http, profile_at, raw_server, sent

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.checks.exchange import Exchange
    from conformance.harness.wire.messages import Sent
    from conformance.profiles.model import Profile

KEY = "Vendor.Common.Setting.ChildLock"

RAISING = {
    "a Location of no host": http(302, b"", Location="http://xn--0/"),
    "a Location of no host, with a body": http(200, b"{}", Location="http://xn--0/"),
    "a character set that is always undefined": http(
        200, b"{}", Content_Type="application/json; charset=undefined"
    ),
    "a codec of names": http(200, b"{}", Content_Type="application/json; charset=punycode"),
    "another codec of names": http(200, b"\xff.", Content_Type="application/json; charset=idna"),
    "escapes": http(200, b'"\\N{x}"', Content_Type="application/json; charset=unicode_escape"),
}


def exchange_of(attempt: Sent, n: int = 1) -> Exchange:
    """An attempt as it enters the ledger."""
    return replace(
        exchange(KEY), n=n, request=attempt.request, response=attempt.response, failure=attempt.failure
    )


def outcomes(profile: Profile) -> list[Outcome]:
    """What the attempts of one request amount to."""
    return [Classifier(profile).answer(exchange_of(attempt)).outcome for attempt in sent(profile)]


@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("name", RAISING)
def test_what_raises_in_a_library_is_an_outcome(name: str, *, follow: bool) -> None:
    """A redirect to no host, and names of codecs that are no character sets, end no run."""
    with raw_server(always(RAISING[name])) as raw:
        (outcome,) = outcomes(profile_at(raw.url, http={"follow_redirects": follow}))
    assert outcome is (Outcome.REDIRECT if "302" in RAISING[name].decode("latin-1") else Outcome.NOVALUE)


@pytest.mark.parametrize(
    "error",
    [MemoryError, RecursionError, UnicodeError("x"), KeyError("x"), ExceptionGroup("x", [ValueError()])],
)
def test_anything_raised_is_a_failure(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """No error of any library needs to be known by name."""

    def raising(*_: object) -> None:
        raise error

    with raw_server(always(http())) as raw:
        monkeypatch.setattr("conformance.harness.wire.transport.read_body", raising)
        (attempt,) = sent(profile_at(raw.url))
    assert attempt.failure
    assert attempt.failure.kind == "other"


words = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=20).map(
    lambda text: text.encode("latin-1")
)
lengths = st.sampled_from([b"0", b"1", b"5", b"99999999", b"-1", b"1, 1", b"1, 2", b"0x5", b"", b"9" * 5000])
codings = st.sampled_from(
    [b"gzip", b"deflate", b"br", b"gzip, gzip", b"identity", b"zebra", b",", b"chunked", b"GZIP, chunked"]
)
charsets = st.sampled_from(
    [
        b"utf-8",
        b"utf-16",
        b"undefined",
        b"punycode",
        b"idna",
        b"hex",
        b"\xff",
        b'"',
        b"mbcs",
        b"latin-1",
        b"utf-7",
    ]
)
types = charsets.map(lambda name: b"application/json; charset=" + name)
locations = st.sampled_from(
    [
        b"http://xn--0/",
        b"//[",
        b"/x",
        b"?",
        b"http://\xff/",
        b"http://127.0.0.1:99999/",
        b"/" + b"x" * 9_000,
        b"\x7f",
    ]
)
retries = st.sampled_from(
    [
        b"0",
        b"1",
        b"-1",
        b"9" * 400,
        b"Mon, 01 Jan 0001 00:00:00 +2359",
        b"x",
        b"Fri, 31 Dec 9999 23:59:59 -2359",
    ]
)
named = {
    b"Content-Length": lengths,
    b"Content-Encoding": codings,
    b"Transfer-Encoding": codings,
    b"Content-Type": types,
}
named |= {
    b"Location": locations,
    b"Retry-After": retries,
    b"Set-Cookie": words,
    b"Connection": words,
    b"Upgrade": words,
}
known_headers = st.sampled_from(sorted(named)).flatmap(lambda name: st.tuples(st.just(name), named[name]))
headers = st.lists(known_headers | st.tuples(words, words), max_size=5)
status_lines = st.sampled_from(
    [
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 302 Found",
        b"HTTP/1.1 429 Slow",
        b"HTTP/1.1 503 No",
        b"HTTP/1.0 200",
        b"HTTP/1.1 204 ",
    ]
)
odd_lines = (
    st.sampled_from(
        [
            b"HTTP/1.1 100 Go",
            b"HTTP/1.1 101 Up",
            b"HTTP/1.1 999 ?",
            b"HTTP/2 200",
            b"ICY 200 OK",
            b"HTTP/1.1 -1 x",
            b"",
        ]
    )
    | words
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
    lines = [draw(status_lines | odd_lines), *(name + b": " + value for name, value in fields)]
    return draw(st.sampled_from([b"\r\n", b"\r\n", b"\n"])).join([*lines, b"", body])


def test_any_bytes_are_an_outcome(tmp_path: Path) -> None:
    """Generated answers, also several in one packet: each attempt has an outcome, and is in the ledger what
    it was in the run.
    """
    packet = [b""]

    def answer(_head: bytes, _over: threading.Event) -> Iterator[bytes]:
        yield packet[0]

    @settings(max_examples=300)
    @given(st.lists(answers(), min_size=1, max_size=2), st.booleans())
    def examples(sending: list[bytes], follow: bool) -> None:
        packet[0] = b"".join(sending)
        profile = profile_at(
            raw.url, http={"follow_redirects": follow}, pace={"max_retries": 1, "max_retry_after_s": 0}
        )
        attempts = sent(profile)
        assert all((attempt.response is None) is (attempt.failure is not None) for attempt in attempts)
        lines = [exchange_of(attempt, n) for n, attempt in enumerate(attempts, start=1)]
        with Ledger(
            tmp_path / "evidence.ndjson",
            Header("1", "0", "0", "read", "", {}, "2026-01-01T00:00:00.000+00:00"),
        ) as ledger:
            for line in lines:
                ledger.add(line)
        assert [
            Classifier(profile).answer(line) for line in read_ledger(tmp_path / "evidence.ndjson").exchanges
        ] == [Classifier(profile).answer(line) for line in lines]

    with raw_server(answer) as raw:
        examples()


@given(st.text(max_size=40) | st.dates().map(lambda day: day.strftime("%a, %d %b %Y 00:00:00 +2359")))
def test_any_retry_after_is_a_time(text: str) -> None:
    """Whatever stands in Retry-After, there is a number of seconds to wait, and none below zero."""
    assert retry_after_s(Response(429, (("Retry-After", text),), b"", 1.0)) >= 0
