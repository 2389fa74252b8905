"""A mistake of the profile is found and named, soon where no answer fits it; a fault of the target is never
talked away.
"""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.model import Level
from conformance.mutants import fleets
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.requests import intercepts, paths
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Reply
from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.runs.observed_run import observed
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.runs.scenarios.model import served_by
from conformance.suspects.search import suspects_of
from reports.results.build import exit_code
from reports.results.headline import headline
from reports.suspected import suspected_at_length, suspected_in_lines

RIGHT: Mapping[str, object] = {}
"""A profile without a mistake."""


class Fridge(Service):
    """A refrigerator without a fault."""

    fleet = (fleets.FRIDGE,)


def searched(
    service: Service,
    out: Path,
    mistake: Mapping[str, object] = RIGHT,
    level: Level = "read",
    claims: Mapping[str, object] = RIGHT,
) -> Results:
    """A run with a profile that is right but for the mistake, and its suspects; `claims` replace those of
    each appliance, None takes one away.

    Judged again from its ledger, it comes to the same.
    """
    data: dict[str, Any] = laid_over(truthful_profile(service, BASE_URL), mistake)
    tables = [{**table, **claims} for table in data["appliance"]]
    data["appliance"] = [{name: claim for name, claim in one.items() if claim is not None} for one in tables]
    network = network_of({"": service})
    with closing(Session(build_profile(data), out, level, network=network)) as session:
        results = judged_in(session)
        again = judged_in(observed(SavedRun(out / LEDGER_FILE)))
        told = [[(one.id, one.verdict) for one in each.cases] for each in (results, again)]
        assert (told[0], headline(results)) == (told[1], headline(again))
        return replace(results, suspects=suspects_of(session.contents, results))


@pytest.mark.parametrize(
    ("table", "wrong", "toml"),
    [
        ("answer", {"value": "/data/key"}, 'value = "/data/value"'),
        ("answer", {"value": "/value"}, 'value = "/data/value"'),
        ("answer", {"key": "/data/description"}, 'key = "/data/key"'),
        ("answer", {"min": "/data/constraints/max"}, 'min = "/data/constraints/min"'),
        ("answer", {"max": "/data/constraints/stepsize"}, 'max = "/data/constraints/max"'),
        ("answer", {"allowed": "/data/type"}, 'allowed = "/data/constraints/allowedvalues"'),
        ("target", {"vendor": "Acme"}, 'vendor = "Vendor"'),
        ("target", {"vendor": "vendor"}, 'vendor = "Vendor"'),
        ("http", {"success": "201-299"}, "success left out"),
        ("http", {"unreachable": [{"status": 409}]}, "unreachable left out"),
    ],
)
def test_mistake_is_the_first_suspect(
    tmp_path: Path, table: str, wrong: Mapping[str, object], toml: str
) -> None:
    """The line that is wrong is named, as it should be; the verdict stays."""
    results = searched(Fridge(), tmp_path, {table: wrong})
    assert results.suspects
    assert results.suspects[0].toml == toml
    assert toml in suspected_in_lines(results)[0]


def test_nothing_is_suspected_where_nothing_is_wrong(tmp_path: Path) -> None:
    """A truthful profile of a server without a fault is in no doubt."""
    results = searched(Fridge(), tmp_path)
    assert results.suspects == ()
    assert suspected_in_lines(results) == []


@pytest.mark.parametrize("name", ["lost-as-text-under-status", "every-second-refused"])
def test_fault_is_not_talked_away(tmp_path: Path, name: str) -> None:
    """Where the target is wrong, no edit explains it, and that is said."""
    service = find_server(name)()
    results = searched(service, tmp_path)
    assert results.verdict == "fail"
    assert not any(one.explains for one in results.suspects or ())
    of_two = replace(results, findings=results.findings * 2)
    said = [suspected_in_lines(one)[-1] for one in (results, of_two)]
    assert said == [
        f"{one}, whatever was tried in the profile" for one in ("the finding stands", "all 2 findings stand")
    ]


@pytest.mark.parametrize(
    ("claim", "field", "toml"),
    [
        (keys.ALARM_CLOCK, "supports", f"supports without {keys.ALARM_CLOCK}"),
        ("*.AlarmClock", "lacks", f'lacks = ["{keys.ALARM_CLOCK}"]'),
    ],
)
def test_claim_that_may_be_wrong_is_only_possible(tmp_path: Path, claim: str, field: str, toml: str) -> None:
    """A key that is claimed, also by a glob, and refused as unknown: claim or target may be wrong."""

    class Oven(Service):
        fleet = (fleets.TIMED_OVEN.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.DOOR_STATE),)

    data: dict[str, Any] = truthful_profile(Oven(), BASE_URL)
    (table,) = data["appliance"]
    claiming: dict[str, object] = {**table, "supports": [*table["supports"], claim], "lacks": []}
    results = searched(Oven(), tmp_path, {"appliance": [claiming]})
    assert results.suspects
    (suspect,) = results.suspects
    assert (suspect.field, suspect.explains) == (f"appliance.{field}", ())
    assert suspect.perhaps
    assert suspect.toml == toml
    assert "or the profile is wrong there" in suspected_in_lines(results)[0]


@pytest.mark.parametrize(
    ("claim", "toml"),
    [
        (keys.CUP_WARMER, f"writable without {keys.CUP_WARMER}"),
        ("*", f'writable = ["{keys.LIQUID_UNIT}", "{keys.CHILD_LOCK}"]'),
    ],
)
def test_setting_that_takes_no_write_may_not_be_writable(tmp_path: Path, claim: str, toml: str) -> None:
    """A setting that is claimed, also by a glob, and takes no write: claim or target may be wrong."""
    service = find_server("cup-warmer-refused")()
    data: dict[str, Any] = truthful_profile(service, BASE_URL)
    (table,) = data["appliance"]
    mistake: dict[str, object] = {
        "answer": {"access": "/data/nowhere"},
        "appliance": [{**table, "writable": [claim]}],
    }
    results = searched(service, tmp_path, mistake, "write")
    assert [one.toml for one in results.suspects or ()] == [toml]


def test_two_mistakes_are_found_together(tmp_path: Path) -> None:
    """What the first edit does not explain, a second one does, once the first is made."""
    wrong = {"answer": {"key": "/data/description", "min": "/data/constraints/max"}}
    results = searched(Fridge(), tmp_path, wrong)
    assert {one.field for one in results.suspects or ()} == {"answer.key", "answer.min"}
    assert "stands" not in "".join(suspected_at_length(results))


# A run whose profile fits no answer ends after the first ones, and says what to look at.
MOST = 40
"""Requests after which such a run has ended, where another one makes hundreds."""
REFUSED = Reply(401, b'{"error": "invalid_token"}')
NOWHERE = Reply(404, b'{"error": "no such path"}')
PAGE = Reply(200, b"<html><input type=password></html>", media_type="text/html")
UNCLAIMED: Mapping[str, object] = {"supports": [], "lacks": [], "writable": [], "power_states": None}
AWAY = replace(fleets.FRIDGE, ha_id="away-1")


def answering(reply: Reply, *, but: str = "") -> Service:
    """A refrigerator that answers everything so, `but` what has that in its path."""
    odd = intercepts(lambda request: None if but and but in request.path else reply)
    return served_by(odd, fleet=fleets.FRIDGE)()


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
    results = searched(service, tmp_path, mistake, claims={"online": None})
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
    assert not searched(service, tmp_path, claims=claims).run.lost


def test_appliance_that_is_away_ends_no_run(tmp_path: Path) -> None:
    """Where the first appliance refuses everything, the others are looked at before a run ends."""

    class Household(intercepts(lambda request: NOWHERE if AWAY.ha_id in request.path else None)):
        fleet = (AWAY, *(replace(fleets.FRIDGE, ha_id=f"fridge-{number}") for number in range(2)))

    results = searched(Household(), tmp_path, claims={"online": None})
    assert not results.run.lost
    assert {one.ha_id for one in results.cases if one.verdict == "pass"} == {f"fridge-{n}" for n in range(2)}


def test_key_that_another_way_of_asking_serves_ends_no_run(tmp_path: Path) -> None:
    """A server that serves only under a version is found wrong, whatever the plain path refuses."""
    only = intercepts(lambda request: None if "/api/v1/" in request.path else NOWHERE)
    versioned = served_by(only, paths(lambda path: path.replace("/api/v1/", "/api/")), fleet=fleets.FRIDGE)
    results = searched(versioned(), tmp_path, claims={"online": None})
    assert {one.clause for one in results.of("fail")} == {"ADDR-UNVERSIONED"}
