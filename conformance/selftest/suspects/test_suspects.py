"""A mistake of the profile is found and named, soon where no answer fits it; a fault of the target is never
talked away.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.model import Level
from conformance.harness.reads.glance import MOST_OF_A_KIND
from conformance.mutants import fleets
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.requests import intercepts, paths
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Reply
from conformance.runs.exit_codes import INCONCLUSIVE, USAGE
from conformance.runs.observed_run import observed
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.commands import command
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import served_by
from conformance.suspects.search import suspects_of
from reports.results.build import exit_code
from reports.results.headline import headline
from reports.suspected import suspected_at_length, suspected_in_lines

RIGHT: Mapping[str, object] = {}
"""A profile without a mistake."""
FRIDGE = served_by(fleet=fleets.FRIDGE)
"""A refrigerator without a fault."""


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


MISTAKES: list[tuple[str, Mapping[str, object], str]] = [
    ("answer", {"value": "/data/key"}, 'value = "/data/value"'),
    ("answer", {"value": "/data/type"}, 'value = "/data/value"'),
    ("answer", {"value": "/value"}, 'value = "/data/value"'),
    ("answer", {"status": {"value": "/data/key"}}, 'value = "/data/value"'),
    ("answer", {"value": "/data/key", "status": {"value": "/data/value"}}, 'value = "/data/value"'),
    ("answer", {"key": "/data/description"}, 'key = "/data/key"'),
    ("answer", {"min": "/data/constraints/max"}, 'min = "/data/constraints/min"'),
    ("answer", {"max": "/data/constraints/stepsize"}, 'max = "/data/constraints/max"'),
    ("answer", {"allowed": "/data/type"}, 'allowed = "/data/constraints/allowedvalues"'),
    ("target", {"vendor": "Acme"}, 'vendor = "Vendor"'),
    ("target", {"vendor": "vendor"}, 'vendor = "Vendor"'),
]
"""A table of a profile, what is wrong in it, and the line that it should have."""
OF_A_RUN: list[tuple[str, Mapping[str, object], str]] = [
    ("http", {"success": "201-299"}, "success left out"),
    ("http", {"unreachable": [{"status": 409}]}, "unreachable left out"),
]
"""The same, of what a run alone finds; it may be nothing that the table should say."""


@pytest.mark.parametrize(("table", "wrong", "toml"), [*MISTAKES, *OF_A_RUN])
def test_mistake_is_the_first_suspect(
    tmp_path: Path, table: str, wrong: Mapping[str, object], toml: str
) -> None:
    """The line that is wrong is named, as it should be; the verdict stays."""
    results = searched(FRIDGE(), tmp_path, {table: wrong})
    assert results.suspects
    assert results.suspects[0].toml == toml
    assert toml in suspected_in_lines(results)[0]


def test_nothing_is_suspected_where_nothing_is_wrong(tmp_path: Path) -> None:
    """A truthful profile of a server without a fault is in no doubt."""
    results = searched(FRIDGE(), tmp_path)
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
    served = (keys.POWER_STATE, keys.CHILD_LOCK, keys.DOOR_STATE)
    oven = served_by(fleet=fleets.TIMED_OVEN.only(*served))()
    results = searched(oven, tmp_path, claims={"supports": [*served, claim], "lacks": []})
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
    unknown = {"answer": {"access": "/data/nowhere"}}
    server = find_server("cup-warmer-refused")()
    results = searched(server, tmp_path, unknown, "write", {"writable": [claim]})
    assert [one.toml for one in results.suspects or ()] == [toml]


def test_two_mistakes_are_found_together(tmp_path: Path) -> None:
    """What the first edit does not explain, a second one does, once the first is made."""
    wrong = {"answer": {"key": "/data/description", "min": "/data/constraints/max"}}
    results = searched(FRIDGE(), tmp_path, wrong)
    assert {one.field for one in results.suspects or ()} == {"answer.key", "answer.min"}
    assert "stands" not in "".join(suspected_at_length(results))


# A run whose profile fits no answer ends after the first ones, and says what to look at.
MOST = 40
"""Requests after which such a run has ended, where another one makes hundreds."""
REFUSED = Reply(401, b'{"error": "invalid_token"}')
NOWHERE = Reply(404, b'{"error": "no such path"}')
PAGE = Reply(200, b"<html><input type=password></html>", media_type="text/html")
UNCLAIMED: Mapping[str, object] = {
    "supports": [],
    "lacks": [],
    "writable": [],
    "power_states": None,
    "online": None,
}
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
        (FRIDGE(), {"answer": {"value": "/value"}}, "'/data/value' does", 'value = "/data/value"'),
        (FRIDGE(), {"answer": {"value": "/data/key"}}, "'/data/value' does", 'value = "/data/value"'),
        (FRIDGE(), {"http": {"success": "204"}}, "http.success '204' leaves out 200", "success left out"),
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
        (answering(NOWHERE), UNCLAIMED),
        (answering(REFUSED, but="PowerState"), RIGHT),
        (answering(PAGE, but="/status/"), RIGHT),
        (answering(Reply(503)), RIGHT),
        (answering(Reply(200, b'{"data": {"value": null}}')), RIGHT),
    ],
)
def test_run_goes_on_where_it_may_find_something(
    tmp_path: Path, service: Service, claims: Mapping[str, object]
) -> None:
    """One key that fits, a claim that a server may break, errors that pass: none of it ends a run."""
    assert not searched(service, tmp_path, claims={"online": None, **claims}).run.lost


def test_appliance_that_is_away_ends_no_run(tmp_path: Path) -> None:
    """Where the first appliance refuses everything, the others are looked at before a run ends."""
    away = intercepts(lambda request: NOWHERE if AWAY.ha_id in request.path else None)
    others = (replace(fleets.FRIDGE, ha_id=f"fridge-{number}") for number in range(2))
    results = searched(served_by(away, fleet=(AWAY, *others))(), tmp_path, claims={"online": None})
    assert not results.run.lost
    assert {one.ha_id for one in results.cases if one.verdict == "pass"} == {f"fridge-{n}" for n in range(2)}


def test_key_that_another_way_of_asking_serves_ends_no_run(tmp_path: Path) -> None:
    """A server that serves only under a version is found wrong, whatever the plain path refuses."""
    only = intercepts(lambda request: None if "/api/v1/" in request.path else NOWHERE)
    versioned = served_by(only, paths(lambda path: path.replace("/api/v1/", "/api/")), fleet=fleets.FRIDGE)
    results = searched(versioned(), tmp_path, claims={"online": None})
    assert {one.clause for one in results.of("fail")} == {"ADDR-UNVERSIONED"}


# A few requests of `check --ask` tell as much; its exit code says who has to do something.
ASKED = ("fridge-1", "hood-1", "oven-1")
CheckOf = Callable[..., Ran]


@pytest.fixture
def handle() -> Mock:
    """What answers each request, as the reference does."""
    return Mock(wraps=Service().handle)


@pytest.fixture
def check_of(handle: Mock, tmp_path: Path) -> Iterator[CheckOf]:
    """Checks a truthful profile of three appliances, but for a mistake and what is claimed of the hood."""

    def check(*words: str, mistake: Mapping[str, object] = RIGHT, below: str = "", **hood: object) -> Ran:
        data: dict[str, Any] = laid_over(truthful_profile(Service(), f"{base_url}{below}"), mistake)
        tables = (table for table in data["appliance"] if table["ha_id"] in ASKED)
        data["appliance"] = [{**one, **hood} if one["kind"] == "Hood" else one for one in tables]
        file.write_text(toml_of(data), encoding="utf-8")
        return command("check", str(file), "--state", str(tmp_path / "state"), *words)

    service, file = Service(), tmp_path / "hub.toml"
    with patch.object(service, "handle", handle), serve({"": service}) as base_url:
        yield check


# fmt: off
ANSWERS: list[tuple[int, str, dict[str, Any]]] = [
    (0, "what was answered fits the profile", {}),
    *((USAGE, f"] {toml}?", {"mistake": {table: wrong}}) for table, wrong, toml in MISTAKES),
    (USAGE, "http.success '204' leaves out 200", {"mistake": {"http": {"success": "204"}}}),
    (0, 'not declared, but shown: [answer] unit = "/data/unit"', {"mistake": {"answer": {"unit": None}}}),
    (0, 'is it [[appliance]] hood-1 kind = "Hood"?', {"kind": "Washer"}),
    (USAGE, 'is it [[appliance]] hood-1 kind = "Hood"?', {"kind": "Oven", "supports": []}),
    (INCONCLUSIVE, "haId hood-9: fridge-1 answers, this one does not", {"ha_id": "hood-9"}),
    (0, "[[appliance]] hood-1 power_states = ", {"power_states": ["On", "Standby"]}),
    # a key that is refused as one that does not exist may be hidden
    (0, f"is it [[appliance]] hood-1 supports without {keys.ALARM_CLOCK}?",
        {"supports": [keys.ALARM_CLOCK], "lacks": [], "writable": []}),
    (0, "wrong. The file leaves it out", {"supports": ["*.AlarmClock"], "lacks": None, "writable": []}),
    (INCONCLUSIVE, "base_url ends in /api, which the suite adds: is it http://127.0.0.1:", {"below": "/api"}),
]
# fmt: on
"""The exit code, the line to write, and what is wrong."""


@pytest.mark.parametrize(("code", "line", "wrong"), ANSWERS)
def test_what_does_not_fit_is_said(
    code: int, line: str, wrong: dict[str, Any], handle: Mock, check_of: CheckOf
) -> None:
    """The line to write is named, after few requests; what the server may be wrong about is only asked."""
    result = check_of("--ask", **wrong)
    assert (result.code, line in result.output) == (code, True), result.output
    assert handle.call_count <= MOST_OF_A_KIND * len(ASKED)


def test_access_that_is_refused_is_said(handle: Mock, check_of: CheckOf) -> None:
    """A token that the target does not take is no mistake that the file shows: 3."""
    handle.return_value = REFUSED
    result = check_of("--ask")
    assert (result.code, "access is refused (status 401" in result.output) == (INCONCLUSIVE, True)


def test_requests_count_for_the_day(handle: Mock, check_of: CheckOf) -> None:
    """What was asked is taken off the day of the target; where nothing is left, nothing is sent."""
    day = {"pace": {"per_day": 40}}
    assert check_of("--ask", mistake=day).code == 0
    assert f"{40 - handle.call_count:,}" in check_of(mistake=day).output
    # what is left is used up
    assert [check_of("--ask", mistake=day).code for _ in range(2)] == [INCONCLUSIVE] * 2
    assert handle.call_count == 40
