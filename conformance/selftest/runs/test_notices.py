"""What a run tells beside its verdicts: notices, good answers, a forecast, whether it can be certified."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, COLOR_TEMPERATURE, LIGHTING, POWER_STATE
from catalog.model import Level
from conformance.benchmarks.asked import remote, server_of
from conformance.cases import CATALOG, all_cases
from conformance.checks.exchange import Exchange, Failure, FailureKind
from conformance.checks.groups import Group
from conformance.harness.planning import Forecast, forecast, plan_run
from conformance.mutants.registry import find_server
from conformance.profiles.model import Appliance, Claim
from conformance.proof import own_time
from conformance.proof.in_process import network_of
from conformance.proof.trials import PREFIX
from conformance.records.results import CaseResult
from conformance.reference.service import Service
from conformance.runs.good_answers import good_answer, good_members
from conformance.runs.notices import crowded, notices_of, taken_singly
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session
from conformance.selftest.support.handmade import (
    ANCHOR,
    exchange,
    fleet_of_hoods,
    profile_of,
    refusal,
    seen_of,
    value,
)
from conformance.selftest.support.judged_runs import run_of, session_of
from reports.certificate import build_certificate
from reports.kills import published_kills
from reports.results.build import exit_code

OFFLINE = {"http": {"unreachable": [{"status": 409}]}}
LISTS = {"settings": {"path": "/api/homeappliances/{ha_id}/settings", "items": "/data/settings"}}


def test_times_at_which_an_appliance_was_offline() -> None:
    """From when, and to when where it came back."""

    def at(second: int, status: int) -> Exchange:
        body = b'{"data": {"value": 5}}' if status == 200 else b"offline"
        return exchange(ANCHOR, status, body, at=f"2026-01-01T10:49:{second}.000+00:00")

    away = [at(30, 200), replace(at(31, 409), key=CHILD_LOCK), replace(at(32, 409), key=POWER_STATE)]
    again = replace(at(33, 200), key=LIGHTING)
    profile = profile_of("Hood", **OFFLINE)
    assert notices_of([seen_of(profile, *away)]) == ("one was offline from 10:49:31",)
    assert notices_of([seen_of(profile, *away, again)]) == ("one was offline from 10:49:31 to 10:49:32",)


def test_makers_name_is_doubted_where_only_other_keys_gave_a_value() -> None:
    """A hood without one of the keys that hoods share is more likely asked under a wrong name."""
    own = value(LIGHTING, True)
    vendor = [refusal(key) for key, entry in CATALOG.entries.items() if entry.is_vendor]
    seen = seen_of(profile_of("Hood"), own, *vendor)
    (notice,) = notices_of([seen])
    assert notice.startswith(
        "one gave no value of a key that begins with Vendor.: is there another maker's name"
    )
    assert notices_of([seen_of(profile_of("Hood"), own, *vendor[:2], refusal(COLOR_TEMPERATURE))]) == ()


@pytest.mark.parametrize(
    ("began", "at_once", "told"),
    [("30.000", 6, True), ("31.000", 6, False), ("30.000", 1, False)],
    ids=["at the same time", "later", "in the millisecond of another one, where there is one at a time"],
)
def test_patience_that_is_asked_for_beside_other_requests(began: str, at_once: int, told: bool) -> None:
    """Where no request was alone that was turned away, fewer at a time help; else nothing shows that."""
    other = exchange(ANCHOR, 200, b'{"data": {"value": 5}}', at="2026-01-01T10:49:30.000+00:00")
    busy = exchange(CHILD_LOCK, 429, b"", at=f"2026-01-01T10:49:{began}+00:00")
    seen = seen_of(profile_of("Hood", pace={"concurrency": at_once}), other, busy)
    says = "1 of 2 answers asked for patience, each while another request was under way"
    advice = "ask fewer at a time (pace.concurrency, which is 6)"
    assert [*crowded([seen])] == ([f"{says}: {advice}"] if told else [])


@pytest.mark.parametrize(
    ("others", "kinds", "at_once", "told"),
    [
        (1, ["timeout"], 4, "one connection at a time"),
        (1, ["closed", "closed"], 4, "one connection at a time"),
        (2, ["timeout", "refused"], 4, "few connections at a time"),
        (1, ["closed"], 4, ""),
        (2, ["timeout"], 4, ""),
        (1, ["timeout"], 1, ""),
    ],
    ids=["one", "one, which cuts others", "two", "a connection that was too old", "enough", "one is asked"],
)
def test_server_of_few_connections_at_a_time(
    others: int, kinds: list[FailureKind], at_once: int, told: str
) -> None:
    """It is one where as many requests as there were connections had an answer only when alone."""

    def on(connection: int, n: int) -> Exchange:
        answered = exchange(ANCHOR, 200, b"{}")
        return replace(
            answered, n=n, response=answered.response and replace(answered.response, connection=connection)
        )

    is_too_old = kinds == ["closed"]
    missed = replace(on(1, 3), response=None, purpose="read" if is_too_old else "wait")
    lost = [replace(missed, failure=Failure(kind, "nothing")) for kind in kinds]
    again = lost if kinds[0] == "closed" else [one for each in lost for one in (each, on(3, 4))]
    (*says,) = taken_singly([on(1, 1), on(others, 2), *again, on(3, 4)], at_once)
    assert [one.partition(": the target serves ")[2].partition(";")[0] for one in says] == [told] * bool(told)


def test_entries_that_no_document_has_are_named() -> None:
    """Those that a declared list holds."""
    body = b'{"data": {"settings": [{"key": "Vendor.Common.Setting.ChildLock"}, {"key": "Foo.Bar"}]}}'
    group = Group.parse("list/settings")
    listed = exchange("*", 200, body, group=group, segment="settings", purpose="list")
    seen = seen_of(profile_of(list=LISTS), value(ANCHOR, 5), listed)
    assert notices_of([seen]) == ("one lists 1 entry that the document does not have: Foo.Bar",)


@pytest.mark.parametrize(
    ("location", "told"), [("", ""), ("/sign-in", ""), (f"{CHILD_LOCK}/", "a slash behind")]
)
def test_redirects_to_the_same_path_with_a_slash_are_told(location: str, told: str) -> None:
    """Where others give a value, nothing else says what would be followed there."""
    moved = exchange(CHILD_LOCK, 307, headers=(("location", location),))
    assert told in "".join(notices := notices_of([seen_of(profile_of(), value(ANCHOR, 5), moved)]))
    assert bool(told) == bool(notices)


# Beside a finding of a read stands what a conforming server answers, in the shape of the profile.
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
LOCK = "Vendor.Common.Setting.ChildLock"
OPERATION = "Vendor.Common.Status.OperationState"


def first_failure(name: str, out: Path, level: Level = "read") -> CaseResult:
    """The first failed case of a run against a mutant."""
    with session_of(find_server(name)(), out, level) as session:
        return next(iter(judged_in(session).of("fail")))


@pytest.mark.parametrize(
    ("clause", "places", "body"),
    [
        ("TYPE-DOUBLE", {"value": "/data/value"}, {"data": {"value": 4}}),
        ("TYPE-DOUBLE", {"value": "/value", "min": "/lo"}, {"value": 4}),
        (
            "RANGE-PERAPP-VALUE",
            {"value": "/data/0/value", "min": "/data/0/own/lo", "max": "/data/0/own/hi"},
            {"data": [{"value": 4, "own": {"lo": 2, "hi": 8}}]},
        ),
        ("TYPE-DOUBLE", {"value": ""}, 4),
        ("TYPE-DOUBLE", {"value": "/a~1b"}, {"a/b": 4}),
    ],
)
def test_body_has_the_shape_of_the_profile(clause: str, places: dict[str, str], body: Any) -> None:
    """Each member stands where the profile says; only those are shown that the clause is about."""
    members = good_members("Refrigerator", SETPOINT, "settings", "Vendor")
    assert json.loads(good_answer(CATALOG.clauses[clause], members, places)) == body


def test_keys_and_values_have_the_makers_name() -> None:
    """What a server of another maker shows begins with that name."""
    members = good_members("Oven", OPERATION, "status", "Acme")
    assert members["key"] == OPERATION.replace("Vendor", "Acme")
    assert str(members["value"]).startswith("Acme.Common.EnumType.OperationState.")


def test_nothing_is_shown_where_nobody_knows() -> None:
    """No place of the value, or a path at which a conforming server refuses: then there is no body."""
    clause = CATALOG.clauses["TYPE-BOOLEAN"]
    assert good_answer(clause, good_members("Oven", LOCK, "settings", "Vendor"), {"min": "/min"}) == ""
    assert good_members("Oven", LOCK, "status", "Vendor") == {}


@pytest.mark.parametrize("name", ["lost-as-text-under-status", "setting-refused-in-band"])
def test_finding_of_a_read_has_one(tmp_path: Path, name: str) -> None:
    """The body is that of the request that shows the finding."""
    body = json.loads(first_failure(name, tmp_path).good)
    assert body["data"]["value"] is False


@pytest.mark.parametrize(
    ("mutant", "level", "clause"),
    [("unit-by-its-own-key", "read", "UNIT-TEMP-APPLIES"), ("standby-labelled", "power", "ENUM-POWERSTATE")],
)
def test_finding_that_rests_on_more_has_none(mutant: str, level: Level, clause: str, tmp_path: Path) -> None:
    """What a conforming server answers is decided by another entry, or by what was written."""
    found = first_failure(mutant, tmp_path, level)
    assert (found.clause, found.good) == (clause, "")


# What `plan` says a run sends is what it sends, by the defaults of a target elsewhere.
NEAR, NEARLY, DAY = 1.2, 1.03, 900
PROFILES: dict[str, dict[str, dict[str, object]]] = {
    "as it is": {},
    "nothing generated": {"pace": {"generated": 0, "generated_reads": 0, "generated_writes": 0}},
    "every key in a series": {"timing": {"repeat_sample": 40}},
    "no lists": {"list": {}},
    "some writes": {"write": {"allow": ["*.Setting.ChildLock", "*.Setting.AlarmClock", "*.Light*"]}},
}


@pytest.mark.parametrize(
    ("ha_ids", "level", "name"),
    [
        *(((own.ha_id,), "read", "as it is") for own in Service.fleet),
        (("coffee-maker-1",), "write", "as it is"),
        *(((ha_id,), "power", "as it is") for ha_id in ("wine-cabinet-1", "hood-2", "fridge-1")),
        (("hood-2", "wine-cabinet-1"), "write", "nothing generated"),
        *((("hood-2",), "write", name) for name in ("every key in a series", "no lists", "some writes")),
    ],
)
def test_plan_is_near_what_is_sent(
    ha_ids: tuple[str, ...], level: Level, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """About as many requests where nothing is in the way, in one night or not; about as long as it waits."""
    monkeypatch.setattr(own_time, "_REQUEST_S", 0.0)
    service, clock = server_of(ha_ids), own_time.OwnTime()
    profile = remote(service, PROFILES[name])
    cases = all_cases(profile, level)
    planned = forecast(plan_run(profile, cases, level))
    session = Session(profile, tmp_path, level, network=network_of({PREFIX: service}, clock))
    session.select(cases)
    session.read()
    session.write()
    session.finish()
    sent = session.facts().requests.total
    session.close()
    near = NEAR if level == "read" else NEARLY  # what a control shows may spare some generated requests
    assert sent / near <= planned.requests <= sent * near, (planned, sent)
    assert (planned.requests <= DAY) is (sent <= DAY), (planned, sent)
    if len(ha_ids) == 1:  # the lanes of two wait at the same time
        assert clock.now() / NEAR <= planned.waiting_s <= clock.now() * NEAR, (planned, clock.now())


NIGHTS = Forecast(4_000, 100, 60.0, 600.0, 40, 900, 900, {})


@pytest.mark.parametrize(
    ("cost", "nights", "in_all", "binding"),
    [
        (NIGHTS, 5, 4_400, "pace.per_day = 900"),
        (replace(NIGHTS, left=100), 6, 4_500, "pace.per_day = 900"),
        (replace(NIGHTS, left=4_000), 1, 4_000, "pace.per_minute = 40"),
        (replace(NIGHTS, left=None, per_day=None), 1, 4_000, "pace.per_minute = 40"),
        (replace(NIGHTS, left=None, per_minute=None), 1, 4_000, "how fast the target answers"),
        (replace(NIGHTS, going_on=900), 0, 4_000, "pace.per_day = 900"),
    ],
)
def test_nights_are_what_is_left_and_what_each_begins_with(
    cost: Forecast, nights: int, in_all: int, binding: str
) -> None:
    """The first has what is left of today; each further one spends some to see what has changed."""
    assert (cost.nights, cost.in_all, cost.binding) == (nights, in_all, binding)


# A server that conforms in an unusual way can have a certificate, where the profile can say what it means.
NULL_MEANS_NOBODY = {"http": {"not_supported": [{"status": 200, "pointer": "/data/value"}]}}
NEEDED = "if that says that there is nothing of that name, declare it in http.not_supported"


def test_certificate_is_given_once_null_is_declared(tmp_path: Path) -> None:
    """Null for a key that nobody has: without a declaration of that, each reason names what is needed."""
    service = find_server("lacking-null")
    ran = run_of(service(), tmp_path / "open", "read")
    assert {NEEDED in text for verdict, text in ran.verdicts.values() if verdict == "inconclusive"} == {True}
    with session_of(service(), tmp_path / "declared", tables=NULL_MEANS_NOBODY, still=False) as session:
        results = judged_in(session, certify=True)
    assert (exit_code(results), results.refused) == (0, ())
    assert build_certificate(results, "", published_kills()).verdict == "conforms"


def test_plan_of_a_larger_fleet_takes_as_much_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four times as many appliances, claims are looked up four times as often."""
    looked: list[str] = []
    claim = Appliance.claim

    def counted(appliance: Appliance, key: str) -> Claim:
        looked.append(key)
        return claim(appliance, key)

    monkeypatch.setattr(Appliance, "claim", counted)
    counts: list[int] = []
    for number in (8, 32):
        profile = fleet_of_hoods(number)
        cases = all_cases(profile, "write")
        looked.clear()
        assert plan_run(profile, cases, "write").most_requests
        counts.append(len(looked))
    assert counts[1] == 4 * counts[0]
