"""What a target sends is read and kept within bounds, which are no fault of the target."""

import gzip
import hashlib
import tomllib
import zlib
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import get_args

import httpx
import pytest
from msgspec.structs import replace

import conformance.profiles
from conformance.checks.exchange import Cut, Response
from conformance.harness.ledger import read_ledger
from conformance.harness.wire.bodies import BodyReader
from conformance.harness.wire.listening import events
from conformance.harness.wire.messages import Wanted
from conformance.harness.wire.recording import Recorder, Room
from conformance.harness.wire.redaction import Redactor
from conformance.mutants.hostile.model import Answer
from conformance.profiles.sections import LimitName, Limits
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    exchange,
    judged,
    profile_of,
    seen_of,
    value,
)
from conformance.selftest.support.samples.ledgers import written
from conformance.selftest.support.servers.raw_server import (
    always,
    attempts_at,
    http,
    in_turn,
    profile_at,
    raw_server,
    transport_of,
)

OK = b"HTTP/1.1 200 OK\r\n"
ZEROS = gzip.compress(b"0" * 500_000)
BOMB = gzip.compress(b"0" * 100_000_000, compresslevel=1)
TEMPLATE = Path(conformance.profiles.__file__).with_name("template.toml")
KEY = "Vendor.Common.Setting.ChildLock"
MOST = Limits().body_bytes

OVER: dict[str, tuple[Answer, LimitName, int]] = {
    "ten megabytes": (always(http(200, b"x" * 10_000_000)), "body_bytes", MOST + 1),
    "many zeros": (always(http(200, ZEROS, Content_Encoding="gzip")), "inflation", 500_000),
}


def only(answer: Answer, **limits: int) -> Response:
    """The response to one request."""
    (attempt,) = attempts_at(answer, http={"timeout_s": 3, "limits": limits})
    assert attempt.response
    return attempt.response


@pytest.mark.parametrize("name", OVER)
def test_answer_over_a_bound_is_cut(name: str) -> None:
    """Its beginning is kept, with the length and the hash of what was read of its body, and the bound."""
    answer, limit, length = OVER[name]
    response = only(answer)
    assert response.cut
    assert (response.status, response.cut.limit, response.cut.length) == (200, limit, length)


def test_hash_is_of_what_was_read() -> None:
    """So that whoever has the body can show that this was it, as far as it was read."""
    body = b"abc" * 1_000
    cut = only(always(http(200, body)), body_bytes=1_024).cut
    assert cut == Cut(1_025, hashlib.sha256(body[:1_025]).hexdigest(), "body_bytes")


def test_bound_is_raised_by_the_profile() -> None:
    """Where a target needs more, its profile says so."""
    limits = {"body_bytes": 1 << 21, "inflation": 2_000, "kept_bytes": 1 << 23}
    assert only(always(http(200, ZEROS, Content_Encoding="gzip")), **limits).body == b"0" * 500_000


def test_nothing_is_inflated_beyond_the_bound() -> None:
    """A bomb gives the bound and one byte, however much is in it, and however it is cut into packets."""
    for size in (100, len(BOMB)):
        pieces = (BOMB[at : at + size] for at in range(0, len(BOMB), size))
        response = httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=_together(pieces))
        assert sum(map(len, BodyReader(response, 1_000, 2_000).pieces())) == 1_001


def _together(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A body, which httpx takes for a stream only as a generator."""
    yield from pieces


PLAIN: dict[str, tuple[bytes, bytes]] = {
    "gzip": (http(200, gzip.compress(b"a"), Content_Encoding="gzip"), b"a"),
    "deflate": (http(200, zlib.compress(b"a"), Content_Encoding="deflate"), b"a"),
    "deflate without a header": (http(200, zlib.compress(b"a", wbits=-15), Content_Encoding="deflate"), b"a"),
    "a word that is no coding": (http(200, b"a", Content_Encoding="utf-8"), b"a"),
    "gzip of nothing": (http(200, b"", Content_Encoding="gzip"), b""),
}


@pytest.mark.parametrize("name", PLAIN)
def test_one_coding_is_undone(name: str) -> None:
    """A body in a coding that requests accept is read, and one in none whatever it is called."""
    answer, body = PLAIN[name]
    response = only(always(answer))
    assert (response.body, response.complete, response.cut) == (body, True, None)


def test_long_answers_are_kept_as_long_as_there_is_room() -> None:
    """Their room in the ledger is limited for a run as a whole; short answers are always kept."""
    answers = in_turn(http(200, b"a" * 3_000), http(200, b"b" * 3_000), http(200, b"c"))
    attempts = attempts_at(answers, times=3, http={"limits": {"kept_bytes": 5_000}})
    responses = [one.response for one in attempts if one.response]
    assert [len(response.body) for response in responses] == [3_000, 512, 1]
    assert [response.cut and response.cut.limit for response in responses] == [None, "kept_bytes", None]


def test_every_answer_of_a_large_run_is_kept() -> None:
    """At its default the bound holds what twelve appliances answer at level power in bodies of 3 kB: 7,800
    answers, or 1,600 from one that has much to write.
    """
    for appliances, answers in ((12, 7_800), (1, 1_600)):
        profile = profile_of()
        fleet = profile.model_copy(update={"appliance": profile.appliance * appliances})
        recorder = Recorder(fleet, Redactor({}))
        response = Response(200, (), b'{"data": {"key": "a"}}' + b" " * 3_000, 1.0)
        assert all(recorder.response(response).cut is None for _ in range(answers))


def test_what_decides_has_room_of_its_own() -> None:
    """However many long answers came before, a finding can be confirmed and a write be read back."""
    profile = profile_at("http://127.0.0.1:1", http={"limits": {"kept_bytes": 5_000}})
    recorder, response = Recorder(profile, Redactor({})), Response(200, (), b"a" * 3_000, 1.0)
    is_kept = [recorder.response(response, room).cut is None for room in get_args(Room) for _ in range(2)]
    assert is_kept == [True, False] * 3


def test_long_message_is_cut() -> None:
    """A finding that quotes a megabyte of a body does not fill every report with it."""
    seen = seen_of(profile_of(), value(ANCHOR, 5))
    found = judged(lambda _case, _seen: "x" * 1_000_000, "READ-SETTING", ANCHOR, seen)
    assert found.message == f"{'x' * 10_000}..."


def test_ledger_holds_what_was_cut(tmp_path: Path) -> None:
    """Whoever judges a saved ledger again sees what the run saw."""
    response = only(always(http(200, b"x" * 2_000, Content_Type="application/json")), body_bytes=1_024)
    kept = replace(exchange(KEY), n=1, response=response)
    path = written(tmp_path / "ledger", [kept])
    assert read_ledger(path).exchanges == [kept]
    assert b'"body_cut":true' in path.read_bytes()


EVENT = b"data: x\n\n"
STREAM = {"Content-Type": "text/event-stream"}
STREAMS: dict[str, tuple[dict[str, str], Iterable[bytes], int]] = {
    "events without end": (STREAM, repeat(EVENT), 1_000),
    "a bomb": ({**STREAM, "Content-Encoding": "gzip"}, [BOMB], 0),
    "no stream": ({"Content-Type": "text/plain"}, [EVENT], 0),
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


def test_template_shows_the_defaults() -> None:
    """What template.toml documents is what holds where nothing is declared."""
    template = tomllib.loads(TEMPLATE.read_text(encoding="utf-8"))
    assert template["http"]["limits"] == Limits().model_dump()
