"""What runs of every sort come to, in the short words that each report begins with."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.checks.verdict import Manner
from conformance.records.faults import Fault, own_fault
from conformance.records.results import CaseResult, DecidingExchange, Omitted, Results, WaiverResult
from conformance.records.run_facts import Campaign, JudgedAppliance, Keys, Loss, Requests, Writing
from conformance.selftest.support.pages import terminal_lines
from conformance.selftest.support.results import (
    ABSENT,
    CLAIMED,
    ERROR,
    FAIL,
    PASS,
    RUN,
    SEEN,
    SILENT,
    UNSURE,
    a_case,
    results_of,
)
from reports.certificate import refusals
from reports.formats.summary import render_badge
from reports.kills import Kills
from reports.phrases import HOW_TO_CLAIM, lead
from reports.results.build import NO_EVIDENCE, exit_code, with_faults
from reports.results.headline import RESUMING, headline, next_step

Making = Callable[[], Results]
KILLS = Kills("ef" * 32, {"TYPE-INTEGER": 7, "RANGE-ALARMCLOCK": 0})
WRITTEN = replace(RUN, level="write", requests=Requests(12, 5, 9))
REFUSED = replace(WRITTEN, writing=Writing(sent=319, refused=319, effects=0, statuses=(404,)))
AWAY = replace(WRITTEN, lost=(Loss("washer-1", 61, "2026-11-25T10:49:32.100+00:00", "409 (refused)"),))
OFFLINE = replace(AWAY, lost=(replace(AWAY.lost[0], ha_id="HOOD-1", is_offline=True),))
NO_ACCESS = replace(AWAY, lost=(Loss("*", 61, AWAY.lost[0].at, "401 (access refused)", is_access=True),))
OFF = replace(RUN, appliances=(JudgedAppliance("dishwasher-1", "Dishwasher", off="off"),))
UNCLAIMED = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=5), requests=Requests(5, errors=1))
TYPED = replace(
    UNCLAIMED,
    argv=("run", "--base-url", "http://hub", "--header", "Authorization: Bearer ${TOKEN}"),
    target=replace(RUN.target, base_url="http://hub", vendor="Acme"),
    appliances=(JudgedAppliance("fridge 1", "Refrigerator"),),
)
BLANK = replace(RUN, target=replace(RUN.target, product=" \t"))
WAIVED = replace(FAIL, waived=True)
WAIVER = WaiverResult("RANGE-*", "HUB-123", "hub team", "2026-12-08", "used", (FAIL.id,))
ENDING = [replace(WAIVER, expires="2026-11-28"), replace(WAIVER, case="ENDS-LATER-*", expires="2026-11-29")]
PASSING = WaiverResult("TYPE-*", "HUB-7", "hub team", "2026-12-08", "passing")
EXPIRED = replace(PASSING, state="expired", expires="2026-11-08")
JUDGED = [replace(PASS, id=f"TYPE-INTEGER::{number}@fridge-1", claimed=True) for number in range(38)]
OPEN = [replace(CLAIMED, id=f"TYPE-NOTNULL::{number}@fridge-1") for number in range(3)]
HELD = [replace(one, exempt="X4") for one in OPEN]
READ = a_case("READ-SETTING", "pass")
LEFT = Fault("not_restored", "oven-1 PowerState was On, is Off")
LEVELS = [
    Omitted(clause, "k", "a", "the run only reads", "--level write") for clause in ("A", "B", "TYPE-INTEGER")
]
LOCK = "Vendor.Common.Setting.ChildLock"
MANY = [
    replace(
        a_case("ENUM-KEYFORM", "fail", f"{LOCK}{number}", message="no whole key"),
        sights=(DecidingExchange(number, "fridge-1", f"{LOCK}{number}", "value"),),
        manner=Manner.SHORT.value,
    )
    for number in range(112)
]
"""Values that are short names, each under a key of its own."""
WHY = "access is refused (status 401): declare in a profile what the target asks for"
HTML = [f"HTML, no JSON. GET /{name}/settings was asked" for name in ("oven-0", "oven-1")]


def of(*cases: CaseResult, **told: Any) -> Making:
    """Makes a run with these cases, as `results_of` does, when it is asked for."""
    return partial(results_of, *cases, **told)


def silent(*why: str) -> Making:
    """A run of which no appliance gave a value, each for its reason."""
    ovens = [JudgedAppliance(f"oven-{number}", "Oven") for number in range(len(why))]
    pairs = zip(ovens, why, strict=True)
    return of(*(a_case("ADDR-BASE", "inconclusive", "*", one, message=word) for one, word in pairs))


def certified(*cases: CaseResult) -> Making:
    """A run that is asked for a certificate."""
    return of(*cases, certify=True)


# fmt: off
CONFORMS, READS = "0 Conforms", "0 Conforms as far as reading shows (nothing was written)"
RIGHT = "does [auth] permit writes, and do they need one more header?"
FAILS, ASK = "1 Does not conform", "are write.method, write.path and write.body right?"
DARK = "the appliance is off, in standby, or shows no power state and the child lock is on"
LATE = "are write.method, write.path and write.body right, and is timing.settle_s long enough?"
GATEWAY = "does a gateway before the target give up too early, and is timing.settle_s long enough?"
NOTHING, TOKEN = "3 Nothing could be judged", "the token of [auth] may have expired"
CONTRARY = "Nothing contradicts the document"
EXCUSED = f"{CONTRARY} but for 1 waived failure (HUB-123, hub team, until 2026-12-08)"
STALE = "a waiver is stale (this ends with 4)"
ENDS = [
    (READS, of(PASS)),
    (READS, of(PASS, run=replace(RUN, level="write"))),
    (CONFORMS, of(PASS, run=WRITTEN)),
    (FAILS, of(PASS, FAIL)),
    (FAILS, of(PASS, SILENT, FAIL)),
    ("5 Not judged: the suite is at fault", of(PASS, FAIL, ERROR)),
    ("5 Not judged: the suite is at fault", lambda: with_faults(of(PASS)(), [own_fault("late")])),
    (NOTHING, of()),
    (NOTHING, of(ABSENT, SEEN)),
    (NOTHING, of(WAIVED, waivers=[WAIVER])),
    (NOTHING, certified(HELD[0])),
    ("3 Inconclusive", of(PASS, SILENT)),
    ("3 Inconclusive", of(PASS, interrupted=True)),
    (FAILS, of(PASS, FAIL, interrupted=True)),
    ("5 Inconclusive: 1 key was not put back", of(PASS, faults=[LEFT])),
    ("5 Does not conform", of(PASS, FAIL, faults=[LEFT], waivers=[EXPIRED])),
    # what was written
    (f"3 No write was taken (319 of 319 refused, status 404): {ASK}", of(PASS, run=REFUSED)),
    (f"3 No write was taken (319 of 319 refused, status 403): {RIGHT}",
        of(PASS, run=replace(WRITTEN, writing=Writing(319, 319, 0, statuses=(403,))))),
    (f"3 No write was taken (319 of 319 refused, status 428): {RIGHT}",
        of(PASS, run=replace(WRITTEN, writing=Writing(319, 319, 0, statuses=(428,))))),
    ("3 No write was taken (319 of 319 refused, status 415): is write.media_type right?",
        of(PASS, run=replace(WRITTEN, writing=Writing(319, 319, 0, statuses=(415,))))),
    (f"3 No write was taken (319 of 319 refused, status 502, 504): {GATEWAY}",
        of(PASS, run=replace(WRITTEN, writing=Writing(319, 319, 0, statuses=(502, 504))))),
    (f"3 No write was taken (319 of 319 refused, status 403, 404): {ASK}",
        of(PASS, run=replace(WRITTEN, writing=Writing(319, 319, 0, statuses=(403, 404))))),
    (f"3 No write was taken (319 of 319 refused, status 404): perhaps because {DARK}",
        of(PASS, *(replace(CLAIMED, id=one, exempt=one) for one in ("X4", "X13", "X8")), run=REFUSED)),
    (f"3 No write had an effect (312 of 319 were acknowledged): {LATE}",
        of(PASS, run=replace(WRITTEN, writing=Writing(319, 7, 0, statuses=(403,))))),
    (f"3 No write had an effect (312 of 319 were acknowledged): {LATE}",
        of(PASS, run=replace(WRITTEN, writing=Writing(sent=319, refused=7, effects=0)))),
    ("3 No allowed value was written: the cases that are open say why",
        of(PASS, run=replace(WRITTEN, writing=Writing(0, 0, 0)))),
    (CONFORMS, of(PASS, run=replace(WRITTEN, writing=Writing(sent=9, refused=8, effects=1)))),
    (FAILS, of(PASS, FAIL, run=REFUSED)),
    # what went away, or goes on
    (CONFORMS, of(PASS, run=replace(WRITTEN, campaign=Campaign(3, 3, 900, 900)))),
    ("3 Inconclusive: the run goes on another night",
        of(PASS, run=replace(WRITTEN, campaign=Campaign(2, 5, 1_780, 4_020)))),
    (f"3 Inconclusive: access was refused from request 61 on (401, since 10:49:32 UTC): {TOKEN}",
        of(PASS, run=NO_ACCESS)),
    ("3 Inconclusive: since 10:49:32 UTC washer-1 answers 409 (refused)", of(PASS, run=AWAY)),
    (FAILS, of(PASS, FAIL, run=AWAY)),
    ("3 Nothing could be judged of dishwasher-1 (it was off)", of(PASS, run=OFF)),
    # what is open
    (f"3 {CONTRARY}, but 3 of 41 claimed cases are open", of(*JUDGED, *OPEN, run=WRITTEN)),
    (CONFORMS, of(*JUDGED, *OPEN[:2], run=WRITTEN)),
    (CONFORMS, of(*JUDGED, *OPEN, run=replace(WRITTEN, most_open=0.1))),
    (CONFORMS, of(*JUDGED, *HELD, run=WRITTEN)),
    (f"0 {CONTRARY}; only a part was judged", of(*JUDGED, *OPEN, run=WRITTEN, unselected=7)),
    (f"0 {CONTRARY}; nothing was claimed", of(PASS, run=UNCLAIMED)),
    (f"3 {CONTRARY}, but 1 of 2 cases of keys with a value are open", of(READ, UNSURE, run=UNCLAIMED)),
    # what is waived
    (f"0 {EXCUSED}; nothing was claimed", of(PASS, WAIVED, run=UNCLAIMED, waivers=[WAIVER])),
    (f"0 {EXCUSED}; only a part was judged",
        of(PASS, WAIVED, run=WRITTEN, unselected=7, waivers=[WAIVER])),
    (f"3 {EXCUSED}, but 3 of 41 claimed cases are open",
        of(*JUDGED, *OPEN, WAIVED, run=WRITTEN, waivers=[WAIVER])),
    (f"4 Conforms; {STALE}: delete it, its case passes", of(PASS, run=WRITTEN, waivers=[PASSING])),
    (f"4 Conforms; {STALE}: it expired on 2026-11-08", of(PASS, run=WRITTEN, waivers=[EXPIRED])),
    (f"4 Conforms; {STALE}: it matches no case",
        of(PASS, run=WRITTEN, waivers=[replace(PASSING, state="unmatched")])),
    ("4 Conforms; 2 waivers are stale (this ends with 4)",
        of(PASS, run=WRITTEN, waivers=[PASSING, EXPIRED])),
    (FAILS, of(PASS, FAIL, waivers=[PASSING])),
    (f"4 Inconclusive; {STALE}: it expired on 2026-11-08",
        of(PASS, interrupted=True, waivers=[EXPIRED])),
    # what a certificate depends on
    (f"{READS}", certified(*JUDGED)),
    ("0 Conforms conditionally as far as reading shows (nothing was written)", certified(*JUDGED, *HELD[:1])),
    *((f"3{READS[1:]}; no certificate", certified(*JUDGED, replace(HELD[0], exempt=why)))
        for why in ("", "X0", "X14", "X4\n", "because")),
]
"""The exit code and the headline of a run."""
BADGES = [
    ("conforms (read), brightgreen", of(PASS)),
    ("1 finding, red", of(PASS, FAIL)),
    ("inconclusive, yellow", of(UNSURE)),
    ("suite fault, orange", of(PASS, ERROR)),
    ("nothing claimed, nothing contradicted, blue", of(PASS, run=UNCLAIMED)),
    ("partly judged, nothing contradicted, blue", of(PASS, unselected=9)),
    ("conforms (write), 1 waived, yellow", of(PASS, WAIVED, run=WRITTEN, waivers=[WAIVER])),
    ("conforms (write), stale waiver, yellow", of(PASS, run=WRITTEN, waivers=[PASSING])),
    ("conforms conditionally (read), yellow", certified(*JUDGED, *HELD)),
]
"""The message and the color of the badge."""
CANNOT = "and no state of the appliance explains that: "
WITHOUT = [
    ("the profile does not name the product (target.product)", of(*JUDGED, run=BLANK)),
    ("the target does not conform: 1 case failed", of(*JUDGED, FAIL)),
    ("the profile claims no key of any appliance (appliance.supports): there is nothing to certify",
        of(PASS, SEEN)),
    ("nothing could be judged", of(replace(SEEN, claimed=True))),
    ("not judged: the suite is at fault", of(*JUDGED, faults=["it broke"])),
    ("inconclusive; the run did not come to its end", of(*JUDGED, interrupted=True)),
    ("only some of the cases were judged", of(*JUDGED, unselected=3)),
    (f"stale waiver: {EXPIRED.stale}", of(*JUDGED, waivers=[EXPIRED])),
    (f"1 claimed case is inconclusive, {CANNOT}{OPEN[0].id}", of(*JUDGED, *OPEN[:1])),
    (f"4 claimed cases are inconclusive, {CANNOT}{', '.join(one.id for one in OPEN)} and 1 more",
        of(*JUDGED, *OPEN, CLAIMED, run=replace(RUN, most_open=0.5))),
    ("no mutant has shown that the check of RANGE-ALARMCLOCK can fail",
        of(replace(FAIL, verdict="pass", claimed=True))),
    ("", of(*JUDGED, *HELD)),
]
"""Why there is no certificate; nothing where there is one."""
OVENS = ", ".join(f"oven-{number}" for number in range(8))
PASSED, ONE_ERROR = "1 case passed, on 1 clause.", "1 of 5 answers was an error (5xx, or no answer)."
LEADS = [
    (f"{CONTRARY}: {PASSED}", of(PASS)),
    ("The run has 1 fault of the suite.", of(PASS, faults=["it broke"])),
    ("…case. 1 of 2 appliances gave no value: fridge-1. 1 case could…", of(PASS, SILENT, FAIL)),
    ("No case passed, so nothing is known about the target.", of(SEEN)),
    ("1 key of the target was not put back. 1 case passed, but the target was not judged to the end.",
        of(PASS, faults=[LEFT])),
    ("…1 finding in 1 case. Since 10:49:32 UTC washer-1 answers 409 (refused).…",
        of(PASS, FAIL, run=AWAY)),
    ("1 case passed, but the target was not judged to the end.", of(PASS, run=OFFLINE)),
    ("1 case passed, but the target was not judged to the end.",
        of(PASS, run=replace(NO_ACCESS, writing=Writing(sent=1, refused=0, effects=0)))),
    ("…1 finding in 1 case. hood-1 was offline from 10:49:32 UTC on.…",
        of(PASS, FAIL, run=replace(OFFLINE, lost=(replace(OFFLINE.lost[0], ha_id="hood-1"),)))),
    (f"{ONE_ERROR} 5 of 27 keys gave a value. {PASSED} {HOW_TO_CLAIM}", of(PASS, run=UNCLAIMED)),
    (f"1 of 10 cases was selected. {CONTRARY}: {PASSED}", of(PASS, unselected=9)),
    (f"Nothing else contradicts the document: {PASSED} The waiver of RANGE-* ends on 2026-11-28.",
        of(PASS, WAIVED, waivers=ENDING)),
    ("…. 3 cases could not be decided, 2 of the 40 claimed ones without a state that explains it.…",
        of(*JUDGED, *OPEN[:2], UNSURE, run=WRITTEN)),
    (f"…from 1,000 appliances, {OVENS} and 992 more: {WHY}. 1,000…", silent(*[WHY] * 1_000)),
    (f"…from 3 appliances, oven-0, oven-1, oven-2: {HTML[0]}; {WHY}. 3 cases…", silent(*HTML, WHY)),
]
"""What the verdict rests on."""
MORE = "--level write judges 2 more clauses"
AS_TYPED = "--vendor Acme --header 'Authorization: Bearer ${TOKEN}' -o hub.toml"
NEXT = [
    (f"next: {MORE}", of(PASS, run=replace(RUN, answers={"write.method": '"PUT"'}), omitted=LEVELS)),
    ("…[write] in the profile, and --level write, judge 2 more clauses…", of(PASS, omitted=LEVELS)),
    ("", of(PASS)),
    ("", of(PASS, FAIL, omitted=LEVELS)),
    (f"…init --base-url http://hub --appliance 'fridge 1:Refrigerator' {AS_TYPED}…",
        of(PASS, run=TYPED)),
    ("…init -o FILE, with…", of(PASS, run=replace(TYPED, argv=("run", "hub.toml")))),
]
"""What shows more."""
BESIDE = [
    (NO_EVIDENCE, of(replace(PASS, evidence=()))),
    (f"two cases have the id {PASS.id}", of(PASS, PASS)),
    ("the catalog has no clause TYPE-UNKNOWN", of(replace(PASS, clause="TYPE-UNKNOWN"))),
    ("it broke", lambda: with_faults(certified(PASS)(), [own_fault("it broke")])),
    ('112 enumeration values are short names, such as "On"', of(*MANY, values={0: '"On"'})),
    ("no whole key", of(*MANY)),
    ("no whole key", of(*MANY[:2], values={0: '"On"'})),
]
"""What cases, faults and findings say."""
OPENED = [
    ("1 of 2", of(replace(PASS, claimed=True), UNSURE, CLAIMED)),
    ("1 of 2", of(replace(CLAIMED, exempt="X8"), replace(CLAIMED, exempt="X0", id="2"))),
    ("0 of 0", of(*(replace(one, claimed=True) for one in (ABSENT, SEEN)))),
    ("0 of 0", of(replace(CLAIMED, waived=True), FAIL)),
    ("0 of 0", of(READ, UNSURE, run=replace(RUN, keys=Keys(27, 1, 1)))),
    ("1 of 3", of(READ, PASS, UNSURE, replace(UNSURE, key="other", id="other"), run=UNCLAIMED)),
    ("0 of 2", of(READ, replace(UNSURE, exempt="X8"), run=UNCLAIMED)),
    ("0 of 0", of(replace(READ, verdict="inconclusive"), PASS, UNSURE, run=UNCLAIMED)),
    ("0 of 1", of(replace(READ, ha_id="oven-1"), UNSURE, run=UNCLAIMED)),
]
"""How many claimed cases are open, of how many; where nothing is claimed, of keys that gave a value."""
# fmt: on


def badge(results: Results) -> str:
    """Its words and its color."""
    shown = json.loads(render_badge(results))
    return f"{shown['message']}, {shown['color']}"


def beside(results: Results) -> str:
    """All that is said beside the verdict."""
    said = [*map(str, results.faults), *(case.message for case in results.of("inconclusive"))]
    return "; ".join(filter(None, [*said, *(finding.message for finding in results.findings)]))


TOLD: Sequence[tuple[Callable[[Results], str], Sequence[tuple[str, Making]]]] = (
    (lambda results: f"{exit_code(results)} {headline(results)}", ENDS),
    (badge, BADGES),
    (lambda results: "; ".join(refusals(results, KILLS)), WITHOUT),
    (lead, LEADS),
    (next_step, NEXT),
    (beside, BESIDE),
    (lambda results: f"{results.open.cases} of {results.open.of}", OPENED),
)


@pytest.mark.parametrize(
    ("telling", "expected", "make"), [(telling, *row) for telling, rows in TOLD for row in rows]
)
def test_run_is_told_so(telling: Callable[[Results], str], expected: str, make: Making) -> None:
    """In each short place, word for word; what stands between two … is a part."""
    told = telling(make())
    assert expected[1:-1] in told if expected.startswith("…") else told == expected


def test_run_that_shows_nothing_is_told_in_a_few_lines(tmp_path: Path) -> None:
    """One that was interrupted in a line, unless something was found; one that met nobody by its reason."""
    cut = "Interrupted after 17 reads and 0 writes; 1 case judged, nothing found so far"
    assert terminal_lines(results_of(PASS, interrupted=True), tmp_path) == [cut, RESUMING]
    assert "1 finding in 1 case" in terminal_lines(results_of(PASS, FAIL, interrupted=True), tmp_path)
    dead, in_vain = replace(SILENT, message="nothing listens"), replace(RUN, requests=Requests(3, errors=3))
    assert terminal_lines(results_of(dead, UNSURE, run=in_vain), tmp_path)[1:] == [
        "No value could be read from 1 appliance, fridge-1: nothing listens."
    ]
