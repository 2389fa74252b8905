"""Pairs of runs compared: what changed, whose doing it is, and what a gate makes of it: golden/changes.txt.

Of each pair stand there the exit code of `diff`, what `diff` says without the two runs, and what a run with
that baseline ends with.
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from conformance.records.faults import Fault
from conformance.records.results import CaseResult, DecidingExchange, Omitted, WaiverResult
from conformance.records.run_facts import JudgedAppliance, RunFacts
from conformance.selftest.support.golden import assert_as_it_was
from conformance.selftest.support.samples.results import (
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
from reports.changes.model import Baseline, Comparison
from reports.changes.text import changes_in_short, render_changes_text
from reports.story.blocks import PLAIN, plain

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
ENDED = (
    *("pass fail", "inconclusive fail", "error fail", "nothing fail", "fail fail"),
    *("fail pass", "fail observed", "fail not_applicable"),
    *("fail inconclusive", "pass inconclusive", "not_applicable inconclusive"),
    *("error inconclusive", "nothing inconclusive", "pass error", "error error", "fail nothing"),
    *("pass nothing", "pass not_applicable", "inconclusive pass"),
)
"""How a case ended before and after."""
SAID = (
    ("value is 107, document says 0 to 100", "value is 112.5, document says 0 to 100"),
    ("value is -3 (number), document says Boolean", "value is 4 (number), document says Boolean"),
    (
        "a value: Vendor.Common.Setting.NonceAbcdefgh is 1",
        "a value: Vendor.Common.Setting.NonceZyxwvuts is 2",
    ),
    ("still true 12 s after", "still true 14 s after"),
    ("3 tries got 404 (refused)", "3 tries got 500 (server error)"),
    ("3 tries got 404 (refused)", "3 tries got 409 (refused)"),
    ("200 without a value: the body is empty", "204 without a value: the body is empty"),
    ('value is "true" (string)', 'value is "false" (string)'),
    ("value is 1 (number)", 'value is "1" (string)'),
    ("value is Vendor.Color1", "value is Vendor.Color2"),
)
"""What a case says that fails both times; measured numbers and nonces make no other finding."""


def pair(*cases: CaseResult, now: list[CaseResult], run: RunFacts = RUN, **more: Any) -> Comparison:
    """Two runs with these cases."""
    return between(results_of(*cases), results_of(*now, run=run), **more)


def failing(*before: CaseResult, was: RunFacts = RUN, now: RunFacts = RUN, fails: bool = True) -> Comparison:
    """A case that passes, and fails in the other run, which may have gone further; or the other way round."""
    verdicts = ("pass", "fail") if fails else ("fail", "pass")
    one, other = (turned(PASS, verdict) for verdict in verdicts)
    return between(results_of(one, *before, run=was), results_of(other, run=now))


FAILED_NOW, PASSED_NOW = turned(PASS, "fail"), turned(FAIL, "pass")
BOTH = (results_of(PASS, FAIL), results_of(FAILED_NOW, PASSED_NOW))
REWORDED = (results_of(replace(FAIL, message="is red")), results_of(replace(FAIL, message="is blue")))
WHOLE, PART = results_of(PASS, FAIL), results_of(PASS)
NOT_SELECTED = results_of(PASS, unselected=3)
ONLY_READ = results_of(
    PASS, omitted=[Omitted("SET-WRITABLE", ALARM, FRIDGE.ha_id, "the run only reads", "--level write")]
)
NO_LIST = results_of(PASS, omitted=[Omitted(FAIL.clause, FAIL.key, FAIL.ha_id, "no list", "write.allow")])
TWO_KEYS = [replace(SERVED, id="o", ha_id="oven-1"), replace(SERVED, id="d", key="Vendor.Sound")]
OPEN_STILL = a_case("READ-SETTING", "pass", appliance=OVEN)
PAIRS: dict[str, Comparison] = {
    "nothing changed": pair(PASS, now=[PASS]),
    "no case in common": pair(PASS, now=[SEEN]),
    **{
        f"from {ended.replace(' ', ' to ')}": pair(
            OTHER,
            *([turned(PASS, ended.split()[0])] if not ended.startswith("nothing") else []),
            now=[OTHER, *([turned(PASS, ended.split()[1])] if not ended.endswith("nothing") else [])],
        )
        for ended in ENDED
    },
    **{
        f"{one} / {other}": pair(replace(FAIL, message=one), now=[replace(FAIL, message=other)])
        for one, other in SAID
    },
    "a failure is waived": pair(PASS, now=[replace(FAILED_NOW, waived=True)]),
    "a waiver that ended": pair(PASS, WAIVED, now=[PASS, FAIL]),
    "a waiver that expired": between(results_of(WAIVED), results_of(FAIL, waivers=[EXPIRED])),
    "what the old exchanges do not show": pair(
        PASS, FAIL, ABSENT, now=[FAILED_NOW, PASSED_NOW, turned(ABSENT, "inconclusive")]
    ),
    "what the installed suite finds in the old exchanges, too": between(*BOTH, again=BOTH[1]),
    "a finding that the suite words otherwise": between(*REWORDED, again=REWORDED[1]),
    "another finding": between(*REWORDED),
    "a finding behind an old mistake": between(WHOLE, WHOLE, again=results_of(PASS, PASSED_NOW)),
    "what the new profile changes in the old exchanges": between(
        *BOTH, reprofiled=results_of(FAILED_NOW, turned(FAIL, "inconclusive"))
    ),
    "what the new profile asks for, and nobody asked": between(
        *BOTH, reprofiled=results_of(turned(PASS, "inconclusive"), FAIL)
    ),
    "a failure that a selection left out": between(WHOLE, NOT_SELECTED),
    "a failure that the profile left out": between(WHOLE, NO_LIST),
    "a failure that it leaves out no longer": between(NO_LIST, WHOLE),
    "a failure that the suite judges no more": between(WHOLE, PART, again=PART),
    "the old ledger is gone": compare(
        Baseline(ONLY_READ, reason="it is gone"),
        results_of(FAILED_NOW, a_case("SET-WRITABLE", "fail"), run=WRITING),
    ),
    "it is gone, and the key is newly claimed": compare(
        Baseline(results_of(PASS, ABSENT), reason="it is gone"),
        results_of(PASS, replace(turned(ABSENT, "fail"), claimed=True)),
    ),
    "a level and an appliance add cases": between(
        results_of(PASS, run=replace(RUN, appliances=(FRIDGE,))),
        results_of(
            *(PASS, a_case("SET-WRITABLE", "fail"), a_case("TYPE-INTEGER", "fail", appliance=OVEN)),
            run=WRITING,
        ),
    ),
    **{
        f"{'fails' if fails else 'passes'} in {what}": failing(was=was, now=now, fails=fails)
        for fails in (True, False)
        for what, was, now in (
            ("a run that writes", RUN, WRITING),
            ("one that is not a selection", replace(WRITING, argv=PICKED.argv), WRITING),
            ("one that is", WRITING, replace(WRITING, argv=PICKED.argv)),
            ("one that writes again", WRITING, WRITING),
            ("one that is no selection, and reads", PICKED, RUN),
        )
    },
    **{
        f"not selected before, by the old exchanges {again}{how}": between(
            replace(NOT_SELECTED, run=run),
            results_of(PASS, FAIL, run=run),
            results_of(PASS, turned(FAIL, again)),
        )
        for again, run, how in (
            *((again, RUN, "") for again in ("fail", "pass", "inconclusive")),
            ("pass", WRITING, ", and written to"),
        )
    },
    "keys are served and vanish": pair(
        SERVED,
        turned(TWO_KEYS[0], "not_applicable"),
        TWO_KEYS[1],
        now=[turned(SERVED, "fail", "answered 404"), TWO_KEYS[0], turned(TWO_KEYS[1], "inconclusive")],
    ),
    "a key is served, which is all": pair(turned(SERVED, "not_applicable"), now=[SERVED]),
    "a key is served at a higher level": pair(turned(SERVED, "not_applicable"), now=[SERVED], run=WRITING),
    "a key was served at a higher level": between(
        results_of(SERVED, run=WRITING), results_of(turned(SERVED, "not_applicable"))
    ),
    "a key vanishes at a higher level": pair(SERVED, now=[turned(SERVED, "not_applicable")], run=WRITING),
    "a contested key vanishes": pair(
        *BATTERY, now=[turned(BATTERY[0], "inconclusive"), turned(BATTERY[1], "fail")]
    ),
    "a worker died": between(PART, results_of(PASS, faults=["a worker died"])),
    "a value is not put back": between(PART, results_of(PASS, faults=[LEFT])),
    "nor was it before": between(results_of(PASS, faults=[LEFT]), results_of(PASS, faults=[LEFT])),
    "the new run is interrupted": between(PART, results_of(PASS, interrupted=True)),
    "the old run was interrupted": between(results_of(PASS, interrupted=True), PART),
    "runs that differ in all": pair(
        PASS, now=[PASS], run=ELSEWHERE, again=results_of(FAIL), places=("pace.per_minute",)
    ),
    "an appliance falls silent": between(
        results_of(*(turned(case, "pass") for case in DARK), OPEN_STILL),
        results_of(*DARK, turned(OPEN_STILL, "inconclusive", "busy")),
    ),
    "thirty cases of one finding fail": pair(*(turned(case, "pass") for case in CROWD), now=CROWD),
    "they are fixed": pair(*CROWD, now=[turned(case, "pass") for case in CROWD]),
    "they are open, for a reason each and for one": pair(
        *(turned(case, "pass") for case in CROWD),
        now=[turned(case, "inconclusive", f"{case.key} gave no answer") for case in CROWD],
    ),
    "a finding that is known for long": compare(
        Baseline(results_of(FAIL), reason="gone", known={FAIL.id: "2026-11-03T01:00:00Z"}),
        results_of(FAIL, replace(SERVED, verdict="fail", waived=True)),
    ),
}
"""Comparisons by what they are of."""


def lines_of(comparison: Comparison) -> Iterator[str]:
    """The lines of a comparison, without those that only name the two runs."""
    yield f"gate {comparison.gate}"
    whole = render_changes_text(comparison).splitlines()
    yield from (line for line in whole if not line.strip().startswith(("old: ", "new: ")))
    yield from (f"in short: {line}" for line, _ in plain(changes_in_short(comparison, PLAIN)))


def test_every_comparison_is_told_as_it_was() -> None:
    """Word for word, and each with its gate."""
    lines: list[str] = []
    for name, comparison in PAIRS.items():
        lines += [name, *(f"    {line}" for line in lines_of(comparison))]
    assert_as_it_was("changes.txt", "\n".join([*lines, ""]))
