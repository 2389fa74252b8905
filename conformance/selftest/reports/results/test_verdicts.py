"""What runs of every sort come to, in the short words that each report begins with: golden/verdicts.txt.

Of each run stand there its exit code, headline, badge and lead; and where they apply, what keeps it from a
certificate, the condition of one, what is open or not judged, the next step, and its faults.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from conformance.checks.verdict import Manner
from conformance.records.faults import Fault, own_fault
from conformance.records.results import DecidingExchange, Omitted, Results, WaiverResult
from conformance.records.run_facts import Campaign, JudgedAppliance, Keys, Loss, Requests, Writing
from conformance.selftest.support.golden import assert_as_it_was
from conformance.selftest.support.samples.pages import terminal_lines
from conformance.selftest.support.samples.results import (
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
from reports.phrases import lead
from reports.results.build import exit_code, with_faults
from reports.results.headline import headline, next_step
from reports.results.not_judged import condition, not_judged_in_a_line

KILLS: Final = Kills("ef" * 32, {"TYPE-INTEGER": 7, "RANGE-ALARMCLOCK": 0})
WRITTEN = replace(RUN, level="write", requests=Requests(12, 5, 9))
REFUSED = replace(WRITTEN, writing=Writing(sent=319, refused=319, effects=0, statuses=(404,)))
TAKEN = replace(WRITTEN, writing=Writing(sent=319, refused=7, effects=0))
AWAY = replace(WRITTEN, lost=(Loss("washer-1", 61, "2026-11-25T10:49:32.100+00:00", "409 (refused)"),))
NO_ACCESS = replace(AWAY, lost=(Loss("*", 61, AWAY.lost[0].at, "401 (access refused)", is_access=True),))
OFF = replace(RUN, appliances=(JudgedAppliance("dishwasher-1", "Dishwasher", off="off"),))
UNCLAIMED = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=5))
ONE_CLAIMED = replace(RUN, keys=Keys(tried=27, claimed=1, gave_value=1))
TYPED = replace(
    UNCLAIMED,
    argv=(
        "run",
        "--base-url",
        "http://hub",
        "--vendor",
        "Acme",
        "--header",
        "Authorization: Bearer ${TOKEN}",
    ),
    target=replace(RUN.target, base_url="http://hub", vendor="Acme"),
    appliances=(JudgedAppliance("fridge 1", "Refrigerator"),),
)
WAIVED = replace(FAIL, waived=True)
WAIVER = WaiverResult("RANGE-*", "HUB-123", "hub team", "2026-12-08", "used", (FAIL.id,))
ENDING = [replace(WAIVER, expires="2026-11-28"), replace(WAIVER, case="ENDS-LATER-*", expires="2026-11-29")]
PASSING = WaiverResult("TYPE-*", "HUB-7", "hub team", "2026-12-08", "passing")
EXPIRED = replace(PASSING, state="expired", expires="2026-11-08")
UNMATCHED = replace(PASSING, state="unmatched")
JUDGED = [replace(PASS, id=f"TYPE-INTEGER::{number}@fridge-1", claimed=True) for number in range(38)]
OPEN = [replace(CLAIMED, id=f"TYPE-NOTNULL::{number}@fridge-1") for number in range(3)]
HELD = replace(PASS, claimed=True)
IS_OFF = replace(CLAIMED, exempt="X4", message="PowerState is Standby")
IS_LOCKED = replace(a_case("TYPE-BOOLEAN", "inconclusive"), claimed=True, exempt="X13")
IS_DARK = replace(a_case("TYPE-DOUBLE", "inconclusive"), claimed=True, exempt="X1")
READ = a_case("READ-SETTING", "pass")
LEFT = Fault("not_restored", "oven-1 PowerState was On, is Off")
LEVELS = [
    Omitted(clause, "k", "a", "the run only reads", "--level write") for clause in ("A", "B", "TYPE-INTEGER")
]
LOCK = "Vendor.Common.Setting.ChildLock"
UNDECLARED = [
    Omitted("READ-SETTING", LOCK, ha_id, "undeclared", f"answer.{name}")
    for name in ("key", "unit", "type", "step", "allowed", "access")
    for ha_id in "ab"
] + [Omitted("READ-STATUS", LOCK, "a", "undeclared", "answer.type")]
NOT_ALLOWED = Omitted("SET-WRITABLE", LOCK, "a", "it is not on the write list", "write.allow")
MANY = [
    replace(
        a_case("ENUM-KEYFORM", "fail", f"{LOCK}{number}", message=f"value {number} is no whole key"),
        sights=(DecidingExchange(number, "fridge-1", f"{LOCK}{number}", "value"),),
        manner=Manner.SHORT.value,
    )
    for number in range(112)
]
"""Values that are short names, each under a key of its own."""
BUDGETS = [Omitted("A", str(number), "a", "drawn", "pace.generated_reads") for number in range(3)]
WHY = "access is refused (status 401): declare in a profile what the target asks for"
HTML = [f"HTML, no JSON. GET /{name}/settings was asked" for name in ("oven-0", "oven-1")]


def silent(*why: str) -> Results:
    """A run of which no appliance gave a value, each for its reason."""
    ovens = [JudgedAppliance(f"oven-{number}", "Oven") for number in range(len(why))]
    bases = [a_case("ADDR-BASE", "inconclusive", "*", *pair) for pair in zip(ovens, strict=True)]
    return results_of(*(replace(base, message=word) for base, word in zip(bases, why, strict=True)))


RUNS: dict[str, Results] = {
    "one case passes": results_of(PASS),
    "one fails": results_of(PASS, FAIL),
    "one fails, in another the suite": results_of(PASS, FAIL, ERROR),
    "many values have one form": results_of(*MANY, values={0: '"On"'}),
    "two have": results_of(*MANY[:2], values={0: '"On"'}),
    "nobody knows which values": results_of(*MANY),
    "no case": results_of(),
    "nothing is decided": results_of(UNSURE),
    "what passes nobody has asked of it": results_of(ABSENT, SEEN),
    "one passes, one is open": results_of(PASS, UNSURE, ABSENT),
    "one appliance is silent": results_of(PASS, SILENT),
    "one fails, and an appliance is silent": results_of(PASS, SILENT, FAIL),
    "a pass without evidence": results_of(replace(PASS, evidence=())),
    "a case comes twice": results_of(PASS, PASS),
    "a clause that the catalog lacks": results_of(replace(PASS, clause="TYPE-UNKNOWN")),
    "a fault of the suite": results_of(PASS, faults=["it broke"], certify=True),
    "a fault that shows late": with_faults(results_of(PASS, certify=True), [own_fault("it broke")]),
    "a value is not put back": results_of(PASS, faults=[LEFT]),
    "nothing is written": results_of(PASS, run=replace(RUN, level="write")),
    "writes have effects": results_of(PASS, run=WRITTEN),
    "one write has": results_of(PASS, run=replace(WRITTEN, writing=Writing(sent=9, refused=8, effects=1))),
    "no write is taken": results_of(PASS, run=REFUSED),
    "no write has an effect": results_of(PASS, run=TAKEN),
    "no allowed value is written": results_of(PASS, run=replace(WRITTEN, writing=Writing(0, 0, 0))),
    "one fails, and no write is taken": results_of(PASS, FAIL, run=REFUSED),
    "states keep writes from being taken": results_of(
        PASS, replace(CLAIMED, exempt="X13"), replace(CLAIMED, id="2", exempt="X8"), run=REFUSED
    ),
    "a campaign is over": results_of(PASS, run=replace(WRITTEN, campaign=Campaign(3, 3, 900, 900))),
    "a campaign goes on": results_of(PASS, run=replace(WRITTEN, campaign=Campaign(2, 5, 1_780, 4_020))),
    "access is lost": results_of(PASS, run=NO_ACCESS),
    "an appliance goes away": results_of(PASS, run=AWAY),
    "one fails, and an appliance goes away": results_of(PASS, FAIL, run=AWAY),
    "each appliance is off": results_of(PASS, run=OFF),
    "claimed cases are open": results_of(*JUDGED, *OPEN, run=WRITTEN),
    "few of them are": results_of(*JUDGED, *OPEN[:2], UNSURE, run=WRITTEN),
    "as many as may be": results_of(*JUDGED, *OPEN, run=replace(WRITTEN, most_open=0.1)),
    "states explain what is open": results_of(
        *JUDGED, *(replace(one, exempt="X4") for one in OPEN), run=WRITTEN
    ),
    "claimed cases of a part are open": results_of(*JUDGED, *OPEN, run=WRITTEN, unselected=7),
    "nothing is claimed": results_of(PASS, run=UNCLAIMED),
    "nothing is claimed, and a key with a value is open": results_of(
        READ, PASS, UNSURE, replace(UNSURE, key="other", id="other"), run=UNCLAIMED
    ),
    "nothing is claimed, and a state explains what is open": results_of(
        READ, replace(UNSURE, exempt="X8"), run=UNCLAIMED
    ),
    "nothing is claimed, and no key has a value": results_of(
        replace(READ, verdict="inconclusive"), PASS, UNSURE, run=UNCLAIMED
    ),
    "nothing is claimed, and another appliance serves the key": results_of(
        replace(READ, ha_id="oven-1"), UNSURE, run=UNCLAIMED
    ),
    "another key is claimed than the one that is open": results_of(READ, UNSURE, run=ONE_CLAIMED),
    "what is claimed does not apply": results_of(
        *(replace(one, claimed=True) for one in (ABSENT, SEEN)), WAIVED, replace(CLAIMED, waived=True)
    ),
    "nothing is claimed, by words that can draft a profile": results_of(PASS, run=TYPED),
    "nothing is claimed in a profile": results_of(PASS, run=replace(TYPED, argv=("run", "hub.toml"))),
    "all that fails is waived": results_of(WAIVED, waivers=[WAIVER]),
    "one is waived": results_of(PASS, WAIVED, run=WRITTEN, waivers=[WAIVER]),
    "one is waived, nothing is claimed": results_of(PASS, WAIVED, run=UNCLAIMED, waivers=[WAIVER]),
    "one is waived in a part": results_of(PASS, WAIVED, run=WRITTEN, unselected=7, waivers=[WAIVER]),
    "one is waived, others are open": results_of(*JUDGED, *OPEN, WAIVED, run=WRITTEN, waivers=[WAIVER]),
    "waivers end soon, and a day later": results_of(PASS, WAIVED, waivers=ENDING),
    "a waiver whose case passes": results_of(PASS, run=WRITTEN, waivers=[PASSING]),
    "a waiver has expired": results_of(PASS, run=WRITTEN, waivers=[EXPIRED]),
    "a waiver matches no case": results_of(PASS, run=WRITTEN, waivers=[UNMATCHED]),
    "two waivers are stale": results_of(PASS, run=WRITTEN, waivers=[PASSING, EXPIRED]),
    "one fails, a waiver is stale": results_of(PASS, FAIL, waivers=[PASSING]),
    "interrupted, a waiver is stale": results_of(PASS, interrupted=True, waivers=[EXPIRED]),
    "a value is not put back, a waiver is stale": results_of(PASS, FAIL, faults=[LEFT], waivers=[EXPIRED]),
    "a part": results_of(PASS, unselected=9),
    "interrupted": results_of(PASS, interrupted=True),
    "interrupted, one fails": results_of(PASS, FAIL, interrupted=True),
    "nothing listens": results_of(
        replace(SILENT, message="nothing listens"),
        UNSURE,
        run=replace(RUN, requests=Requests(3, errors=3)),
    ),
    "access is refused everywhere": silent(*[WHY] * 1_000),
    "two appliances give a page that names them, one another reason": silent(*HTML, WHY),
    "a higher level shows more": results_of(
        PASS, run=replace(RUN, answers={"write.method": '"PUT"'}), omitted=LEVELS
    ),
    "so does a profile that can write": results_of(PASS, omitted=LEVELS),
    "a glob names no key that protects": results_of(PASS, omitted=[NOT_ALLOWED]),
    "levels, such keys, fields, then budgets": results_of(
        PASS, omitted=[*BUDGETS, *UNDECLARED, NOT_ALLOWED, *LEVELS]
    ),
    "no product is named": results_of(
        HELD, run=replace(RUN, target=replace(RUN.target, product=" \t")), certify=True
    ),
    "a certificate, nothing is claimed": results_of(PASS, SEEN, certify=True),
    "a certificate, no mutant shows that the check can fail": results_of(
        replace(FAIL, verdict="pass", claimed=True), certify=True
    ),
    "a certificate, many are open": results_of(
        *JUDGED, *OPEN, *(replace(one, id=f"{one.id}2") for one in OPEN), certify=True
    ),
    "a certificate, some cases are observed or open": results_of(
        *JUDGED, replace(UNSURE, exempt="X2"), replace(PASS, id="other", exempt="X3"), certify=True
    ),
    **{
        f"a certificate, a case is open by {why!r}": results_of(
            *JUDGED, replace(IS_OFF, exempt=why), certify=True
        )
        for why in ("X4", "", "X0", "X14", "X4\n", "because")
    },
    "a certificate, of several states": results_of(
        *JUDGED, IS_OFF, replace(IS_OFF, id="other"), IS_LOCKED, IS_DARK, certify=True
    ),
    "a certificate, only a state": results_of(IS_OFF, certify=True),
}
"""Runs by what is the matter with them."""


def lines_of(results: Results, directory: Path) -> Iterator[str]:
    """A line for each short place."""
    badge = json.loads(render_badge(results))
    yield f"exit {exit_code(results)}: {headline(results)}"
    yield f"badge: {badge['message']}, {badge['color']}"
    yield lead(results)
    yield from (f"finding: {finding.message}" for finding in results.findings[:3] if finding.message)
    yield from (f"no certificate: {reason}" for reason in refusals(results, KILLS))
    yield condition(results.cases)
    yield f"open: {results.open.cases} of {results.open.of}" if results.open.of else ""
    yield not_judged_in_a_line(results)
    yield next_step(results)
    yield from map(str, results.faults)
    lines = terminal_lines(results, directory)
    yield from (f"terminal: {line}" for line in lines if len(lines) < 3)


def test_every_run_is_told_as_it_was(tmp_path: Path) -> None:
    """Word for word, and each with its exit code."""
    lines: list[str] = []
    for name, results in RUNS.items():
        lines += [name, *(f"    {line}" for line in lines_of(results, tmp_path) if line)]
    assert_as_it_was("verdicts.txt", "\n".join([*lines, ""]))
