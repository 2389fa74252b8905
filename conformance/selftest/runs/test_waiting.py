"""A target that is still away is waited for; one that no answer of fits the profile is soon left."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.harness.ledger import Ledger, read_ledger
from conformance.harness.observing import Observations
from conformance.harness.planning import Plan
from conformance.harness.reads.shared_reads import wait_for_target
from conformance.harness.scheduler import Scheduler
from conformance.harness.wire.network import SOCKETS
from conformance.mutants.fleets import FRIDGE
from conformance.mutants.hostile.model import Answer
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.own_time import OwnTime
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.samples.ledgers import HEADER
from conformance.selftest.support.servers.raw_server import (
    always,
    http,
    in_turn,
    listening,
    profile_at,
    raw_server,
    transport_of,
    write_profile,
)
from conformance.suspects.search import suspects_of
from reports.results.build import exit_code
from reports.results.headline import headline

ANSWERED = http(200, b'{"data": {"value": true}}')
KEY = "Vendor.Common.Setting.ChildLock"


def wait_for(answer: Answer, directory: Path) -> tuple[float, list[str]]:
    """How long a target that answers so is waited for at most a minute, and the purposes of the requests."""
    clock = OwnTime()
    path = directory / "evidence.ndjson"
    with raw_server(answer) as raw:
        profile = profile_at(raw.base_url, pace={"max_retries": 0})
        seen = Observations(profile, CATALOG)
        plan = Plan(profile, CATALOG, ((profile.appliance[0].ha_id, "settings", KEY),))
        with (
            transport_of(profile) as transport,
            Ledger(path, HEADER) as ledger,
            Scheduler(transport, ledger, seen, network=SOCKETS._replace(clock=clock)) as scheduler,
        ):
            wait_for_target(plan, seen, scheduler, 60, "seed")
    return clock.now(), [exchange.purpose for exchange in read_ledger(path).exchanges]


def test_target_that_answers_is_not_waited_for(tmp_path: Path) -> None:
    """One request is enough."""
    assert wait_for(always(ANSWERED), tmp_path) == (0.0, ["wait"])


@pytest.mark.parametrize("away", [http(503), http(502), b""], ids=["unavailable", "gateway", "nothing"])
def test_target_that_comes_is_judged(away: bytes, tmp_path: Path) -> None:
    """It is asked again, more and more seldom, until it answers; each request is kept."""
    seconds, purposes = wait_for(in_turn(*[away] * 6, ANSWERED), tmp_path)
    assert 0 < seconds < 60
    assert purposes == ["wait"] * 7


INGRESS = http(404, b"404 page not found", Content_Type="text/plain")


@pytest.mark.parametrize("away", [INGRESS, http(200, b"[]")], ids=["ingress", "empty"])
def test_what_stands_before_a_target_is_waited_out(away: bytes, tmp_path: Path) -> None:
    """An answer that a haId gets as well that does not exist is none of the target: a value is waited for."""
    seconds, purposes = wait_for(in_turn(*[away] * 6, ANSWERED), tmp_path)
    assert 0 < seconds < 60
    assert purposes == ["wait"] * 7


def test_refusal_of_the_target_is_an_answer(tmp_path: Path) -> None:
    """An appliance that is off answers otherwise than one that does not exist: nobody waits for a value."""
    offline = http(409, b'{"error": "offline"}', Content_Type="application/json")
    assert wait_for(in_turn(offline, INGRESS), tmp_path) == (0.0, ["wait", "wait"])


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


# A run whose profile fits no answer ends after the first ones, and says what to look at.
MOST = 40
"""Requests after which such a run has ended, where another one makes hundreds."""


class Fridge(Service):
    """A refrigerator without a fault."""

    fleet = (FRIDGE,)


class Answering(Fridge):
    """Answers everything alike.

    Attributes:
        reply: the answer.
        but: the part of a path that is answered as it should be; empty for none.
    """

    reply: ClassVar[Reply]
    but: ClassVar[str] = ""

    def answer(self, request: Incoming) -> Reply:
        return super().answer(request) if self.but and self.but in request.path else self.reply


REFUSED = Reply(401, b'{"error": "invalid_token"}')
NOWHERE = Reply(404, b'{"error": "no such path"}')
PAGE = Reply(200, b"<html><input type=password></html>", media_type="text/html")
RIGHT: Mapping[str, object] = {}
UNCLAIMED: Mapping[str, object] = {"supports": [], "lacks": [], "writable": [], "power_states": None}
OFFLINE = replace(FRIDGE, ha_id="away-1")


def answering(reply: Reply, **attributes: object) -> Service:
    """A refrigerator that answers everything so."""
    return type("Answers", (Answering,), {"reply": reply, **attributes})()


def results_of_read(service: Service, out: Path, mistake: Mapping[str, object], **claims: object) -> Results:
    """The results of a run that only reads; `claims` replace those of each appliance.

    Judged again from its ledger, it comes to the same. Suspects are looked for where it has ended early.
    """
    data: dict[str, Any] = laid_over(truthful_profile(service, BASE_URL), mistake)
    tables = [{**table, **claims} for table in data["appliance"]]
    data["appliance"] = [{name: claim for name, claim in one.items() if claim is not None} for one in tables]
    session = Session(build_profile(data, CATALOG), out, network=network_of({"": service}))
    results = judged_in(session)
    again = judged_in(Session.of_saved(SavedRun(out / LEDGER_FILE), out))
    assert [(one.id, one.verdict) for one in again.cases] == [(one.id, one.verdict) for one in results.cases]
    assert headline(again) == headline(results)
    return replace(results, suspects=suspects_of(session.contents, results) if results.run.lost else ())


@pytest.mark.parametrize(
    ("service", "mistake", "said", "suspected"),
    [
        (answering(REFUSED), RIGHT, "access is refused (status 401", ""),
        (answering(PAGE), RIGHT, "the target answers with a sign-in page (HTML), no JSON", ""),
        (answering(NOWHERE), RIGHT, "every key is refused (status 404", ""),
        (Fridge(), {"answer": {"value": "/value"}}, "'/data/value' does", 'value = "/data/value"'),
        (Fridge(), {"answer": {"value": "/data/key"}}, "'/data/value' does", 'value = "/data/value"'),
        (Fridge(), {"http": {"success": "204"}}, "http.success '204' leaves out 200", "success left out"),
    ],
)
def test_run_ends_where_nothing_fits(
    tmp_path: Path, service: Service, mistake: Mapping[str, object], said: str, suspected: str
) -> None:
    """Nothing is judged, after few requests; the headline names what to look at, and the suspect is found."""
    results = results_of_read(service, tmp_path, mistake, online=None)
    assert exit_code(results) == INCONCLUSIVE
    assert headline(results).startswith("Inconclusive: no answer fits the profile: ")
    assert said in headline(results)
    assert results.run.requests.total < MOST
    assert {case.verdict for case in results.cases} <= {"inconclusive", "not_applicable", "observed"}
    assert [one.toml for one in results.suspects or ()] == ([suspected] if suspected else [])


@pytest.mark.parametrize(
    ("service", "claims"),
    [
        (answering(NOWHERE), {"online": True}),  # what ADDR-BASE judges
        (
            answering(NOWHERE),
            {**UNCLAIMED, "online": None},
        ),
        (answering(REFUSED, but="PowerState"), {"online": None}),
        (answering(PAGE, but="/status/"), {"online": None}),
        (answering(Reply(503)), {"online": None}),
        (answering(Reply(200, b'{"data": {"value": null}}')), {"online": None}),
    ],
)
def test_run_goes_on_where_it_may_find_something(
    tmp_path: Path, service: Service, claims: Mapping[str, object]
) -> None:
    """One key that fits, a claim that a server may break, errors that pass: none of it ends a run."""
    assert not results_of_read(service, tmp_path, RIGHT, **claims).run.lost


def test_appliance_that_is_away_ends_no_run(tmp_path: Path) -> None:
    """Where the first appliance refuses everything, the others are looked at before a run ends."""

    class Away(Fridge):
        fleet = (OFFLINE, *(replace(FRIDGE, ha_id=f"fridge-{number}") for number in range(2)))

        def answer(self, request: Incoming) -> Reply:
            return NOWHERE if OFFLINE.ha_id in request.path else super().answer(request)

    results = results_of_read(Away(), tmp_path, RIGHT, online=None)
    assert not results.run.lost
    assert {one.ha_id for one in results.cases if one.verdict == "pass"} == {f"fridge-{n}" for n in range(2)}


def test_key_that_another_way_of_asking_serves_ends_no_run(tmp_path: Path) -> None:
    """A server that serves only under a version is found wrong, whatever the plain path refuses."""

    class Versioned(Fridge):
        def answer(self, request: Incoming) -> Reply:
            plain = request.path.replace("/api/v1/", "/api/")
            return NOWHERE if plain == request.path else super().answer(replace(request, path=plain))

    results = results_of_read(Versioned(), tmp_path, RIGHT, online=None)
    assert {one.clause for one in results.of("fail")} == {"ADDR-UNVERSIONED"}
