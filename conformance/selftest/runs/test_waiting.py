"""A run waits for a target that is still away when it begins."""

import math
import time
from pathlib import Path

import pytest

from conformance.cases import CATALOG
from conformance.harness.ledger import Ledger, read_ledger
from conformance.harness.observing import Observations
from conformance.harness.planning import Plan
from conformance.harness.reads import waiting
from conformance.harness.scheduler import Scheduler
from conformance.mutants.fleets import MACHINE
from conformance.mutants.hostile.model import Answer
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.commanding import listening, run, write_profile
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.samples.ledgers import HEADER
from conformance.selftest.support.servers.raw_server import (
    always,
    http,
    in_turn,
    profile_at,
    raw_server,
    transport_of,
)

ANSWERED = http(200, b'{"data": {"value": true}}')
KEY = "Vendor.Common.Setting.ChildLock"


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """The time in seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Lets time pass at once."""
        self.now += seconds


def waited(answer: Answer, directory: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[float, list[str]]:
    """How long a target that answers so is waited for at most a minute, and the purposes of the requests."""
    clock = Clock()
    monkeypatch.setattr(waiting, "time", clock)
    path = directory / "evidence.ndjson"
    with raw_server(answer) as raw:
        profile = profile_at(raw.base_url, pace={"max_retries": 0})
        seen = Observations(profile, CATALOG)
        plan = Plan(profile, CATALOG, ((profile.appliance[0].ha_id, "settings", KEY),))
        with (
            transport_of(profile) as transport,
            Ledger(path, HEADER) as ledger,
            Scheduler(transport, ledger, seen) as scheduler,
        ):
            waiting.wait_for_target(plan, seen, scheduler, 60, "seed")
    return clock.now, [exchange.purpose for exchange in read_ledger(path).exchanges]


def test_target_that_answers_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One request is enough."""
    assert waited(always(ANSWERED), tmp_path, monkeypatch) == (0.0, ["wait"])


@pytest.mark.parametrize("away", [http(503), http(502), b""], ids=["unavailable", "gateway", "nothing"])
def test_target_that_comes_is_judged(away: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked again, more and more seldom, until it answers; each request is kept."""
    seconds, purposes = waited(in_turn(*[away] * 6, ANSWERED), tmp_path, monkeypatch)
    assert 0 < seconds < 60
    assert purposes == ["wait"] * 7


INGRESS = http(404, b"404 page not found", Content_Type="text/plain")


@pytest.mark.parametrize("away", [INGRESS, http(200, b"[]")], ids=["ingress", "empty"])
def test_what_stands_before_a_target_is_waited_out(
    away: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that a haId gets as well that does not exist is none of the target: a value is waited for."""
    seconds, purposes = waited(in_turn(*[away] * 6, ANSWERED), tmp_path, monkeypatch)
    assert 0 < seconds < 60
    assert purposes == ["wait"] * 7


def test_refusal_of_the_target_is_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An appliance that is off answers otherwise than one that does not exist: nobody waits for a value."""
    offline = http(409, b'{"error": "offline"}', Content_Type="application/json")
    assert waited(in_turn(offline, INGRESS), tmp_path, monkeypatch) == (0.0, ["wait", "wait"])


class StartsLate(Service):
    """Answers an empty list, whatever it is asked, for some seconds after the first request."""

    began, late_s = 0.0, 0.3

    def answer(self, request: Incoming) -> Reply:
        """The answer of the service once it has started."""
        now = time.monotonic()
        self.began = self.began or now
        return super().answer(request) if now > self.began + self.late_s else Reply(200, b"[]")


def test_target_that_starts_late_is_judged(tmp_path: Path) -> None:
    """Where a target that is said to be online answers all alike at first, it is looked at for the settle
    time, and what it shows then is judged; if it shows nothing, that is a finding.
    """
    for late_s, settle_s, verdict in ((0.3, 2, "pass"), (math.inf, 0.02, "fail")):
        service = type("Late", (StartsLate,), {"fleet": (MACHINE,), "late_s": late_s})
        timing = {"settle_s": settle_s, "retry_s": 0, "poll_s": 0.01}
        ran = run_of(service(), tmp_path / verdict, "read", {"timing": timing})
        assert ran.said("ADDR-BASE")[0] == verdict
        assert (ran.red() == set()) is (verdict == "pass")


def test_wait_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time that was given the run goes on, and says what it finds."""
    seconds, _ = waited(always(http(503)), tmp_path, monkeypatch)
    assert seconds == pytest.approx(60)


def test_run_begins_when_the_target_is_there(tmp_path: Path) -> None:
    """No case rests on what was asked while waiting."""
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url)
        ran = run(tmp_path, str(profile), "--wait-for-target", "5")
    waits = [line["n"] for line in ran.evidence if line["purpose"] == "wait"]
    assert waits == [1]
    assert not [case for case in ran.results["cases"] if set(waits) & set(case["evidence"])]


def test_nothing_is_judged_where_nobody_listens(tmp_path: Path) -> None:
    """Nothing passes and nothing fails, and what is open says that the connection was refused."""
    with serve({"": Service()}) as base_url:
        pass
    said = run_of(Service(), tmp_path, "read", base_url=base_url).verdicts.values()
    assert {verdict for verdict, _ in said} <= {"inconclusive", "not_applicable", "observed"}
    assert any("refused" in message for verdict, message in said if verdict == "inconclusive")
