"""Two runs compared: what counts as a change, whose doing it is, what a gate makes of it, and its words."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.records.faults import Fault
from conformance.records.results import CaseResult, DecidingExchange, Omitted, WaiverResult
from conformance.records.run_facts import JudgedAppliance, RunFacts
from conformance.selftest.support.results import (
    ABSENT,
    ALARM,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    SEEN,
    a_case,
    between,
    results_of,
    turned,
)
from reports.changes.comparison import compare
from reports.changes.files import load_changes, render_changes, report_changes, write_changes
from reports.changes.model import Baseline, Comparison
from reports.changes.text import changes_in_short, render_changes_markdown, render_changes_text
from reports.story.blocks import MARKDOWN, PLAIN, markdown, plain

WAIVED = replace(FAIL, waived=True)
OVEN = JudgedAppliance("oven-1", "Oven")
LEFT = Fault("not_restored", "oven-1 PowerState was On, is Off")
EXPIRED = WaiverResult("RANGE-*", "known", "hub team", "2026-11-08", "expired")
PICKED = replace(RUN, argv=("--target=hub.toml", "conformance/test_reading.py", "-k", "oven-1"))
WRITING = replace(RUN, level="write")
ELSEWHERE = replace(
    PICKED,
    suite_version="0.2.0",
    catalog_sha256="ff" * 32,
    level="write",
    target=replace(RUN.target, base_url="https://b"),
)
OTHER = a_case("TYPE-STRING", "pass")
SERVED = a_case("READ-SETTING", "pass")
BATTERY = [
    a_case(clause, "pass", key="Vendor.Common.Status.BatteryLevel")
    for clause in ("READ-STATUS", "PATH-BATTERYLEVEL")
]
CROWD = [
    replace(
        a_case("TYPE-INTEGER", "fail", key=f"Vendor.Common.Setting.K{count}"),
        sights=(DecidingExchange(1, FRIDGE.ha_id, ALARM, "VALUE"),),
    )
    for count in range(30)
]
"""Cases of one finding."""
DARK = [
    a_case(clause, "inconclusive", key=key, message="no answer")
    for clause, key in (("ADDR-BASE", "*"), ("TYPE-INTEGER", ALARM), ("RANGE-ALARMCLOCK", ALARM))
]
"""An appliance that gives no value."""


def pair(*cases: CaseResult, now: list[CaseResult], run: RunFacts = RUN, **more: Any) -> Comparison:
    """Two runs with these cases."""
    return between(results_of(*cases), results_of(*now, run=run), **more)


FAILED_NOW, PASSED_NOW = turned(PASS, "fail"), turned(FAIL, "pass")
BOTH = (results_of(PASS, FAIL), results_of(FAILED_NOW, PASSED_NOW))
REWORDED = (results_of(replace(FAIL, message="is red")), results_of(replace(FAIL, message="is blue")))
WHOLE, PART = results_of(PASS, FAIL), results_of(PASS)
NOT_SELECTED = results_of(PASS, unselected=3)
ONLY_READ = results_of(
    PASS, omitted=[Omitted("SET-WRITABLE", ALARM, FRIDGE.ha_id, "the run only reads", "--level write")]
)
NO_LIST = results_of(PASS, omitted=[Omitted(FAIL.clause, FAIL.key, FAIL.ha_id, "no list", "write.allow")])
NOT_SERVED = turned(SERVED, "not_applicable")
ELSE = [replace(SERVED, id="o", ha_id="oven-1"), replace(SERVED, id="d", key="Vendor.Sound")]
# fmt: off
OF_A_CASE = {
    "1 new_failure server": ("pass fail", "inconclusive fail", "error fail"),
    "1 new_failure unknown": ("nothing fail",),
    "0 fixed server": ("fail pass", "fail observed", "fail not_applicable"),
    "3 inconclusive server": ("fail inconclusive", "pass inconclusive", "not_applicable inconclusive"),
    "3 error server": ("pass error",),
    "0 unjudged unknown": ("fail nothing",),
    "0": ("fail fail", "error inconclusive", "nothing inconclusive", "error error", "pass nothing",
        "pass not_applicable", "inconclusive pass"),
}
"""The gate, each change and its cause, and the verdicts of the case before and after that make it."""
PAIRS = {
    "no case in common": ("3", pair(PASS, now=[SEEN])),
    "a failure is waived": ("0 waived_failure server", pair(PASS, now=[replace(FAILED_NOW, waived=True)])),
    "a waiver that ended": ("1 new_failure profile", pair(PASS, WAIVED, now=[PASS, FAIL])),
    "a waiver that expired": ("1 new_failure waiver",
        between(results_of(WAIVED), results_of(FAIL, waivers=[EXPIRED]))),
    "what the old exchanges do not show": ("1 new_failure server, fixed server, inconclusive server",
        pair(PASS, FAIL, ABSENT, now=[FAILED_NOW, PASSED_NOW, turned(ABSENT, "inconclusive")])),
    "what the installed suite finds in the old exchanges, too": ("1 new_failure suite, fixed suite",
        between(*BOTH, again=BOTH[1])),
    "a finding that the suite words otherwise": ("0 changed suite", between(*REWORDED, again=REWORDED[1])),
    "another finding": ("0 changed server", between(*REWORDED)),
    "a finding behind an old mistake": ("0 changed server",
        between(WHOLE, WHOLE, again=results_of(PASS, PASSED_NOW))),
    "what the new profile changes in the old exchanges": ("1 new_failure profile, fixed profile",
        between(*BOTH, reprofiled=results_of(FAILED_NOW, turned(FAIL, "inconclusive")))),
    "what the new profile asks for, and nobody asked": ("1 new_failure unknown, fixed server",
        between(*BOTH, reprofiled=results_of(turned(PASS, "inconclusive"), FAIL))),
    "a failure that a selection left out": ("0 unjudged extent", between(WHOLE, NOT_SELECTED)),
    "a failure that the profile left out": ("0 unjudged extent", between(WHOLE, NO_LIST)),
    "a failure that it leaves out no longer": ("1 new_failure extent", between(NO_LIST, WHOLE)),
    "a failure that the suite judges no more": ("0 unjudged suite", between(WHOLE, PART, again=PART)),
    "the old ledger is gone": ("1 new_failure unknown, new_failure extent",
        compare(Baseline(ONLY_READ, reason="it is gone"),
            results_of(FAILED_NOW, a_case("SET-WRITABLE", "fail"), run=WRITING))),
    "it is gone, and the key is newly claimed": ("1 new_failure claim",
        compare(Baseline(results_of(PASS, ABSENT), reason="it is gone"),
            results_of(PASS, replace(turned(ABSENT, "fail"), claimed=True)))),
    "a level and an appliance add cases": ("1 new_failure extent, new_failure profile",
        between(results_of(PASS, run=replace(RUN, appliances=(FRIDGE,))),
            results_of(PASS, a_case("SET-WRITABLE", "fail"), a_case("TYPE-INTEGER", "fail", appliance=OVEN),
                run=WRITING))),
    "keys are served and vanish": (
        "1 new_failure server, inconclusive server, vanished fridge-1 server, served oven-1 server",
        pair(SERVED, turned(ELSE[0], "not_applicable"), ELSE[1],
            now=[turned(SERVED, "fail", "answered 404"), ELSE[0], turned(ELSE[1], "inconclusive")])),
    "a key does not vanish by a fault of the suite": ("3 error server",
        pair(SERVED, now=[turned(SERVED, "error")])),
    "a key is served": ("0 served fridge-1 server", pair(NOT_SERVED, now=[SERVED])),
    "a key is served at a higher level": ("0 served fridge-1 extent",
        pair(NOT_SERVED, now=[SERVED], run=WRITING)),
    "a key was served at a higher level": ("3 vanished fridge-1 extent",
        between(results_of(SERVED, run=WRITING), results_of(NOT_SERVED))),
    "a key vanishes at a higher level": ("3 vanished fridge-1 server",
        pair(SERVED, now=[NOT_SERVED], run=WRITING)),
    "neither segment serves a contested key": (
        "1 inconclusive server, new_failure server, vanished fridge-1 server",
        pair(*BATTERY, now=[turned(BATTERY[0], "inconclusive"), turned(BATTERY[1], "fail")])),
    "a worker died": ("3", between(PART, results_of(PASS, faults=["a worker died"]))),
    "a value is not put back": ("3", between(PART, results_of(PASS, faults=[LEFT]))),
    "nor was it before": ("0", between(results_of(PASS, faults=[LEFT]), results_of(PASS, faults=[LEFT]))),
    "the new run is interrupted": ("3", between(PART, results_of(PASS, interrupted=True))),
    "the old run was interrupted": ("0", between(results_of(PASS, interrupted=True), PART)),
}
"""The gate, each change of a case or of a key, and its cause."""
FURTHER = [
    ("unknown", RUN, WRITING),
    ("unknown", replace(WRITING, argv=PICKED.argv), WRITING),
    ("unknown", WRITING, replace(WRITING, argv=PICKED.argv)),
    ("server", WRITING, WRITING),
    ("server", PICKED, RUN),
]
"""Runs that may have gone further than the other one, and the cause of what differs."""
NEWLY_SELECTED = [("extent", "fail", RUN), ("server", "pass", RUN), ("extent", "inconclusive", RUN),
    ("extent", "pass", WRITING)]
"""The cause of a failure that was not selected before, by how the old exchanges are judged again."""
SAID = [
    ("value is 107, document says 0 to 100", "value is 112.5, document says 0 to 100", True),
    ("value is -3 (number), document says Boolean", "value is 4 (number), document says Boolean", True),
    ("key: Vendor.Common.Setting.NonceAbcdefgh", "key: Vendor.Common.Setting.NonceZyxwvuts", True),
    ("still true 12 s after", "still true 14 s after", True),
    ("3 tries got 404 (refused)", "3 tries got 500 (server error)", False),
    ("3 tries got 404 (refused)", "3 tries got 409 (refused)", False),
    ("200 without a value: the body is empty", "204 without a value: the body is empty", False),
    ('value is "true" (string)', 'value is "false" (string)', False),
    ("value is 1 (number)", 'value is "1" (string)', False),
    ("value is Vendor.Color1", "value is Vendor.Color2", False),
]
"""What a case that fails both times says, and whether that is the same finding."""
STILL_OPEN = a_case("READ-SETTING", "pass", appliance=OVEN)
FELL_SILENT = between(results_of(*(turned(case, "pass") for case in DARK), STILL_OPEN),
    results_of(*DARK, turned(STILL_OPEN, "inconclusive", "busy")))
GOOD, BAD = results_of(*(turned(case, "pass") for case in CROWD)), results_of(*CROWD)
OUTAGE = results_of(*(turned(case, "inconclusive", f"{case.key} gave no answer") for case in CROWD))
KNOWN = compare(Baseline(results_of(FAIL), reason="gone", known={FAIL.id: "2026-11-03T01:00:00Z"}),
    results_of(FAIL, replace(SERVED, verdict="fail", waived=True)))
DIFFERENT = pair(PASS, now=[PASS], run=ELSEWHERE, again=results_of(FAIL), places=("pace.per_minute",))
SINCE = "Since the baseline: "
WORDS = [
    (pair(PASS, now=[PASS]), f"{SINCE}nothing changed"),
    (pair(PASS, now=[SEEN]), "Nothing to compare: the runs have no case in common"),
    (FELL_SILENT, f"{SINCE}1 appliance no longer answers, 1 newly inconclusive case"),
    (FELL_SILENT, "fridge-1 (Refrigerator)"),
    (between(GOOD, BAD), f"{SINCE}1 new finding in 30 cases"),
    (between(GOOD, BAD), "TYPE-INTEGER::Vendor.Common.Setting.K0@fridge-1 and 29 more"),
    (between(BAD, GOOD), f"{SINCE}1 fixed finding in 30 cases"),
    (between(GOOD, OUTAGE), "30 × <key> gave no answer"),  # noqa: RUF001  the sign says times
    (KNOWN, f"{SINCE}1 new finding that is waived; 1 finding is known since 2026-11-03"),
    (PAIRS["a waiver that expired"][1], "was fail; its waiver expired on 2026-11-08"),
    (DIFFERENT, "another address: https://staging.example/hub then, https://b now"),
    (DIFFERENT, "another suite: 0.1.0 then, 0.2.0 now"),
    (DIFFERENT, f"another catalog: {RUN.catalog_sha256[:12]} then, ffffffffffff now"),
    (DIFFERENT, ("the new run was not made by the installed suite (0.1.0, judging "
        f"{RUN.judging_sha256[:12]}), which judged the old ledger again: causes are not exact")),
    (PAIRS["a level and an appliance add cases"][1], "oven-1 (Oven)"),
    (DIFFERENT, "another profile: it differs in pace.per_minute"),
    (between(PART, replace(PART, certify=True), places=("timing.quiet_s",)),
        "another profile: it differs in timing.quiet_s, which --certify sets"),
    (DIFFERENT, "another level: read then, write now"),
    (DIFFERENT, "another selection: every case then, -k oven-1 now"),
    (PAIRS["the old ledger is gone"][1], "causes cannot be told: it is gone"),
]
"""A line of what `diff` says."""
# fmt: on


def in_short(comparison: Comparison) -> list[str]:
    """The changes as a run ends with them."""
    return [text.strip() for text, _ in plain(changes_in_short(comparison, PLAIN))]


def brief(comparison: Comparison) -> str:
    """The gate, and what changed with its cause."""
    changes = [f"{one.change} {one.cause}" for one in comparison.changes]
    keys = [f"{key.change} {key.ha_id} {key.cause}" for key in comparison.keys]
    return f"{comparison.gate} {', '.join((*changes, *keys))}".strip()


@pytest.mark.parametrize(
    ("expected", "ended"), [(said, one) for said, rows in OF_A_CASE.items() for one in rows]
)
def test_change_of_a_case(expected: str, ended: str) -> None:
    """Two verdicts make a change or none; only a decided case fixes a failure."""
    before, after = ([turned(PASS, word)] if word != "nothing" else [] for word in ended.split())
    assert brief(pair(OTHER, *before, now=[OTHER, *after])) == expected


@pytest.mark.parametrize("name", PAIRS)
def test_what_changed_and_by_whom(name: str) -> None:
    """The gate is 1 for a failure that is new and not waived, 3 for what is not known any more, else 0."""
    expected, comparison = PAIRS[name]
    assert brief(comparison) == expected


@pytest.mark.parametrize(("cause", "old", "new"), FURTHER)
def test_run_that_goes_further_shows_no_change_of_the_server(
    cause: str, old: RunFacts, new: RunFacts
) -> None:
    """A value that is wrong only once it was written may always have been."""
    for was, now in ((PASS, FAILED_NOW), (FAILED_NOW, PASS)):
        (change,) = between(results_of(was, run=old), results_of(now, run=new)).changes
        assert change.cause == cause


@pytest.mark.parametrize(("cause", "again", "run"), NEWLY_SELECTED)
def test_case_that_was_not_selected_is_no_change_of_the_server(cause: str, again: str, run: RunFacts) -> None:
    """A failure that was not selected before is the server's only if what was read then shows none."""
    judged_again = results_of(PASS, turned(FAIL, again))
    comparison = between(replace(NOT_SELECTED, run=run), results_of(PASS, FAIL, run=run), judged_again)
    assert brief(comparison) == f"1 new_failure {cause}"


@pytest.mark.parametrize(("one", "other", "same"), SAID)
def test_same_finding(one: str, other: str, *, same: bool) -> None:
    """Measured numbers and words nobody uses make no other finding; status codes, types and texts do."""
    comparison = pair(replace(FAIL, message=one), now=[replace(FAIL, message=other)])
    assert brief(comparison) == ("0" if same else "0 changed server")


@pytest.mark.parametrize(("comparison", "line"), WORDS)
def test_change_in_words(comparison: Comparison, line: str) -> None:
    """An appliance that fell silent, and a finding of many cases, are told once."""
    lines = [one.strip() for one in render_changes_text(comparison).splitlines()]
    assert lines.count(line) == 1
    short = in_short(comparison)
    assert (short[0], len(short) < 4) == (lines[0], True)


def test_changes_are_read_back(tmp_path: Path) -> None:
    """What is written is read back by the reports of its run; those of a later run show none of it.

    Nor is anything shown of a changes.json that is none of ours, or cut.
    """
    comparison = between(results_of(PASS, SERVED), results_of(turned(PASS, "fail"), turned(SERVED, "fail")))
    write_changes(comparison, tmp_path)
    assert load_changes(tmp_path, RUN.started) == comparison
    assert render_changes(comparison) == (tmp_path / "changes.json").read_text(encoding="utf-8")
    assert load_changes(tmp_path, "2026-11-22T09:00:00Z") is None
    for text in ("", "[]", '{"schema": "other/1"}', '{"schema": "appliance-conformance/changes/1"}'):
        (tmp_path / "changes.json").write_text(text, encoding="utf-8")
        assert load_changes(tmp_path, RUN.started) is None


def test_long_lists_are_cut() -> None:
    """Fifty of many changes are shown with what is left out, far below 1 MiB whatever a server has sent."""
    cases = [a_case("TYPE-INTEGER", "fail", key=f"Vendor.Common.Setting.K{count}") for count in range(900)]
    old, new = (results_of(*(turned(case, word, "x" * 5000) for case in cases)) for word in ("pass", "fail"))
    faults = (f"fault of the suite: {number}" for number in range(25))
    comparison = replace(between(old, new), trouble=tuple(faults))
    whole = render_changes_markdown(comparison)
    assert whole.count("`TYPE-INTEGER::") == 50
    assert (whole.count("**`fault of the suite: "), "**… and 5 more in changes.json**" in whole) == (20, True)
    assert "… and 850 further changes in changes.json" in whole
    assert len(whole.encode()) < 100_000
    assert in_short(comparison)[-1] == "… and 890 further changes in changes.md"
    summary = "\n\n".join(markdown(changes_in_short(comparison, MARKDOWN)))
    # in code, or a mail leads to a host of that name
    assert "further changes in `changes.md`" in summary
    assert summary.count("\n- new finding") == 20


def test_comparison_that_breaks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that cannot be made costs the run nothing, and is said."""
    monkeypatch.setattr("reports.changes.files.compare", None)
    (fault,) = report_changes(Baseline(results_of(PASS)), results_of(PASS), tmp_path)
    assert fault.startswith("changes.json could not be made: TypeError")
