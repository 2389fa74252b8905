"""Comparing two runs: what counts as a change, whose doing it is, and what a gate makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from catalog.loader import load_catalog
from conformance.selftest.support.sample_changes import between, turned
from conformance.selftest.support.sample_results import (
    ABSENT,
    ALARM,
    ERROR,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    a_case,
    results_of,
)
from reports.changes.comparison import change_between, compare, same_finding
from reports.changes.model import Baseline
from reports.results.build import build_results
from reports.results.faults import Fault
from reports.results.model import JudgedAppliance, Omitted

if TYPE_CHECKING:
    from reports.changes.model import Comparison
    from reports.results.model import Results

WAIVED = replace(FAIL, waived=True)
OVEN = JudgedAppliance("oven-1", "Oven")
BATTERY = "Vendor.Common.Status.BatteryLevel"
LEFT = Fault("not_restored", "oven-1 PowerState was On, is Off")
ARGV = ("--target=hub.toml", "conformance/test_reading.py")
PICKED = replace(RUN, argv=(*ARGV, "-k", "oven-1"))
WRITING = replace(RUN, level="write")


def told(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Each change with its clause and its cause."""
    return [(one.change, one.clause, one.cause) for one in comparison.changes]


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("pass", "fail", "new_failure"),
        ("inconclusive", "fail", "new_failure"),
        ("error", "fail", "new_failure"),
        (None, "fail", "new_failure"),
        ("fail", "pass", "fixed"),
        ("fail", "observed", "fixed"),
        ("fail", "not_applicable", "fixed"),
        ("fail", "inconclusive", "inconclusive"),
        ("pass", "inconclusive", "inconclusive"),
        ("not_applicable", "inconclusive", "inconclusive"),
        ("error", "inconclusive", None),
        (None, "inconclusive", None),
        ("pass", "error", "error"),
        ("error", "error", None),
        ("fail", None, "unjudged"),
        ("pass", None, None),
        ("fail", "fail", None),
        ("pass", "not_applicable", None),
        ("inconclusive", "pass", None),
    ],
)
def test_change_of_a_case(before: str | None, after: str | None, change: str | None) -> None:
    """Two verdicts make a change or none; only a decided case fixes a failure."""
    was, now = (turned(PASS, verdict) if verdict else None for verdict in (before, after))
    assert change_between(was, now) == change


def test_waivers_tell_failures_apart() -> None:
    """A new failure that is waived is told apart, and one whose waiver ended is a new one, by the profile."""
    assert change_between(PASS, WAIVED) == "waived_failure"
    assert change_between(WAIVED, WAIVED) is None
    assert told(between(results_of(PASS, WAIVED), results_of(PASS, FAIL))) == [
        ("new_failure", FAIL.clause, "profile")
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("value is 107, document says 0 to 100", "value is 112.5, document says 0 to 100", True),
        ("value is -3 (number), document says Boolean", "value is 4 (number), document says Boolean", True),
        (
            "a value: Vendor.Common.Setting.NonceAbcdefgh is 1",
            "a value: Vendor.Common.Setting.NonceZyxwvuts is 2",
            True,
        ),
        ("still true 12 s after", "still true 14 s after", True),
        (
            "claimed, but answered 404 (refused) on 3 tries",
            "claimed, but answered 500 (server error) on 3 tries",
            False,
        ),
        ("answered 404 (refused) on 3 tries", "answered 409 (refused) on 3 tries", False),
        ("200 without a value: the body is empty", "204 without a value: the body is empty", False),
        ('value is "true" (string)', 'value is "false" (string)', False),
        ("value is 1 (number)", 'value is "1" (string)', False),
        ("value is Vendor.Color1", "value is Vendor.Color2", False),
    ],
)
def test_same_finding(one: str, other: str, *, same: bool) -> None:
    """Measured numbers and words nobody uses make no other finding; status codes, types and texts do."""
    assert same_finding(one, other) is same
    assert change_between(replace(FAIL, message=one), replace(FAIL, message=other)) == (
        None if same else "changed"
    )


def test_server_is_the_cause_of_what_the_old_ledger_does_not_show() -> None:
    """What the old exchanges, judged again, do not show is the server's doing."""
    old = results_of(PASS, FAIL, ABSENT)
    new = results_of(turned(PASS, "fail"), turned(FAIL, "pass"), turned(ABSENT, "inconclusive"))
    assert told(between(old, new)) == [
        ("new_failure", PASS.clause, "server"),
        ("fixed", FAIL.clause, "server"),
        ("inconclusive", ABSENT.clause, "server"),
    ]


def test_suite_is_the_cause_of_what_it_says_of_the_old_ledger() -> None:
    """What the installed suite finds in the old exchanges, too, is caused by the suite."""
    old, new = results_of(PASS, FAIL), results_of(turned(PASS, "fail", "found"), turned(FAIL, "pass"))
    comparison = between(old, new, again=new)
    assert told(comparison) == [("new_failure", PASS.clause, "suite"), ("fixed", FAIL.clause, "suite")]
    assert comparison.gate == 1


def test_reworded_finding_is_the_suites() -> None:
    """A finding that is new for the old exchanges, too, was reworded; another one is the server's."""
    old, new = results_of(replace(FAIL, message="is red")), results_of(replace(FAIL, message="is blue"))
    assert told(between(old, new, again=new)) == [("changed", FAIL.clause, "suite")]
    assert told(between(old, new)) == [("changed", FAIL.clause, "server")]


def test_finding_behind_an_old_mistake_is_told() -> None:
    """A failure that the old exchanges do not show is told, even if the case failed both times."""
    old = results_of(PASS, FAIL)
    comparison = between(old, old, again=results_of(PASS, turned(FAIL, "pass")))
    assert told(comparison) == [("changed", FAIL.clause, "server")]


def test_profile_is_the_cause_of_what_it_turns() -> None:
    """What the new profile changes in the old exchanges is caused by the profile."""
    old, new = results_of(PASS, FAIL), results_of(turned(PASS, "fail"), turned(FAIL, "pass"))
    turned_by_profile = results_of(turned(PASS, "fail"), turned(FAIL, "inconclusive"))
    causes = [
        cause for _, _, cause in told(between(old, new, reprofiled=turned_by_profile, places=("pace",)))
    ]
    assert causes == ["profile", "profile"]
    blind = results_of(turned(PASS, "inconclusive"), FAIL)
    assert [cause for _, _, cause in told(between(old, new, reprofiled=blind))] == ["unknown", "server"]


def test_nobody_is_the_cause_without_a_ledger() -> None:
    """Without the old ledger the cause is unknown, with the reason; that of a level is known."""
    new = results_of(turned(PASS, "fail"), a_case("SET-WRITABLE", "fail"), run=WRITING)
    left_out = Omitted("SET-WRITABLE", ALARM, FRIDGE.ha_id, "the run only reads", "--level write")
    comparison = compare(
        Baseline(build_results(RUN, [PASS], load_catalog(), omitted=[left_out]), reason="it is gone"), new
    )
    assert told(comparison) == [
        ("new_failure", PASS.clause, "unknown"),
        ("new_failure", "SET-WRITABLE", "extent"),
    ]
    assert comparison.notes[-1] == "causes cannot be told: it is gone"


def test_cases_of_one_run_alone_are_counted() -> None:
    """Cases that a level, an appliance or a selection adds are counted, their failures told."""
    mine, write, oven = (
        PASS,
        turned(a_case("SET-WRITABLE", "pass"), "fail"),
        a_case("TYPE-INTEGER", "fail", appliance=OVEN),
    )
    old = results_of(mine, run=replace(RUN, appliances=(FRIDGE,)))
    comparison = between(old, results_of(mine, write, oven, run=WRITING))
    assert told(comparison) == [
        ("new_failure", "SET-WRITABLE", "extent"),
        ("new_failure", "TYPE-INTEGER", "profile"),
    ]
    assert (comparison.only_new, comparison.came) == ({"extent": 1, "profile": 1}, (OVEN,))


def test_case_that_was_not_selected_is_no_change_of_the_server() -> None:
    """A failure that was not selected before is the server's only if it is new."""
    old, new = replace(results_of(PASS), partial=True), results_of(PASS, FAIL)
    assert told(between(old, new, again=new)) == [("new_failure", FAIL.clause, "extent")]
    assert told(between(old, new, again=results_of(PASS, turned(FAIL, "pass")))) == [
        ("new_failure", FAIL.clause, "server")
    ]


def test_failure_without_a_case_is_told() -> None:
    """A failure that a selection or a suite leaves out is not fixed: it is told as judged no more."""
    old = results_of(PASS, FAIL)
    assert told(between(old, replace(results_of(PASS), partial=True))) == [
        ("unjudged", FAIL.clause, "extent")
    ]
    comparison = between(old, results_of(PASS), again=results_of(PASS))
    assert told(comparison) == [("unjudged", FAIL.clause, "suite")]
    assert (comparison.only_old, comparison.gate) == ({"suite": 1}, 0)


def test_served_keys_are_compared_per_appliance() -> None:
    """A key is newly served or vanished on its appliance; a doubtful one is neither."""
    fridge, oven = (a_case("READ-SETTING", "pass", appliance=appliance) for appliance in (FRIDGE, OVEN))
    doubtful = a_case("READ-SETTING", "pass", key="Vendor.Common.Setting.Sound")
    old = results_of(fridge, turned(oven, "not_applicable"), doubtful)
    comparison = between(
        old, results_of(turned(fridge, "fail", "answered 404"), oven, turned(doubtful, "inconclusive"))
    )
    assert [(key.change, key.ha_id, key.key, key.cause) for key in comparison.keys] == [
        ("vanished", "fridge-1", ALARM, "server"),
        ("served", "oven-1", ALARM, "server"),
    ]


def test_contested_key_vanishes_from_both_segments() -> None:
    """A contested status that neither segment serves has vanished."""
    read, path = a_case("READ-STATUS", "pass", key=BATTERY), a_case("PATH-BATTERYLEVEL", "pass", key=BATTERY)
    comparison = between(
        results_of(read, path), results_of(turned(read, "inconclusive"), turned(path, "fail"))
    )
    assert [(key.change, key.key) for key in comparison.keys] == [("vanished", BATTERY)]


@pytest.mark.parametrize(
    ("old", "new", "gate"),
    [
        (results_of(PASS, FAIL), results_of(PASS, FAIL), 0),
        (results_of(PASS, FAIL), results_of(PASS, turned(FAIL, "pass")), 0),
        (results_of(PASS), results_of(turned(PASS, "fail")), 1),
        (results_of(PASS), results_of(turned(PASS, "inconclusive")), 3),
        (results_of(PASS, UNSURE), results_of(turned(PASS, "fail"), ERROR), 1),
        (results_of(PASS), results_of(PASS, ERROR), 3),
        (results_of(PASS), results_of(PASS, WAIVED), 0),
        (results_of(PASS), results_of(PASS, faults=["a worker died"]), 3),
        (results_of(PASS), results_of(PASS, faults=[LEFT]), 3),
        (results_of(PASS, faults=[LEFT]), results_of(PASS, faults=[LEFT]), 0),
        (results_of(PASS), replace(results_of(PASS), interrupted=True), 3),
        (results_of(PASS), results_of(SEEN), 3),
        (results_of(a_case("READ-SETTING", "pass")), results_of(a_case("READ-SETTING", "not_applicable")), 3),
        (results_of(a_case("READ-SETTING", "not_applicable")), results_of(a_case("READ-SETTING", "pass")), 0),
    ],
)
def test_gate(old: Results, new: Results, gate: int) -> None:
    """The gate is 1 for a failure that is new and not waived, 3 for what is not known any more, else 0."""
    assert between(old, new).gate == gate


def test_runs_that_differ_are_told() -> None:
    """Differences in suite, catalog, address, level, selection and profile are said."""
    run = replace(
        PICKED,
        suite_version="0.2.0",
        catalog_sha256="ff" * 32,
        level="write",
        target=replace(RUN.target, base_url="https://b"),
    )
    notes = between(
        results_of(PASS), results_of(PASS, run=run), results_of(FAIL), places=("pace.per_minute",)
    ).notes
    for said in (
        "0.1.0 then, 0.2.0 now",
        "https://b now",
        "level: read then, write now",
        "every case then, -k oven-1 now",
        "pace.per_minute",
    ):
        assert any(said in note for note in notes), said
    assert any("was not made by the installed suite" in note for note in notes)


def test_verdicts_that_moved_are_counted() -> None:
    """Whatever changed its verdict is counted, also what is listed nowhere."""
    comparison = between(
        results_of(PASS, SEEN), results_of(turned(PASS, "not_applicable"), turned(SEEN, "not_applicable"))
    )
    assert comparison.transitions == {"pass to not_applicable": 1, "observed to not_applicable": 1}
    assert comparison.common == 2
