"""A run whose profile fits no answer ends after the first ones, and says what to look at."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.mutants.fleets import FRIDGE
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.outcomes import judged_in
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.suspects.search import suspects_of
from reports.results.build import exit_code
from reports.results.headline import headline

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


def judged(service: Service, out: Path, mistake: Mapping[str, object], **claims: object) -> Results:
    """The results of a run that only reads, with its suspects; `claims` replace those of each appliance.

    Judged again from its ledger, it comes to the same.
    """
    data: dict[str, Any] = laid_over(truthful_profile(service, BASE_URL), mistake)
    tables = [{**table, **claims} for table in data["appliance"]]
    data["appliance"] = [{name: claim for name, claim in one.items() if claim is not None} for one in tables]
    session = Session(build_profile(data, CATALOG), out, network=network_of({"": service}))
    results = judged_in(session)
    again = judged_in(Session.of_saved(SavedRun(out / LEDGER_FILE), out))
    assert [(one.id, one.verdict) for one in again.cases] == [(one.id, one.verdict) for one in results.cases]
    assert headline(again) == headline(results)
    return replace(results, suspects=suspects_of(session.contents, results))


@pytest.mark.parametrize(
    ("service", "mistake", "said", "suspected"),
    [
        (answering(REFUSED), RIGHT, "access is refused (status 401", ""),
        (answering(PAGE), RIGHT, "the target answers with a sign-in page (HTML), no JSON", ""),
        (answering(NOWHERE), RIGHT, "every key is refused (status 404", ""),
        (Fridge(), {"answer": {"value": "/value"}}, "'/data/value' does", 'value = "/data/value"'),
        (Fridge(), {"answer": {"value": "/data/type"}}, "'/data/value' does", 'value = "/data/value"'),
        (Fridge(), {"answer": {"value": "/data/key"}}, "'/data/value' does", 'value = "/data/value"'),
        (Fridge(), {"http": {"success": "204"}}, "http.success '204' leaves out 200", "success left out"),
    ],
)
def test_run_ends_where_nothing_fits(
    tmp_path: Path, service: Service, mistake: Mapping[str, object], said: str, suspected: str
) -> None:
    """Nothing is judged, after few requests; the headline names what to look at, and the suspect is found."""
    results = judged(service, tmp_path, mistake, online=None)
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
    assert not judged(service, tmp_path, RIGHT, **claims).run.lost


def test_appliance_that_is_away_ends_no_run(tmp_path: Path) -> None:
    """Where the first appliance refuses everything, the others are looked at before a run ends."""

    class Away(Fridge):
        fleet = (OFFLINE, *(replace(FRIDGE, ha_id=f"fridge-{number}") for number in range(3)))

        def answer(self, request: Incoming) -> Reply:
            return NOWHERE if OFFLINE.ha_id in request.path else super().answer(request)

    results = judged(Away(), tmp_path, RIGHT, online=None)
    assert not results.run.lost
    assert {one.ha_id for one in results.cases if one.verdict == "pass"} == {f"fridge-{n}" for n in range(3)}


def test_key_that_another_way_of_asking_serves_ends_no_run(tmp_path: Path) -> None:
    """A server that serves only under a version is found wrong, whatever the plain path refuses."""

    class Versioned(Fridge):
        def answer(self, request: Incoming) -> Reply:
            plain = request.path.replace("/api/v1/", "/api/")
            return NOWHERE if plain == request.path else super().answer(replace(request, path=plain))

    results = judged(Versioned(), tmp_path, RIGHT, online=None)
    assert {one.clause for one in results.of("fail")} == {"ADDR-UNVERSIONED"}
