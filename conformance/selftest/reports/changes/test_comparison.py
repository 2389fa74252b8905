"""Comparing two runs: what counts as a change, whose doing it is, and what a gate makes of it."""

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.checks.verdict import Verdict
from conformance.records.faults import Fault
from conformance.records.results import Omitted, Results
from conformance.records.run_facts import JudgedAppliance, RunFacts
from conformance.selftest.support.samples.results import (
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
    between,
    results_of,
    turned,
)
from reports.changes.comparison import change_between, compare, same_finding
from reports.changes.model import Baseline, Comparison
from reports.results.build import build_results

WAIVED = replace(FAIL, waived=True)
OVEN = JudgedAppliance("oven-1", "Oven")
BATTERY = "Vendor.Common.Status.BatteryLevel"
LEFT = Fault("not_restored", "oven-1 PowerState was On, is Off")
ARGV = ("--target=hub.toml", "conformance/test_reading.py")
PICKED = replace(RUN, argv=(*ARGV, "-k", "oven-1"))
WRITING = replace(RUN, level="write")


def causes_of(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Each change with its clause and its cause."""
    return [(one.change, one.clause, one.cause) for one in comparison.changes]


CHANGES = {
    "new_failure": ["pass fail", "inconclusive fail", "error fail", "nothing fail"],
    "fixed": ["fail pass", "fail observed", "fail not_applicable"],
    "inconclusive": ["fail inconclusive", "pass inconclusive", "not_applicable inconclusive"],
    "error": ["pass error"],
    "unjudged": ["fail nothing"],
    "": [
        *("error inconclusive", "nothing inconclusive", "error error", "pass nothing", "fail fail"),
        *("pass not_applicable", "inconclusive pass"),
    ],
}
"""The verdicts of a case before and after, by the change that they make."""
FINDINGS = [
    ("value is 107, document says 0 to 100", "value is 112.5, document says 0 to 100", True),
    ("value is -3 (number), document says Boolean", "value is 4 (number), document says Boolean", True),
    (
        "a value: Vendor.Common.Setting.NonceAbcdefgh is 1",
        "a value: Vendor.Common.Setting.NonceZyxwvuts is 2",
        True,
    ),
    ("still true 12 s after", "still true 14 s after", True),
    ("3 tries got 404 (refused)", "3 tries got 500 (server error)", False),
    ("3 tries got 404 (refused)", "3 tries got 409 (refused)", False),
    ("200 without a value: the body is empty", "204 without a value: the body is empty", False),
    ('value is "true" (string)', 'value is "false" (string)', False),
    ("value is 1 (number)", 'value is "1" (string)', False),
    ("value is Vendor.Color1", "value is Vendor.Color2", False),
]
SERVED = a_case("READ-SETTING", "pass")


@pytest.mark.parametrize(
    ("change", "verdicts"), [(name, row) for name, rows in CHANGES.items() for row in rows]
)
def test_change_of_a_case(change: str, verdicts: str) -> None:
    """Two verdicts make a change or none; only a decided case fixes a failure."""
    was, now = (turned(PASS, word) if word != "nothing" else None for word in verdicts.split())
    assert change_between(was, now) == (change or None)


@pytest.mark.parametrize(("one", "other", "same"), FINDINGS)
def test_same_finding(one: str, other: str, *, same: bool) -> None:
    """Measured numbers and words nobody uses make no other finding; status codes, types and texts do."""
    assert same_finding(one, other) is same
    changed = change_between(replace(FAIL, message=one), replace(FAIL, message=other))
    assert changed == (None if same else "changed")


FAILED_NOW, PASSED_NOW = turned(PASS, "fail"), turned(FAIL, "pass")
BOTH_WAYS = results_of(PASS, FAIL), results_of(FAILED_NOW, PASSED_NOW)
REWORDED = results_of(replace(FAIL, message="is red")), results_of(replace(FAIL, message="is blue"))
WHOLE, PART = results_of(PASS, FAIL), results_of(PASS)
OF_BOTH: dict[str, tuple[tuple[Results, Results], dict[str, Results], list[tuple[str, str, str]]]] = {
    "a waiver that ended": (
        (results_of(PASS, WAIVED), results_of(PASS, FAIL)),
        {},
        [("new_failure", FAIL.clause, "profile")],
    ),
    "what the old exchanges do not show": (
        (results_of(PASS, FAIL, ABSENT), results_of(FAILED_NOW, PASSED_NOW, turned(ABSENT, "inconclusive"))),
        {},
        [
            ("new_failure", PASS.clause, "server"),
            ("fixed", FAIL.clause, "server"),
            ("inconclusive", ABSENT.clause, "server"),
        ],
    ),
    "what the installed suite finds in the old exchanges, too": (
        BOTH_WAYS,
        {"again": BOTH_WAYS[1]},
        [("new_failure", PASS.clause, "suite"), ("fixed", FAIL.clause, "suite")],
    ),
    "a finding that the suite words otherwise": (
        REWORDED,
        {"again": REWORDED[1]},
        [("changed", FAIL.clause, "suite")],
    ),
    "another finding": (REWORDED, {}, [("changed", FAIL.clause, "server")]),
    "a finding behind an old mistake": (
        (WHOLE, WHOLE),
        {"again": results_of(PASS, PASSED_NOW)},
        [("changed", FAIL.clause, "server")],
    ),
    "what the new profile changes in the old exchanges": (
        BOTH_WAYS,
        {"reprofiled": results_of(FAILED_NOW, turned(FAIL, "inconclusive"))},
        [("new_failure", PASS.clause, "profile"), ("fixed", FAIL.clause, "profile")],
    ),
    "what the new profile asks for, and nobody asked": (
        BOTH_WAYS,
        {"reprofiled": results_of(turned(PASS, "inconclusive"), FAIL)},
        [("new_failure", PASS.clause, "unknown"), ("fixed", FAIL.clause, "server")],
    ),
    "a failure that a selection left out": (
        (WHOLE, replace(PART, unselected=3)),
        {},
        [("unjudged", FAIL.clause, "extent")],
    ),
    "a failure that the suite judges no more": (
        (WHOLE, PART),
        {"again": PART},
        [("unjudged", FAIL.clause, "suite")],
    ),
}
"""An old and a new run, what judging the old one again gives if it is another, and every change."""


@pytest.mark.parametrize("name", OF_BOTH)
def test_cause_of_a_change(name: str) -> None:
    """Each change is told, and whose doing it is."""
    (old, new), more, changes = OF_BOTH[name]
    comparison = between(old, new, more.get("again"), more.get("reprofiled"))
    assert causes_of(comparison) == changes


def test_nobody_is_the_cause_without_a_ledger() -> None:
    """Without the old ledger the cause is unknown, with the reason; that of a level is known."""
    new = results_of(turned(PASS, "fail"), a_case("SET-WRITABLE", "fail"), run=WRITING)
    left_out = Omitted("SET-WRITABLE", ALARM, FRIDGE.ha_id, "the run only reads", "--level write")
    old = build_results(RUN, [PASS], load_catalog(), omitted=[left_out])
    comparison = compare(Baseline(old, reason="it is gone"), new)
    causes = {"new_failure": [(PASS.clause, "unknown"), ("SET-WRITABLE", "extent")]}
    assert [(clause, cause) for _, clause, cause in causes_of(comparison)] == causes["new_failure"]
    assert comparison.notes[-1] == "causes cannot be told: it is gone"


def test_failure_of_a_new_case_is_told() -> None:
    """One that a level or an appliance adds is the doing of the extent, or of the profile."""
    write, oven = a_case("SET-WRITABLE", "fail"), a_case("TYPE-INTEGER", "fail", appliance=OVEN)
    old = results_of(PASS, run=replace(RUN, appliances=(FRIDGE,)))
    comparison = between(old, results_of(PASS, write, oven, run=WRITING))
    causes = [(clause, cause) for _, clause, cause in causes_of(comparison)]
    assert causes == [("SET-WRITABLE", "extent"), ("TYPE-INTEGER", "profile")]
    assert comparison.came == (OVEN,)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        (RUN, WRITING, "unknown"),
        (replace(WRITING, argv=PICKED.argv), WRITING, "unknown"),
        (WRITING, replace(WRITING, argv=PICKED.argv), "unknown"),
        (WRITING, WRITING, "server"),
        (PICKED, RUN, "server"),
    ],
)
@pytest.mark.parametrize("verdicts", ["pass fail", "fail pass"])
def test_run_that_writes_more_shows_no_change_of_the_server(
    verdicts: str, old: RunFacts, new: RunFacts, cause: str
) -> None:
    """A value that is wrong only once it was written may always have been."""
    before, after = (turned(PASS, verdict) for verdict in verdicts.split())
    changes = causes_of(between(results_of(before, run=old), results_of(after, run=new)))
    assert [found for _, _, found in changes] == [cause]


@pytest.mark.parametrize(
    ("again", "run", "cause"),
    [
        ("fail", RUN, "extent"),
        ("pass", RUN, "server"),
        ("inconclusive", RUN, "extent"),
        ("pass", WRITING, "extent"),
    ],
)
def test_case_that_was_not_selected_is_no_change_of_the_server(
    again: Verdict, run: RunFacts, cause: str
) -> None:
    """A failure that was not selected before is the server's only if what was read then shows none."""
    old, new = replace(results_of(PASS, run=run), unselected=3), results_of(PASS, FAIL, run=run)
    changes = causes_of(between(old, new, again=results_of(PASS, turned(FAIL, again))))
    assert changes == [("new_failure", FAIL.clause, cause)]


def test_served_keys_are_compared_per_appliance() -> None:
    """A key is newly served or vanished on its appliance; a doubtful one is neither."""
    oven, doubtful = replace(SERVED, id="o", ha_id="oven-1"), replace(SERVED, id="d", key="Vendor.Sound")
    old = results_of(SERVED, turned(oven, "not_applicable"), doubtful)
    new = results_of(turned(SERVED, "fail", "answered 404"), oven, turned(doubtful, "inconclusive"))
    assert [(key.change, key.ha_id, key.key, key.cause) for key in between(old, new).keys] == [
        ("vanished", "fridge-1", ALARM, "server"),
        ("served", "oven-1", ALARM, "server"),
    ]


def test_key_that_a_higher_level_shows_is_no_change_of_the_server() -> None:
    """A key that the run of the higher level alone serves may be one that it had to switch on."""
    hidden = turned(SERVED, "not_applicable")
    read, written = results_of(hidden, run=RUN), results_of(SERVED, run=WRITING)
    lost = results_of(SERVED, run=RUN), results_of(hidden, run=WRITING)
    pairs = [(read, written), (written, read), lost]
    keys = [(key.change, key.cause) for pair in pairs for key in between(*pair).keys]
    assert keys == [("served", "extent"), ("vanished", "extent"), ("vanished", "server")]


def test_contested_key_vanishes_from_both_segments() -> None:
    """A contested status that neither segment serves has vanished."""
    read, path = (a_case(clause, "pass", key=BATTERY) for clause in ("READ-STATUS", "PATH-BATTERYLEVEL"))
    new = results_of(turned(read, "inconclusive"), turned(path, "fail"))
    keys = between(results_of(read, path), new).keys
    assert [(key.change, key.key) for key in keys] == [("vanished", BATTERY)]


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
        (results_of(SERVED), results_of(turned(SERVED, "not_applicable")), 3),
        (results_of(turned(SERVED, "not_applicable")), results_of(SERVED), 0),
    ],
)
def test_gate(old: Results, new: Results, gate: int) -> None:
    """The gate is 1 for a failure that is new and not waived, 3 for what is not known any more, else 0."""
    assert between(old, new).gate == gate


def test_runs_that_differ_are_told() -> None:
    """Differences in suite, catalog, address, level, selection and profile are said."""
    target = replace(RUN.target, base_url="https://b")
    run = replace(PICKED, suite_version="0.2.0", catalog_sha256="ff" * 32, level="write", target=target)
    again, new = results_of(FAIL), results_of(PASS, run=run)
    notes = "\n".join(between(results_of(PASS), new, again, places=("pace.per_minute",)).notes)
    for said in ("0.1.0 then, 0.2.0 now", "https://b now", "level: read then, write now", "pace.per_minute"):
        assert said in notes
    assert "every case then, -k oven-1 now" in notes
    assert "was not made by the installed suite" in notes


def test_claim_is_probably_the_cause_of_what_it_asks_for() -> None:
    """A key that the profile claims now, and did not, may fail by that alone where no cause is known."""
    claims = replace(turned(ABSENT, "fail"), claimed=True)
    comparison = compare(Baseline(results_of(PASS, ABSENT), reason="it is gone"), results_of(PASS, claims))
    assert causes_of(comparison) == [("new_failure", ABSENT.clause, "claim")]
