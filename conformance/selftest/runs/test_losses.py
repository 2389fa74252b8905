"""A target that goes away in the middle is not judged from then on, and the run says since when; one that is
still away is waited for.
"""

from pathlib import Path

import pytest

from catalog import keys
from catalog.model import Level
from conformance.harness.ledger import Ledger, read_ledger
from conformance.harness.observing import Observations
from conformance.harness.planning import Plan
from conformance.harness.reads.shared_reads import wait_for_target
from conformance.harness.scheduler import Scheduler
from conformance.harness.wire.network import SOCKETS
from conformance.mutants import fleets
from conformance.mutants.hostile.model import Answer
from conformance.mutants.shapes.reads import holds, meets
from conformance.mutants.shapes.requests import Leaving
from conformance.proof.own_time import OwnTime
from conformance.records.ledger_lines import remark_of
from conformance.records.results import Results
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, INVALID_TOKEN, Incoming, Refusal, Reply
from conformance.runs.observed_run import observed
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import STILL, session_of
from conformance.selftest.support.ledgers import HEADER
from conformance.selftest.support.raw_server import (
    always,
    http,
    in_turn,
    listening,
    profile_at,
    raw_server,
    transport_of,
    write_profile,
)
from conformance.selftest.support.recording import served_by
from reports.phrases import lead
from reports.results.build import exit_code
from reports.results.headline import headline

OFFLINE = Refusal(409, "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "Offline")
BROKEN = Refusal(503, "503", "Service unavailable")
LOCK_ONLY = fleets.MACHINE.only(keys.CHILD_LOCK)
MACHINE_OFF = fleets.MACHINE.having({keys.POWER_STATE: keys.OFF})
HOOD = "hood-1"
FEW = tuple(one for one in Service.fleet if one.ha_id in {"fridge-2", HOOD, "oven-1"})
"""Some of the reference's appliances: 430 requests for all that is read and generated."""


def leaving(**attributes: object) -> Leaving:
    """A service that refuses everything from one request on, with its attributes."""
    return type("Leaves", (Leaving,), {"after": 60, "says": OFFLINE, **attributes})()


def off(*others: ApplianceSpec) -> Service:
    """A machine that is off, and then shows nothing but that; beside other appliances."""
    hidden = meets(
        lambda appliance, key: appliance.ha_id == MACHINE_OFF.ha_id and key != keys.POWER_STATE, INVALID_STATE
    )
    return served_by(hidden, fleet=(MACHINE_OFF, *others))()


def results_of(
    service: Service, out: Path, level: Level = "read", *, still: bool = False, **tables: object
) -> Results:
    """The results of a run."""
    with session_of(service, out, level, tables, still=still) as session:
        return judged_in(session)


ACCESS = "access was refused from request {:,} on (401, since "
TALKATIVE = holds(lambda _, members: {**members, "history": "x" * 3_000})


def test_bound_that_is_spent_is_named(tmp_path: Path) -> None:
    """A run that may keep no more answers ends with 3, and the headline names the field, not the target."""
    service = served_by(TALKATIVE, fleet=fleets.MACHINE)()
    results = results_of(service, tmp_path, http={"limits": {"kept_bytes": 20_000}})
    assert (exit_code(results), "http.limits.kept_bytes" in headline(results)) == (3, True)
    assert results.run.requests.errors == 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What is found where nothing goes away."""
    return results_of(served_by(fleet=FEW)(), tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize(
    ("after", "refusal", "said"),
    [
        (10, INVALID_TOKEN, ACCESS),
        (200, INVALID_TOKEN, ACCESS),
        (20, OFFLINE, "UTC the target answers 409 (refused)"),
        (60, OFFLINE, "UTC the target answers 409 (refused)"),
        (150, OFFLINE, "UTC the target answers 409 (refused)"),
        (60, BROKEN, "UTC the target answers 503 (server error)"),
    ],
)
def test_lost_target_is_said_and_not_judged(
    whole: Results, tmp_path: Path, after: int, refusal: Refusal, said: str
) -> None:
    """The run ends with 3, says since which request, asks little more, and nothing unseen is decided."""
    service = leaving(after=after, says=refusal, fleet=FEW)
    results = results_of(service, tmp_path)
    (loss,) = results.run.lost
    assert (exit_code(results), loss.request) == (3, after + 1)
    assert said.format(after + 1) in headline(results)
    assert service.asked - after < (500 if refusal is OFFLINE else 60)
    decided = {
        case.id: case.verdict for case in results.cases if case.verdict not in {"inconclusive", "observed"}
    }
    assert decided.items() <= {case.id: case.verdict for case in whole.cases}.items()
    assert {loss.words} >= {case.message for case in results.of("inconclusive")}


@pytest.mark.parametrize(("after", "refusal"), [(300, INVALID_TOKEN), (90, OFFLINE), (300, BROKEN)])
def test_lost_target_is_hardly_asked_any_more(tmp_path: Path, after: int, refusal: Refusal) -> None:
    """One request at a time, a few tell, also where the appliance that is asked had not answered before."""
    service = leaving(after=after, says=refusal, fleet=FEW)
    remote = {"concurrency": 1, "generated_reads": 60, "max_refusals_in_a_row": 8}
    results = results_of(service, tmp_path, pace=remote)
    (loss,) = results.run.lost
    assert (loss.request, exit_code(results), results.of("fail")) == (after + 1, 3, [])
    assert service.asked - after < 60


@pytest.mark.parametrize("after", [5, 80])
def test_lost_appliance_does_not_end_the_run(whole: Results, tmp_path: Path, after: int) -> None:
    """The other appliances are judged as ever; the one that is away is named with the time and its answer.

    A run that is judged again from its ledger loses the same.
    """
    results = results_of(leaving(after=after, on=HOOD, fleet=FEW), tmp_path)
    assert headline(results).startswith("Inconclusive: since ")
    assert headline(results).endswith("UTC hood-1 answers 409 (refused)")
    own = {case.id: case.verdict for case in results.cases if HOOD not in case.ha_id}
    assert own == {case.id: case.verdict for case in whole.cases if HOOD not in case.ha_id}
    decided = {case.id for case in results.cases if case.verdict not in {"inconclusive", "observed"}}
    unlike = [
        case for case in whole.cases if case.id in decided and results.by_id[case.id].verdict != case.verdict
    ]
    assert unlike == []
    again = judged_in(observed(SavedRun(tmp_path / "evidence.ndjson")))
    assert (again.run.lost, again.cases) == (results.run.lost, results.cases)


def test_lost_appliance_that_says_so_is_offline(tmp_path: Path) -> None:
    """An answer that is declared to mean so is told as the word."""
    declared = {"unreachable": [{"status": 409, "pointer": "/error/key", "equals": OFFLINE.key}]}
    results = results_of(leaving(after=45, on=HOOD, fleet=FEW), tmp_path, http=declared)
    assert headline(results).startswith("Inconclusive: hood-1 was offline from ")


def test_what_was_not_seen_again_does_not_pass(tmp_path: Path) -> None:
    """Nothing moved, and nothing unknown was served, only where the last requests were answered."""
    service = leaving(after=60, fleet=(LOCK_ONLY,))
    results = results_of(service, tmp_path)
    unseen = [
        results.by_id[f"{clause}::~generated@{LOCK_ONLY.ha_id}"]
        for clause in ("READ-SAFE", "ADDR-UNKNOWNKEY")
    ]
    assert [case.verdict for case in unseen] == ["inconclusive", "inconclusive"]
    assert all(f"{LOCK_ONLY.ha_id} answers 409 (refused)" in case.message for case in unseen)


def test_short_absence_is_no_loss(tmp_path: Path) -> None:
    """What answers again is judged."""
    results = results_of(leaving(after=300, says=INVALID_TOKEN, back_after=5, fleet=FEW), tmp_path)
    assert (results.run.lost, results.of("fail")) == ((), [])


class Restarting(Service):
    """Where a hood is switched off, it errs until another was asked thirty times; on, for thirty requests."""

    fleet = tuple(one for one in FEW if one.ha_id in {"fridge-2", HOOD})
    left = 0
    restarts = 0

    def answer(self, request: Incoming) -> Reply:
        """An error while it restarts."""
        if self.left:
            self.left -= self.restarts > 1 or HOOD not in request.path
            return self.refuse(BROKEN)
        if request.method == "PUT" and HOOD in request.path and keys.POWER_STATE in request.path:
            self.restarts += 1
            self.left = 30 if self.restarts <= 2 else 0
        return super().answer(request)


def test_restart_within_the_settle_time_of_a_power_state_is_no_loss(tmp_path: Path) -> None:
    """What the run switches off may take others with it for as long as a power state may take."""
    timing = {"retry_s": 0.1, "settle_s": 0.05, "power_settle_s": 120, "poll_s": 1}
    service = Restarting()
    pace = {**STILL, "concurrency": 4}
    results = results_of(service, tmp_path, "power", timing=timing, pace=pace)
    assert (service.left, results.run.lost, results.of("fail")) == (0, (), [])


def test_lost_access_ends_the_writing(tmp_path: Path) -> None:
    """What needs writes is inconclusive, what was read before is judged, and nothing is convicted."""
    service = leaving(after=500, says=INVALID_TOKEN, fleet=FEW)
    results = results_of(service, tmp_path, "write", still=True)
    assert (results.of("fail"), exit_code(results) in {3, 5}) == ([], True)
    assert results.run.requests.writes
    assert "access was refused from request 50" in headline(results)


def test_note_of_a_loss_has_its_members() -> None:
    """A ledger that another tool has written wrongly is refused like any other line."""
    line = {"n": 1, "purpose": "lost", "groups": ["pace"], "lane": HOOD, "ha_id": HOOD, "key": "*"}
    line["at"] = "2026-01-01T00:00:00.000+00:00"
    with pytest.raises(ValueError, match="since"):
        remark_of({**line, "note": {"answer": "409 (refused)"}})


def test_appliance_that_is_off_is_not_judged(tmp_path: Path) -> None:
    """Where an appliance shows nothing but that it is off, that is what the run says, and no more."""
    said = f"Nothing could be judged of {MACHINE_OFF.ha_id} (it was off)"
    results = results_of(off(), tmp_path / "alone")
    assert (headline(results), exit_code(results)) == (said, 3)
    beside = results_of(off(fleets.TIMED_OVEN), tmp_path / "beside")
    assert (exit_code(beside), f"{said}." in lead(beside)) == (0, True)


# A target that is still away is waited for.
ANSWERED = http(200, b'{"data": {"value": true}}')


def wait_for(answer: Answer, directory: Path) -> tuple[float, list[str]]:
    """How long a target that answers so is waited for at most a minute, and the purposes of the requests."""
    clock = OwnTime()
    path = directory / "evidence.ndjson"
    with raw_server(answer) as raw:
        profile = profile_at(raw.base_url, pace={"max_retries": 0})
        seen = Observations(profile)
        plan = Plan(profile, ((profile.appliance[0].ha_id, "settings", keys.CHILD_LOCK),))
        with (
            transport_of(profile) as transport,
            Ledger(path, HEADER) as ledger,
            Scheduler(transport, ledger, seen, network=SOCKETS._replace(clock=clock)) as scheduler,
        ):
            wait_for_target(plan, scheduler, 60, "seed")
    return clock.now(), [exchange.purpose for exchange in read_ledger(path).exchanges]


INGRESS = http(404, b"404 page not found", Content_Type="text/plain")
BEFORE = {
    "unavailable": http(503),
    "gateway": http(502),
    "nothing": b"",
    "ingress": INGRESS,
    "empty": http(200, b"[]"),
}
"""What answers for a target that is not there yet; a haId that does not exist gets the last two as well."""


@pytest.mark.parametrize("away", BEFORE)
def test_target_that_comes_is_judged(away: str, tmp_path: Path) -> None:
    """It is asked again, more and more seldom, until it answers itself; each request is kept."""
    seconds, purposes = wait_for(in_turn(*[BEFORE[away]] * 6, ANSWERED), tmp_path)
    assert 0 < seconds < 60
    assert purposes == ["wait"] * 7


OFF_NOW = http(409, b'{"error": "offline"}', Content_Type="application/json")


@pytest.mark.parametrize(("answers", "asked"), [((ANSWERED,), 1), ((OFF_NOW, INGRESS), 2)])
def test_target_that_answers_is_not_waited_for(
    answers: tuple[bytes, ...], asked: int, tmp_path: Path
) -> None:
    """A value is enough; an appliance that is off answers otherwise than one that does not exist."""
    assert wait_for(in_turn(*answers), tmp_path) == (0.0, ["wait"] * asked)


def test_wait_has_an_end(tmp_path: Path) -> None:
    """After the time that was given the run goes on, and says what it finds."""
    seconds, _ = wait_for(always(http(503)), tmp_path)
    assert seconds == pytest.approx(60)


def test_run_begins_when_the_target_is_there(tmp_path: Path) -> None:
    """No case rests on what was asked while waiting."""
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url)
        ran = command("run", str(profile), "--wait-for-target", "5", *BARE, directory=tmp_path)
    waits = [line["n"] for line in ran.evidence if line["purpose"] == "wait"]
    assert waits == [1]
    assert not [case for case in ran.results["cases"] if set(waits) & set(case["evidence"])]
