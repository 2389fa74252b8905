"""Connections and event streams that hang, trickle, end too early or never, or carry more than one answer.

The last ones have a wrong TLS: an untrusted certificate, or no TLS where the profile says https.
"""

import ssl
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from catalog.keys import CHILD_LOCK
from conformance.mutants.hostile.model import (
    IMPATIENT,
    NOTHING_LEARNED,
    NOTHING_WRONG,
    Answer,
    Asked,
    Ending,
    Fault,
    Hostile,
    Outcome,
    Pause,
    Piece,
    lost,
)
from conformance.mutants.hostile.replies import (
    always,
    conforming,
    endless,
    framed,
    granted,
    head,
    only,
    sent,
    spoiled,
)
from conformance.reference.server import HOST
from conformance.reference.wire import Reply

_TRICKLE = Pause(0.05)
_WRONG = framed(200, b'{"data":{"key":"Vendor.Common.Setting.AlarmClock","value":"wrong"}}')


def _split(reply: Reply, middle: Piece) -> tuple[Piece, ...]:
    """The first half of an answer, something else, the second half."""
    whole = sent(reply)
    return whole[: len(whole) // 2], middle, whole[len(whole) // 2 :]


def _one_behind(asked: Asked) -> Iterable[Piece]:
    """The answer, and after it the answer to the request before it."""
    before = sent(asked.earlier[-1].reply) if asked.earlier else _WRONG
    return (sent(asked.reply) + before,)


def _later(asked: Asked) -> Iterable[Piece]:
    """Nothing for the first request for an entry that there is, or the answer."""
    is_answered = not asked.gives_a_value or any(one.key == asked.key for one in asked.earlier)
    return conforming(asked) if is_answered else ()


_ANY_OPEN = {"judging": {"most_open": 1}}
"""How many reads meet a late answer, and so leave a case open, depends on how busy the machine is."""

# fmt: off
CONNECTIONS = (
    Hostile("silent", "Connections are accepted and nothing is ever answered.", always(), NOTHING_LEARNED,
        profile=IMPATIENT),
    Hostile("silent-for-one", "One setting is never answered, everything else at once.", only(always()),
        Outcome(exit=1, fails=frozenset({"READ-SETTING"}))),
    Hostile("silent-at-first",
        "The first request for each entry that there is is never answered.", _later, NOTHING_WRONG),
    Hostile("reset-on-accept", "Connections are reset as soon as they are accepted.", always(),
        lost("closed"), greeting=lambda: (Ending.RESET,)),
    Hostile("reset-in-body", "Connections are reset in the middle of the answer.",
        spoiled(lambda reply: _split(reply, Ending.RESET)), lost("closed")),
    Hostile("closed-after-each", "Connections are closed after each answer, which says that they stay open.",
        spoiled(lambda reply: (sent(reply), Ending.CLOSE)), NOTHING_WRONG),
    Hostile("headers-trickle",
        "Headers come byte by byte, each before the client loses patience, and never end.",
        lambda _asked: endless(b"x", b"HTTP/1.1 200 OK\r\nX-Slow: ", between=_TRICKLE),
        lost("timeout"), profile=IMPATIENT),
    Hostile("body-trickles",
        "The body comes byte by byte, each before the client loses patience, and never ends.",
        lambda _asked: endless(b" ", head(200, "Content-Length: 9999999"), between=_TRICKLE),
        lost("timeout"), profile=IMPATIENT),
    Hostile("interim-trickles",
        "Interim answers come one by one, each before the client loses patience, and the answer never.",
        lambda _asked: endless(b"HTTP/1.1 102 Processing\r\n\r\n", between=_TRICKLE),
        lost("timeout"), profile=IMPATIENT),
    Hostile("second-answer", "A second answer, with a wrong value, follows each answer on its connection.",
        granted(spoiled(lambda reply: (sent(reply) + _WRONG,))), NOTHING_WRONG),
    Hostile("second-answer-late",
        "A second answer, with a wrong value, follows each answer a hundredth of a second later, when the"
        " next request may be under way.", granted(
            spoiled(lambda reply: (sent(reply), Pause(0.01), _WRONG))), NOTHING_WRONG, profile=_ANY_OPEN),
    Hostile("one-behind", "Every answer is followed by the answer to the request before it.", _one_behind,
        NOTHING_WRONG),
    Hostile("answer-before-request",
        "Each connection begins with an answer to nothing, 408, which stands before that of the first"
        " request.", spoiled(lambda reply: (sent(reply),)), NOTHING_LEARNED,
        greeting=lambda: (framed(408, b"{}", "Connection: close"),)),
    Hostile("one-connection",
        "A connection is served until it is closed; until then all others are accepted and not answered.",
        conforming, NOTHING_WRONG, is_single=True, knowledge="full", level="write",
        profile={"http": {"timeout_s": 2}, "write": {"allow": ["*"]}}),
    Hostile("few-connections", "Four connections are served until they are closed; others are cut.",
        conforming, NOTHING_WRONG, most=4, knowledge="full", level="write",
        profile={"write": {"allow": ["*"]}}),
    Hostile("slow-answers", "The answers for one setting are late, not too late.",
        only(spoiled(lambda reply: (Pause(0.6), sent(reply)))), NOTHING_WRONG),
)
# fmt: on


_LISTENED = {"write": {"allow": [CHILD_LOCK]}}
_HEAD = head(200, media_type="text/event-stream")


def _streams(name: str, harm: str, stream: Answer, *, whole: bool = False) -> Hostile:
    """A conforming server with a hostile stream."""

    def answer(asked: Asked) -> Iterable[Piece]:
        return stream(asked) if asked.request.path.endswith("/events") else conforming(asked)

    return Hostile(
        name, harm, answer, NOTHING_WRONG, knowledge="full", profile=_LISTENED, level="write", whole=whole
    )


# fmt: off
STREAMS = (
    _streams("event-endless", "One event has line after line and never ends.",
        lambda _asked: endless(b"data: more\n" * 6000, _HEAD)),
    _streams("events-endless", "Event follows event without a pause.",
        lambda _asked: endless(b'event: NOTIFY\ndata: {"items":[]}\n\n' * 2000, _HEAD)),
    _streams("event-of-a-gigabyte", "One line of an event has a gigabyte.",
        always(_HEAD, b"data: ", *([b"x" * 1_000_000] * 1000), b"\n\n")),
    _streams("event-nested", "The data of an event are a million arrays.",
        lambda _asked: endless(Pause(1), _HEAD, b"data: " + b"[" * 1_000_000 + b"\n\n")),
    _streams("event-id-nul", "Events have a line of NUL and escape sequences for an id.",
        lambda _asked: endless(Pause(1), _HEAD, b"id: \0\x1b[2J\r\rdata: {}\r\r"), whole=True),
    _streams("events-silent", "The stream is accepted and never begins.", always()),
    _streams("events-charset", "The stream names a charset that Python refuses.",
        always(head(200, media_type="text/event-stream; charset=undefined"), b"data: {}\n\n",
            Ending.CLOSE)),
)
# fmt: on


@contextmanager
def wrong_certificate(fault: Fault) -> Generator[tuple[ssl.SSLContext, str | bool]]:
    """A context for a server whose certificate has this fault, and the `http.verify` of its profile.

    Raises:
        ModuleNotFoundError: trustme, which makes the certificates, is not installed (it comes with the extra
            dev).
    """
    import trustme  # noqa: PLC0415  only these servers need it

    authority = trustme.CA()
    host = "other.example" if fault == "other-host" else HOST
    end = datetime.now(UTC) + timedelta(days=-1 if fault == "expired" else 1)
    certificate = authority.issue_cert(host, not_before=end - timedelta(days=2), not_after=end)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as directory:
        own = Path(directory) / "own.pem"
        certificate.private_key_and_cert_chain_pem.write_to_path(own)
        context.load_cert_chain(own)
        trusted = Path(directory) / "authority.pem"
        authority.cert_pem.write_to_path(trusted)
        yield context, True if fault == "self-signed" else str(trusted)


# fmt: off
HANDSHAKES = (
    Hostile("tls-untrusted", "The certificate is signed by nobody the client trusts.", conforming,
        lost("untrusted"), scheme="https", certificate="self-signed"),
    Hostile("tls-expired", "The certificate expired yesterday.", conforming, lost("expired"),
        scheme="https", certificate="expired"),
    Hostile("tls-other-host", "The certificate is that of another host.", conforming,
        lost("other name"), scheme="https", certificate="other-host"),
    Hostile("tls-not-spoken", "Plain HTTP is spoken where the profile says https.", always(),
        lost("not tls"), scheme="https",
        greeting=lambda: (b"HTTP/1.1 400 Bad Request\r\n\r\n", Ending.CLOSE)),
    Hostile("tls-garbage", "Noise answers the handshake, without end.", always(), lost("not tls"),
        scheme="https", greeting=lambda: endless(bytes(range(256)) * 64)),
    Hostile("tls-silent", "Nothing answers the handshake.", always(), lost("timeout"), scheme="https",
        greeting=lambda: (Pause(60),), profile=IMPATIENT),
)
