"""The pace is kept, patience is had when asked for, and the requests of a day are counted for all runs."""

import json
import os
import signal
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pyrate_limiter.clocks
import pyrate_limiter.limiter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.checks.exchange import Response
from conformance.harness import clock as harness_clock
from conformance.harness import day_budget
from conformance.harness.day_budget import DayBudget
from conformance.harness.errors import DayBudgetError, RefusedError
from conformance.harness.pace import retry_after_s
from conformance.harness.wire.messages import Sent, Wanted
from conformance.mutants.hostile.model import Answer, Asked
from conformance.profiles.days import Days
from conformance.profiles.fleet.sharding import Part, sharded
from conformance.profiles.model import Profile
from conformance.selftest.support.raw_server import (
    always,
    attempts_at,
    http,
    in_turn,
    outcomes_of,
    profile_at,
    raw_server,
    transport_of,
)

NOON = datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp()


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = NOON
        self.slept: list[float] = []

    def time(self) -> float:
        """The time in seconds."""
        return self.now

    monotonic = time

    def monotonic_ns(self) -> int:
        """The same, in nanoseconds."""
        return int(self.now * 1e9)

    def sleep(self, seconds: float) -> None:
        """Lets time pass at once."""
        self.now += seconds
        self.slept.append(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for the pace, for the day, and for all else that a request waits for."""
    fake = Clock()
    monkeypatch.setattr(day_budget, "time", fake)
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


# The requests of a day are counted before they are sent, and some are set aside.
def of_a_day(per_day: int = 10, ovens: int = 1) -> Profile:
    """A profile of some ovens that are elsewhere."""
    appliances = [{"ha_id": f"oven-{number}", "kind": "Oven"} for number in range(ovens)]
    pace = {"per_day": per_day, "day_starts": "00:00 UTC"}
    return profile_at("https://hub.example", pace=pace, appliance=appliances)


def spend(budget: DayBudget, most: int = 1_000, aside: int = 0) -> int:
    """How many requests a budget lets pass."""
    for number in range(most):
        try:
            budget.take(aside=aside)
        except DayBudgetError:
            return number
    return most


def test_runs_share_the_requests_of_a_day(tmp_path: Path, clock: Clock) -> None:
    """What one run has sent, ended or not, the next one cannot send any more, until the next day."""
    place = tmp_path / "state" / "hub.json"
    assert spend(DayBudget(of_a_day(), place), 4) == 4
    second = DayBudget(of_a_day(), place)
    assert (second.left, second.in_words) == (6, "6 of the 10 requests of today are left (pace.per_day)")
    assert (spend(second), second.left) == (6, 0)
    told = "the 10 requests of a day are used up (pace.per_day); more at 00:00 UTC"
    assert (second.over, DayBudget(of_a_day(), place).in_words) == (told, told)
    clock.now += 12 * 3600
    assert (spend(second), place.stat().st_mode & 0o777) == (10, 0o600)


def test_targets_do_not_share(tmp_path: Path, clock: Clock) -> None:
    """Each has a file of its own; without one, a run counts for itself."""
    del clock
    assert spend(DayBudget(of_a_day(), tmp_path / "one.json")) == 10
    assert spend(DayBudget(of_a_day(), tmp_path / "two.json")) == 10
    assert [spend(DayBudget(of_a_day())) for _ in range(2)] == [10, 10]
    (tmp_path / "a file").touch()
    alone = DayBudget(of_a_day(), tmp_path / "a file" / "no.json")
    assert (spend(alone), alone.uncounted) == (10, f"{tmp_path}/a file: File exists")


def test_what_is_owed_is_sent_and_counted(tmp_path: Path, clock: Clock) -> None:
    """Putting back needs no leave, also where the file is broken; it leaves less for others."""
    del clock
    place = tmp_path / "hub.json"
    budget = DayBudget(of_a_day(), place)
    spend(budget)
    budget.take(owed=True)
    assert json.loads(place.read_bytes())["sent"] == {"": 11}
    place.write_text("garbage", encoding="utf-8")
    budget.take(owed=True)
    with pytest.raises(DayBudgetError, match="delete it"):
        budget.take()
    with pytest.raises(RefusedError, match="delete it"):
        assert DayBudget(of_a_day(), place).left


def test_requests_to_put_back_are_set_aside(tmp_path: Path, clock: Clock) -> None:
    """No run takes them, of whoever they are, until everything is back."""
    del clock
    place = tmp_path / "hub.json"
    writing, beside = DayBudget(of_a_day(), place), DayBudget(of_a_day(), place)
    writing.take(aside=5)
    assert (spend(beside, 3), beside.left, spend(writing, aside=5)) == (3, 1, 1)
    writing.end()
    assert spend(beside) == 5


def test_shards_spend_their_share(tmp_path: Path, clock: Clock) -> None:
    """Those of one machine together no more than a day has; those of several, each its part."""
    del clock
    place, whole = tmp_path / "hub.json", of_a_day(ovens=2)
    first, second = (sharded(whole, Part(number, 2), "read") for number in (1, 2))
    assert (spend(DayBudget(first, place)), DayBudget(first, place).left) == (5, 0)
    assert spend(DayBudget(whole, place), 2) == 2
    assert (spend(DayBudget(second, place)), DayBudget(whole, place).left) == (3, 0)


STARTS = {
    "00:00 UTC": ("2026-11-26", 12.0),
    "13:00 UTC": ("2026-11-25", 1.0),
    "00:00 +14:00": ("2026-11-27", 22.0),
    "00:00 -05:00": ("2026-11-26", 17.0),
    "06:30 Europe/Berlin": ("2026-11-26", 17.5),
}


@pytest.mark.parametrize("text", STARTS)
def test_day_begins_where_the_target_is(text: str) -> None:
    """At noon in universal time, it is another day here and there."""
    days = Days.of(text)
    assert (days.day_of(NOON), (days.next_after(NOON).timestamp() - NOON) / 3600) == STARTS[text]


@pytest.mark.parametrize("text", ["", "0:00 UTC", "24:00 UTC", "00:00", "00:00 Nowhere/City", "00:00 ../x"])
def test_other_words_begin_no_day(text: str) -> None:
    """They are mistakes of the profile."""
    with pytest.raises(ValueError, match=r"such as '00:00 UTC'|that this machine knows"):
        Days.of(text)


def test_target_may_end_the_day(tmp_path: Path, clock: Clock) -> None:
    """After three requests that were put off for hours, none is sent, by no run, before they are over."""
    with raw_server(always(http(429, Retry_After="30000"))) as raw:
        profile = profile_at(raw.base_url, pace={"per_day": 100})
        for asked in (3, 0):
            with transport_of(profile) as transport:
                transport.pace.day = DayBudget(profile, tmp_path / "raw.json")
                for _ in range(asked):
                    transport.send(Wanted("/x"))
                with pytest.raises(DayBudgetError, match=r"429 with Retry-After.*more at 00:00 UTC"):
                    transport.send(Wanted("/x"))
    assert (len(raw.requests), DayBudget(profile, tmp_path / "raw.json").left) == (3, 0)
    clock.now += 30_001
    assert DayBudget(profile, tmp_path / "raw.json").left == 97


def test_clock_that_is_set_back_opens_the_day(tmp_path: Path, clock: Clock) -> None:
    """A target that ended the day while the clock was years ahead does not end it for years."""
    budget = DayBudget(of_a_day(), tmp_path / "hub.json")
    clock.now += 365 * 86_400
    budget.close(10 * 86_400)
    assert (budget.left, spend(budget)) == (0, 0)
    clock.now = NOON
    assert (budget.left, spend(budget), budget.left) == (10, 10, 0)


def test_processes_count_together(tmp_path: Path) -> None:
    """Four of them, one of which is killed meanwhile, send as many as a day has, all together."""
    place, sent = tmp_path / "hub.json", tmp_path / "sent"
    processes: list[int] = []
    for _ in range(4):
        process = os.fork()
        if not process:
            budget = DayBudget(of_a_day(400), place)
            with sent.open("ab", buffering=0) as file:
                while spend(budget, 1):
                    file.write(b".")
            os._exit(0)
        processes.append(process)
    while not sent.exists() or sent.stat().st_size < 50:
        time.sleep(0.001)
    os.kill(processes[0], signal.SIGKILL)
    for process in processes:
        os.waitpid(process, 0)
    # the one that was killed may have counted one that it did not send, never the other way round
    assert 399 <= sent.stat().st_size <= 400
    assert json.loads(place.read_bytes())["sent"] == {"": 400}
