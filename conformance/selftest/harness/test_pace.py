"""The pace is kept, patience is had when it is asked for, and a token is fetched once."""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pyrate_limiter.clocks
import pyrate_limiter.limiter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import keys
from conformance.checks.exchange import Response
from conformance.checks.reads.paths import agreement
from conformance.harness import clock as harness_clock
from conformance.harness.errors import DayBudgetError, TransportError
from conformance.harness.pace import retry_after_s
from conformance.harness.reads.repeats import both_segments_again
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.transport import Transport
from conformance.mutants.hostile.model import Answer, Asked
from conformance.mutants.hostile.sockets import Served
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value
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
from conformance.selftest.support.stepping import Answering

OAUTH2 = {"client_id": "me", "client_secret": "${SECRET}", "scope": "read"}


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def time(self) -> float:
        """The time in seconds."""
        return self.now

    def monotonic(self) -> float:
        """The time in seconds."""
        return self.now

    def monotonic_ns(self) -> int:
        """The same, in nanoseconds."""
        return int(self.now * 1e9)

    def sleep(self, seconds: float) -> None:
        """Lets time pass at once."""
        self.now += seconds
        self.slept.append(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for the pace, and for all else that a request waits for."""
    fake = Clock()
    monkeypatch.setattr(harness_clock, "time", fake)
    monkeypatch.setattr(pyrate_limiter.limiter, "sleep", fake.sleep)
    monkeypatch.setattr(pyrate_limiter.limiter, "monotonic", fake.monotonic)
    monkeypatch.setattr(pyrate_limiter.clocks, "monotonic_ns", fake.monotonic_ns)
    return fake


def after(retry_after: str | None, status: int = 429) -> Response:
    """A response with or without Retry-After."""
    return Response(status, (("Retry-After", retry_after),) if retry_after is not None else (), b"", 0)


SECONDS = {
    "0": 0,
    "7": 7,
    " 7 ": 7,
    "86400": 86_400,
    "²": 1,
    "-1": 1,
    "1.5": 1,
    "": 1,
    "soon": 1,
    "Wed, 21 Oct 2015 07:28:00 GMT": 0,
    "Wed, 21 Oct 2015 07:28:00 -0000": 0,
    "Wed, 21 Oct 99999999999999 07:28:00 GMT": 1,
    "Wed, 99 Oct 2015 07:28:00 GMT": 1,
    "1" * 400: float("inf"),
}


@pytest.mark.parametrize("text", SECONDS)
def test_retry_after_is_seconds_or_a_date(text: str) -> None:
    """A number, a date that is past, and every kind of nonsense."""
    assert retry_after_s(after(text)) == SECONDS[text]


@given(st.text(max_size=40) | st.dates().map(lambda day: day.strftime("%a, %d %b %Y 00:00:00 +2359")))
def test_any_retry_after_is_a_time(text: str) -> None:
    """Whatever stands in Retry-After, there is a number of seconds to wait, and none below zero."""
    assert retry_after_s(after(text)) >= 0


@pytest.mark.parametrize("zone", ["GMT", "-0000"])
def test_retry_after_may_be_a_date_to_come(zone: str) -> None:
    """A date in an hour is an hour from now, in universal time."""
    text = format_datetime(datetime.now(UTC) + timedelta(hours=1)).replace("+0000", zone)
    assert 3500 < retry_after_s(after(text)) <= 3600


PATIENT: dict[str, tuple[Answer, dict[str, Any], list[int], float]] = {
    "as long as it asks for": (in_turn(http(429, Retry_After="7"), http(200)), {}, [429, 200], 7),
    "while it is away": (in_turn(http(503, Retry_After="9"), http(200)), {}, [503, 200], 9),
    "a second": (in_turn(http(429), http(200)), {}, [429, 200], 1),
    "as often as may be": (always(http(429, Retry_After="7")), {"pace": {"max_retries": 2}}, [429] * 3, 14),
    "not for so long": (always(http(429, Retry_After="86400")), {}, [429], 0),
    "longer than an answer may take": (
        in_turn(http(429, Retry_After="9"), http(200)),
        {"http": {"timeout_s": 3}},
        [429, 200],
        9,
    ),
    "until the day ends": (always(http(429)), {"pace": {"per_day": 1}}, [429], 0),
}
"""The answers of a target, what is declared, what comes of a request, and how long it waits in between."""


@pytest.mark.parametrize("name", PATIENT)
def test_throttled_request_is_made_again(name: str, clock: Clock) -> None:
    """After the pause that was asked for comes the next attempt, until patience has an end; all are kept."""
    answer, tables, statuses, paused_s = PATIENT[name]
    assert outcomes_of(attempts_at(answer, **tables)) == [(status, b"") for status in statuses]
    assert sum(clock.slept) == pytest.approx(paused_s)


def test_no_minute_holds_more_requests_than_declared(clock: Clock) -> None:
    """Whichever minute one looks at, redirects and retries included, no more requests were made in it."""
    times: list[float] = []

    def answer(_asked: Asked) -> list[bytes]:
        times.append(clock.now)
        return [http(302, Location="/x") if len(times) % 3 else http(429, Retry_After="1")]

    attempts_at(answer, times=3, pace={"per_minute": 5}, http={"follow_redirects": True})
    assert len(times) > 15
    assert max(sum(start <= moment < start + 60 for moment in times) for start in times) == 5


GRANTED = http(200, b'{"access_token": "granted-token", "expires_in": 100}')


@contextmanager
def issued(answer: Answer, /, **tables: Mapping[str, object]) -> Generator[tuple[Transport, Served, Served]]:
    """A transport that needs a token, the issuer that answers so, and the target."""
    with raw_server(answer) as issuer, raw_server(always(http(200, b"granted-token"))) as raw:
        oauth2 = {"token_url": f"{issuer.base_url}/token", **OAUTH2}
        auth = {"oauth2": oauth2, "headers": {"X-Key": "${TOKEN}"}}
        with transport_of(profile_at(raw.base_url, auth=auth, **tables)) as transport:
            yield transport, issuer, raw


def test_request_for_a_token_is_one_of_the_day() -> None:
    """Where a day has one request, the token is all that is asked for."""
    budget = issued(always(GRANTED), pace={"per_day": 1})
    with budget as (transport, issuer, raw), pytest.raises(DayBudgetError):
        transport.send(Wanted("/x"))
    assert (len(issuer.requests), raw.requests) == (1, [])


def test_stream_is_one_request_of_the_day() -> None:
    """Where a day has one request, nothing is asked after a stream was opened."""
    made: list[Sent] = []
    with (
        raw_server(always(http(200))) as raw,
        transport_of(profile_at(raw.base_url, pace={"per_day": 1})) as transport,
        transport.listening(Wanted("/events"), made),
        pytest.raises(DayBudgetError),
    ):
        transport.send(Wanted("/x"))
    assert [one.path for one in raw.requests] == ["/events"]
    assert outcomes_of(made) == [(200, b"")]


def test_request_for_a_token_is_kept_without_what_is_secret() -> None:
    """The form is kept in the profile's words; of the answer only plain members and headers are."""
    members = {"access_token": "granted-token", "refresh_token": "another secret", "x": "granted-token"}
    body = json.dumps({**members, "scope": "read", "expires_in": 60}).encode()
    answer = http(200, body, Set_Cookie="granted-token", Content_Type="application/json")
    with issued(always(answer)) as (transport, issuer, _):
        transport.send(Wanted("/x"))
    kept = transport.granted.get_nowait()
    form = "grant_type=client_credentials&scope=read&client_id=me&client_secret=${SECRET}"
    assert (kept.request.body, "open sesame" in str(issuer.requests[0])) == (form, False)
    assert kept.response
    plain = {"access_token": "${ACCESS_TOKEN}", "expires_in": 60, "scope": "read"}
    assert json.loads(kept.response.body) == plain
    assert kept.response.headers == (("content-type", "application/json"),)


REFUSED_TOKENS = {
    "refused": http(401, b'{"error": "invalid_client", "client_secret": "very secret"}'),
    "no JSON": http(200, b"<html>"),
    "no token": http(200, b"{}"),
    "a list": http(200, b"[]"),
    "a life that is no number": http(200, b'{"access_token": "granted-token", "expires_in": "soon"}'),
    "a life without end": http(200, b'{"access_token": "granted-token", "expires_in": 1' + b"0" * 400 + b"}"),
    "an infinite life": http(200, b'{"access_token": "granted-token", "expires_in": Infinity}'),
    "half a character": http(
        200, b'{"access_token": "granted-token", "refresh_token": "very secret\\ud800"}'
    ),
    "a token that fits no header": http(200, b'{"access_token": "granted\\r\\nX: \\u00e4"}'),
    "garbage": b"garbage\r\n\r\n",
}


@pytest.mark.parametrize("name", REFUSED_TOKENS)
def test_refused_token_is_the_operators_matter(name: str) -> None:
    """Without a token nothing is sent to the target; error and record of the request hold no secret."""
    refused = pytest.raises(TransportError, match=r"auth\.oauth2\.token_url")
    with issued(always(REFUSED_TOKENS[name])) as (transport, _, raw), refused as error:
        transport.send(Wanted("/x"))
    kept = transport.granted.get_nowait()
    assert (raw.requests, transport.granted.empty()) == ([], True)
    assert (kept.response is None) == (kept.failure is not None)
    assert not re.search(r"granted|very.secret", f"{error.value} {kept}")


# What is asked again.
BATTERY = "Vendor.Common.Status.BatteryLevel"
AT_ODDS = (
    value(keys.POWER_STATE, keys.ON),
    value(keys.OPERATION_STATE, keys.INACTIVE),
    value(BATTERY, 20, segment="status"),
    value(BATTERY, 90, segment="settings"),
)
SPACES: dict[str, tuple[str, dict[str, Any], float]] = {
    "loopback": ("127.0.0.1", {}, 0.2),
    "elsewhere": ("hub.example", {}, 5),
    "declared": ("127.0.0.1", {"retry_s": 3}, 3),
}


@pytest.mark.parametrize("name", SPACES)
def test_findings_are_spaced_as_the_profile_says(name: str) -> None:
    """Whatever looks twice waits `retry_s` in between: 0.2 s on loopback, 5 elsewhere."""
    host, declared, wanted = SPACES[name]
    timing = {"power_settle_s": 0.01, "poll_s": 0.01, **declared}
    seen = seen_of(profile_of(target={"name": "x", "base_url": f"http://{host}"}, timing=timing), *AT_ODDS)
    lane = Answering(seen)
    lane.take(both_segments_again(seen, agreement(BATTERY)))
    assert max(lane.pauses) == wanted
