"""Generated answers: whatever bytes a target sends, nothing is raised, and there is an outcome."""

import gzip
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Exchange
from conformance.harness.answers.classes import Classifier
from conformance.harness.ledger import read_ledger
from conformance.harness.wire.messages import Sent
from conformance.selftest.support.samples.handmade import (
    exchange,
)
from conformance.selftest.support.samples.ledgers import written
from conformance.selftest.support.servers.raw_server import (
    attempts_of,
    profile_at,
    raw_server,
)


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
